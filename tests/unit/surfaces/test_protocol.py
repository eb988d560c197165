"""MCP as messages in and messages out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from rove import Policy, PolicyRule, RulePolicy, Settings, __version__
from rove.engine.sessions import Sessions
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.messages import HANDSHAKE_REVISIONS, Message
from rove.surfaces.mcp.protocol import McpConnection
from rove.toolsets.toolset import catalogue_toolset

META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}


class Line:
    """The other end of a connection: what was sent, as it comes."""

    def __init__(self, home: Path, policy: Policy | None = None) -> None:
        self.sent: asyncio.Queue[Message] = asyncio.Queue()
        self.sessions = Sessions(Settings(home=home), policy)
        self.server = browser_server(self.sessions, catalogue_toolset())
        self.connection = McpConnection(self.server)

    def say(self, message: Any) -> None:
        self.connection.receive(message, self.sent.put)

    async def close(self) -> None:
        await self.connection.close()
        await self.server.close()

    async def hear(self) -> Message:
        return await asyncio.wait_for(self.sent.get(), 20)

    async def ask(self, method: str, params: Any = None, identity: str | int = 1) -> Message:
        self.say({"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}})
        return await self.hear()


@pytest.fixture
async def line(tmp_path: Path) -> AsyncGenerator[Line]:
    made = Line(tmp_path)
    yield made
    await made.close()


@pytest.fixture
async def opened(line: Line) -> Line:
    """A connection that has completed `initialize`."""
    await line.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
    line.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return line


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
async def test_initialize_answers_with_the_revision_of_the_client(line: Line, revision: str) -> None:
    result = (await line.ask("initialize", {"protocolVersion": revision}))["result"]
    assert result["protocolVersion"] == revision
    assert result["serverInfo"] == {"name": "rove", "version": __version__}
    assert "tools" in result["capabilities"]
    assert result["instructions"]


@pytest.mark.parametrize("revision", ["1999-01-01", "2099-01-01", None, 7])
async def test_initialize_with_an_unknown_revision_is_answered_with_the_latest(line: Line, revision: Any) -> None:
    result = (await line.ask("initialize", {"protocolVersion": revision}))["result"]
    assert result["protocolVersion"] == HANDSHAKE_REVISIONS[-1]


async def test_before_initialize_only_a_ping_is_answered(line: Line) -> None:
    assert (await line.ask("ping"))["result"] == {}
    assert (await line.ask("tools/list"))["error"]["code"] == -32602


async def test_revision_2026_07_28_needs_no_initialize(line: Line) -> None:
    answer = await line.ask("tools/list", {"_meta": MODERN})
    assert answer["result"]["tools"]
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["ttlMs"] > 0


async def test_discover_lists_the_supported_revisions(line: Line) -> None:
    result = (await line.ask("server/discover", {"_meta": MODERN}))["result"]
    assert "2026-07-28" in result["supportedVersions"]


async def test_an_unsupported_revision_is_refused_with_the_supported_ones(line: Line) -> None:
    meta = {**MODERN, META + "protocolVersion": "2031-01-01"}
    error = (await line.ask("tools/list", {"_meta": meta}))["error"]
    assert error["code"] == -32022
    assert "2026-07-28" in error["data"]["supported"]
    assert error["data"]["requested"] == "2031-01-01"


@pytest.mark.parametrize(
    "meta",
    [
        None,
        7,
        [],
        "2026-07-28",
        {META + "protocolVersion": "2026-07-28"},
        {META + "clientCapabilities": {}},
        {**MODERN, META + "clientCapabilities": None},
        {**MODERN, META + "clientCapabilities": ["elicitation"]},
        {**MODERN, META + "protocolVersion": 20260728},
    ],
)
async def test_request_metadata_that_is_incomplete_or_of_the_wrong_type_is_refused(opened: Line, meta: Any) -> None:
    error = (await opened.ask("tools/list", {"_meta": meta}))["error"]
    assert error["code"] == -32602


async def test_a_client_need_not_name_itself(line: Line) -> None:
    assert "result" in await line.ask("server/discover", {"_meta": MODERN})


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe"])
async def test_revision_2026_07_28_has_no_method_that_it_removed(line: Line, method: str) -> None:
    assert (await line.ask(method, {"_meta": MODERN}))["error"]["code"] == -32601


async def test_an_unknown_method_is_not_found(opened: Line) -> None:
    assert (await opened.ask("resources/fly"))["error"]["code"] == -32601


@pytest.mark.parametrize("message", [1, "text", None, True, {"id": 1, "method": 7}])
async def test_an_invalid_message_is_refused(line: Line, message: Any) -> None:
    line.say(message)
    answer = await line.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("identity", [True, 1.5, [], {}])
async def test_an_invalid_id_is_refused(line: Line, identity: Any) -> None:
    line.say({"jsonrpc": "2.0", "id": identity, "method": "ping"})
    answer = await line.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("identity", [0, 7, "seven", ""])
async def test_a_response_has_the_id_of_its_request(line: Line, identity: str | int) -> None:
    answer = await line.ask("ping", identity=identity)
    assert answer["id"] == identity
    assert type(answer["id"]) is type(identity)


async def test_a_notification_gets_no_response(line: Line) -> None:
    line.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    line.say({"jsonrpc": "2.0", "method": "notifications/unheard_of"})
    line.say({"jsonrpc": "2.0", "id": 5, "result": {}})
    assert (await line.ask("ping", identity=9))["id"] == 9
    assert line.sent.empty()


async def test_an_array_of_messages_is_answered_one_by_one(line: Line) -> None:
    line.say([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (1, 2)])
    assert sorted([(await line.hear())["id"], (await line.hear())["id"]]) == [1, 2]


async def test_params_that_are_not_an_object_are_ignored(line: Line) -> None:
    line.say({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1, 2]})
    assert (await line.hear())["result"] == {}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": "browser_fly"},
        {"name": 7},
        {"name": "browser_status", "arguments": [1]},
        {"name": ["browser_status"]},
    ],
)
async def test_a_call_of_an_unknown_tool_or_with_invalid_arguments_is_refused(
    opened: Line, params: dict[str, Any]
) -> None:
    assert (await opened.ask("tools/call", params))["error"]["code"] == -32602


async def test_the_result_of_a_call_is_text_without_structured_content(opened: Line) -> None:
    result = (await opened.ask("tools/call", {"name": "browser_status"}))["result"]
    assert result["content"][0]["type"] == "text"
    assert "structuredContent" not in result  # some clients would show their model only that
    assert "isError" not in result


async def test_a_failed_call_is_a_result_and_not_a_protocol_error(opened: Line) -> None:
    call = {"name": "browser_close_session", "arguments": {"name": "not-open"}}
    result = (await opened.ask("tools/call", call))["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "not_open"


async def test_a_cancelled_request_is_not_answered(opened: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    began, was_cancelled = asyncio.Event(), asyncio.Event()

    async def slow(*_: object) -> Message:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            was_cancelled.set()
        return {}

    monkeypatch.setitem(opened.server.methods, "tools/call", slow)
    opened.say({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "browser_status"}})
    await began.wait()
    opened.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}})
    await asyncio.wait_for(was_cancelled.wait(), 20)
    assert (await opened.ask("ping", identity=5))["id"] == 5
    assert opened.sent.empty()


@pytest.mark.parametrize("params", [{}, {"requestId": 99}, {"requestId": None}, {"requestId": [1]}, {"requestId": {}}])
async def test_cancelling_an_unknown_request_is_ignored(line: Line, params: dict[str, Any]) -> None:
    line.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert (await line.ask("ping"))["result"] == {}


async def test_an_unexpected_exception_is_an_internal_error_and_the_connection_stays_open(
    opened: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> Message:
        raise RuntimeError("a bug")

    monkeypatch.setitem(opened.server.methods, "tools/call", broken)
    answer = await opened.ask("tools/call", {"name": "browser_status"})
    assert answer["error"]["code"] == -32603
    assert (await opened.ask("ping"))["result"] == {}


async def test_closing_cancels_running_requests(opened: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    began = asyncio.Event()

    async def slow(*_: object) -> Message:
        began.set()
        await asyncio.Event().wait()
        return {}

    monkeypatch.setitem(opened.server.methods, "tools/call", slow)
    opened.say({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "browser_status"}})
    await began.wait()
    await asyncio.wait_for(opened.close(), 20)
    assert opened.sent.empty()


async def test_two_requests_with_the_same_id_are_both_answered(line: Line) -> None:
    for _ in range(2):
        line.say({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert [(await line.hear())["id"], (await line.hear())["id"]] == [1, 1]


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncGenerator[Line]:
    """A connection that began with `initialize`, under a policy that asks before a session is opened."""
    made = Line(tmp_path, RulePolicy((PolicyRule("ask", action=("open_session",)),)))
    await made.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}})
    yield made
    await made.close()


OPEN = {"name": "browser_open_session", "arguments": {"name": "another"}}
YES = {"action": "accept", "content": {"answer": "yes, once"}}


async def test_the_client_is_asked_while_its_call_waits(asking: Line) -> None:
    question = await asking.ask("tools/call", OPEN)
    assert question["method"] == "elicitation/create"
    assert "Action: open_session" in question["params"]["message"]
    asking.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    answer = await asking.hear()
    assert answer["id"] == 1
    assert "session another" in answer["result"]["content"][0]["text"]


async def test_an_answer_is_accepted_only_with_the_id_of_an_open_question(asking: Line) -> None:
    question = await asking.ask("tools/call", OPEN)
    other_ids: list[Any] = ["rove-99", 1, None, [question["id"]], {}, question["id"].upper()]
    for identity in other_ids:
        asking.say({"jsonrpc": "2.0", "id": identity, "result": YES})
    assert (await asking.ask("ping", identity=2))["id"] == 2
    asking.say({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
    asking.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    assert (await asking.hear())["result"]["structuredContent"]["error"]["code"] == "denied"
    again = await asking.ask("tools/call", OPEN)
    assert again["id"] != question["id"]
    asking.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    asking.say({"jsonrpc": "2.0", "id": again["id"], "error": {"code": -32603, "message": "no screen"}})
    assert (await asking.hear())["result"]["structuredContent"]["error"]["code"] == "denied"


async def test_cancelling_a_call_withdraws_its_question(asking: Line) -> None:
    question = await asking.ask("tools/call", OPEN)
    asking.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    withdrawn = await asking.hear()
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == question["id"]
    asking.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    status = await asking.ask("tools/call", {"name": "browser_status"}, identity=2)
    assert "another" not in str(status["result"])


async def test_in_revision_2026_07_28_a_second_call_with_the_answer_continues_the_first(asking: Line) -> None:
    meta = {**MODERN, META + "clientCapabilities": {"elicitation": {"form": {}}}}
    result = (await asking.ask("tools/call", {**OPEN, "_meta": meta}))["result"]
    assert result["resultType"] == "input_required"
    assert result["inputRequests"]["approval"]["method"] == "elicitation/create"
    back = {**OPEN, "_meta": meta, "requestState": result["requestState"], "inputResponses": {"approval": YES}}
    for state in (7, ["x"], {"a": 1}, ""):
        refused = await asking.ask("tools/call", {**back, "requestState": state})
        assert refused["error"]["code"] == -32602
    done = (await asking.ask("tools/call", back))["result"]
    assert done["resultType"] == "complete"
    assert "session another" in done["content"][0]["text"]
    assert (await asking.ask("tools/call", back))["error"]["code"] == -32602


async def test_closing_cancels_calls_that_wait_for_an_approval(tmp_path: Path) -> None:
    line = Line(tmp_path, RulePolicy((PolicyRule("ask", action=("open_session",)),)))
    meta = {**MODERN, META + "clientCapabilities": {"elicitation": {}}}
    await line.ask("tools/call", {**OPEN, "_meta": meta})
    assert len(line.sessions.pending_approvals) == 1
    await asyncio.wait_for(line.close(), 20)
    assert len(line.sessions.pending_approvals) == 0


@pytest.mark.parametrize(
    ("name", "meant"),
    [("browser_clik", "browser_click"), ("click", "browser_click"), ("browser_frobnicate", None), ("browser_", None)],
)
async def test_an_unknown_tool_is_answered_with_the_nearest_one_or_none(
    opened: Line, name: str, meant: str | None
) -> None:
    message = (await opened.ask("tools/call", {"name": name}))["error"]["message"]
    assert message == f"Unknown tool: {name}" + (f". Did you mean {meant}?" if meant else "")
