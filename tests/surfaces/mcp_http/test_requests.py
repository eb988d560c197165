"""Requests as they go over the wire: who may call, what is refused and how, and what a response looks like."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
from tests.site import Site
from tests.surfaces.mcp_http.conftest import LIMITS, META, Http, rpc

from rove.engine.sessions import Sessions

STATUS = {"name": "browser_status", "arguments": {}}


def code_of(answer: httpx2.Response) -> int:
    code: int = answer.json()["error"]["code"]
    return code


def events_in(answer: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_without_a_valid_token_nothing_is_answered(http: Http, method: str) -> None:
    for header in (None, "", "Bearer", "Basic dG9rZW4tb2YtYW5uYTo=", "token-of-anna"):
        answer = await http.send(method, rpc("ping"), authorization=header)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == 'Bearer realm="rove"'
    wrong = await http.send(method, rpc("ping"), authorization="Bearer token-of-Anna")
    assert wrong.status_code == 401
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]


async def test_a_token_that_may_only_view_cannot_call(http: Http) -> None:
    answer = await http.modern("tools/list", authorization="Bearer token-of-a-viewer")
    assert answer.status_code == 403
    assert 'error="insufficient_scope", scope="act"' in answer.headers["www-authenticate"]
    assert (await http.modern("tools/list", authorization="bearer token-of-the-owner")).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::2]", ""])
async def test_a_foreign_host_is_refused_with_the_flag_that_allows_it(http: Http, host: str) -> None:
    answer = await http.modern("tools/list", host=host)
    assert answer.status_code == 403
    assert "--serve-allowed-hosts" in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:18789", "127.0.0.1:1", "[::1]:80", "agents.example:443"])
async def test_an_allowed_host_is_served(http: Http, host: str) -> None:
    assert (await http.modern("tools/list", host=host)).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "https://chat.example.evil.example", "https://chat.example:8443", "http:"],
)
async def test_a_foreign_origin_is_refused_with_the_flag_that_allows_it(http: Http, origin: str) -> None:
    answer = await http.modern("tools/list", origin=origin)
    assert answer.status_code == 403
    assert "--serve-allowed-origins" in answer.text


@pytest.mark.parametrize("origin", ["https://chat.example", "http://localhost:3000", "http://127.0.0.1"])
async def test_an_allowed_origin_is_served(http: Http, origin: str) -> None:
    assert (await http.modern("tools/list", origin=origin)).status_code == 200


async def test_a_page_of_an_allowed_origin_may_read_the_answers(http: Http) -> None:
    asked = {"access_control_request_method": "POST", "access_control_request_headers": "authorization, mcp-method"}
    before = await http.send("OPTIONS", origin="https://chat.example", authorization=None, **asked)
    assert before.status_code == 200
    assert before.headers["access-control-allow-origin"] == "https://chat.example"
    answer = await http.modern("tools/list", origin="https://chat.example")
    assert answer.headers["access-control-allow-origin"] == "https://chat.example"
    assert "Mcp-Session-Id" in answer.headers["access-control-expose-headers"]
    other = await http.send("OPTIONS", origin="https://evil.example", authorization=None, **asked)
    assert "access-control-allow-origin" not in other.headers


async def test_a_refusal_comes_before_the_token_is_looked_at(http: Http) -> None:
    assert (await http.modern("tools/list", host="evil.example", authorization=None)).status_code == 403


async def test_a_body_that_is_too_large_is_refused(http: Http) -> None:
    large = b'"' + b"x" * LIMITS.body_bytes + b'"'
    assert (await http.send("POST", large)).status_code == 413

    async def parts() -> Any:
        for _ in range(LIMITS.body_bytes // 2**16 + 1):
            yield b" " * 2**16

    headers = {"Authorization": "Bearer token-of-anna", "Content-Type": "application/json"}
    streamed = await http.client.post(http.url, content=parts(), headers=headers)
    assert streamed.status_code == 413
    assert (await http.modern("tools/list")).status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b"\xff", b"[" * 100_000])
async def test_a_body_that_is_not_json_is_a_parse_error(http: Http, body: bytes) -> None:
    answer = await http.send("POST", body, mcp_protocol_version="2026-07-28")
    assert (answer.status_code, code_of(answer), answer.json()["id"]) == (400, -32700, None)


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
async def test_a_body_of_another_type_is_refused(http: Http, kind: str | None) -> None:
    assert (await http.send("POST", rpc("ping"), content_type=kind)).status_code == 415


async def test_a_client_that_accepts_neither_json_nor_events_is_refused(http: Http) -> None:
    assert (await http.modern("tools/list", accept="text/html")).status_code == 406
    for accepted in ("application/json", "*/*", "application/*", "application/json;q=0.5, text/event-stream"):
        assert (await http.modern("tools/list", accept=accepted)).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS"])
async def test_other_methods_are_not_allowed(http: Http, method: str) -> None:
    answer = await http.send(method)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST, DELETE")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_revision_2026_07_28_has_only_post(http: Http, method: str) -> None:
    answer = await http.send(method, mcp_protocol_version="2026-07-28")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2099-01-01"},
        {"mcp_method": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": "TOOLS/CALL"},
        {"mcp_name": None},
        {"mcp_name": "browser_click"},
        {"mcp_name": "=?base64?!!!?="},
        {"mcp_param_session": "another"},
    ],
)
async def test_a_header_that_does_not_say_what_the_body_says_is_refused(
    http: Http, headers: dict[str, str | None]
) -> None:
    answer = await http.modern("tools/call", STATUS, **headers)
    assert (answer.status_code, code_of(answer), answer.json()["id"]) == (400, -32020, 1)


async def test_the_session_in_the_header_must_be_that_of_the_argument(http: Http) -> None:
    call = {"name": "browser_status", "arguments": {"session": "work"}}
    for header in (None, "other", "WORK", ""):
        assert code_of(await http.modern("tools/call", call, mcp_param_session=header)) == -32020
    for header in ("work", "=?base64?d29yaw==?="):
        answer = await http.modern("tools/call", call, mcp_param_session=header)
        assert answer.json()["result"]["structuredContent"]["error"]["code"] == "not_open"


async def test_a_header_that_appears_twice_is_refused(http: Http) -> None:
    params = {"_meta": {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}}
    headers = [
        ("Authorization", "Bearer token-of-anna"),
        ("Content-Type", "application/json"),
        ("Mcp-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", "tools/call"),
    ]
    answer = await http.client.post(http.url, json=rpc("tools/list", params), headers=headers)
    assert code_of(answer) == -32020


@pytest.mark.parametrize(
    "meta",
    [
        None,
        7,
        {},
        {META + "protocolVersion": "2026-07-28"},
        {META + "clientCapabilities": {}},
        {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": []},
        {META + "protocolVersion": 20260728, META + "clientCapabilities": {}},
    ],
)
async def test_missing_or_wrong_request_metadata_is_refused(http: Http, meta: Any) -> None:
    answer = await http.modern("tools/list", {"_meta": meta})
    assert (answer.status_code, code_of(answer), answer.json()["id"]) == (400, -32602, 1)


async def test_an_unknown_revision_is_refused_with_the_supported_ones(http: Http) -> None:
    meta = {META + "protocolVersion": "2099-01-01", META + "clientCapabilities": {}}
    answer = await http.modern("tools/list", {"_meta": meta}, mcp_protocol_version="2099-01-01")
    assert (answer.status_code, code_of(answer)) == (400, -32022)
    assert "2026-07-28" in answer.json()["error"]["data"]["supported"]


@pytest.mark.parametrize("method", ["unknown/method", "initialize", "ping", "prompts/list", "subscriptions/listen"])
async def test_an_unknown_method_is_not_found(http: Http, method: str) -> None:
    answer = await http.modern(method)
    assert (answer.status_code, code_of(answer)) == (404, -32601)


@pytest.mark.parametrize("body", [[], [rpc("tools/list")], 7, {"id": 1, "result": {}}, rpc("tools/list", identity=1.5)])  # type: ignore[arg-type]
async def test_a_body_that_is_not_one_request_is_refused(http: Http, body: Any) -> None:
    answer = await http.send("POST", body, mcp_protocol_version="2026-07-28", mcp_method="tools/list")
    assert (answer.status_code, code_of(answer)) == (400, -32600)


async def test_a_notification_is_acknowledged(http: Http) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    answer = await http.send("POST", message, mcp_protocol_version="2026-07-28")
    assert (answer.status_code, answer.content) == (202, b"")


async def test_an_answer_is_json_and_progress_makes_it_a_stream(http: Http, site: Site) -> None:
    plain = await http.modern("tools/call", STATUS)
    assert plain.headers["content-type"] == "application/json"
    meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}, "progressToken": "p"}
    steps = [{"action": "navigate", "url": site.page("/", "<p>Text</p>")}, {"action": "extract", "target": "p"}]
    call = {"name": "browser_batch", "arguments": {"steps": steps}, "_meta": meta}
    streamed = await http.modern("tools/call", call)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert streamed.headers["x-accel-buffering"] == "no"
    *progress, last = events_in(streamed)
    assert {each["method"] for each in progress} == {"notifications/progress"}
    assert last["id"] == 1
    alone = await http.modern("tools/call", call, accept="application/json")
    assert alone.headers["content-type"] == "application/json"
    assert alone.json()["result"]["resultType"] == "complete"


async def test_closing_the_response_cancels_the_call(http: Http, site: Site, sessions: Sessions) -> None:
    await http.modern("tools/call", {"name": "browser_navigate", "arguments": {"url": site.page("/", "<p>Hi</p>")}})
    (name,) = [known["session"] for known in sessions.sessions()]
    wait = {"name": "browser_wait", "arguments": {"text": "Never", "timeout": 120}}
    waiting = asyncio.ensure_future(http.modern("tools/call", wait))
    async with asyncio.timeout(20):
        while not sessions.session(name).running_calls:
            await asyncio.sleep(0.01)
        waiting.cancel()
        while sessions.session(name).running_calls:
            await asyncio.sleep(0.01)


async def test_a_token_with_too_many_requests_at_once_is_refused_and_others_are_not(http: Http) -> None:
    names = [await http.open() for _ in range(LIMITS.requests_at_once)]
    listening = [asyncio.ensure_future(http.send("GET", mcp_session_id=name)) for name in names]
    async with asyncio.timeout(20):
        while (await http.modern("tools/list")).status_code != 429:
            await asyncio.sleep(0.01)
        assert (await http.modern("tools/list", authorization="Bearer token-of-bea")).status_code == 200
        for each in listening:
            each.cancel()
        while (await http.modern("tools/list")).status_code != 200:
            await asyncio.sleep(0.01)


async def test_a_connection_of_an_older_revision_lives_from_initialize_to_delete(http: Http) -> None:
    name = await http.open()
    told = await http.send("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, mcp_session_id=name)
    assert told.status_code == 202
    listed = await http.send("POST", rpc("tools/list"), mcp_session_id=name, mcp_protocol_version="2025-11-25")
    assert listed.json()["result"]["tools"]
    missing = await http.send("POST", rpc("unknown/method"), mcp_session_id=name)
    assert (missing.status_code, code_of(missing)) == (200, -32601)
    assert (await http.send("DELETE", mcp_session_id=name)).status_code == 204
    for method in ("POST", "GET", "DELETE"):
        assert (await http.send(method, rpc("tools/list"), mcp_session_id=name)).status_code == 404


async def test_a_request_without_a_connection_says_how_to_open_one(http: Http) -> None:
    answer = await http.send("POST", rpc("tools/list"))
    assert (answer.status_code, code_of(answer), answer.json()["id"]) == (400, -32602, 1)
    assert "initialize" in answer.json()["error"]["message"]


async def test_the_connection_of_another_token_is_not_found(http: Http) -> None:
    name = await http.open()
    for method in ("POST", "GET", "DELETE"):
        answer = await http.send(
            method, rpc("tools/list"), mcp_session_id=name, authorization="Bearer token-of-bea", accept="*/*"
        )
        assert answer.status_code == 404
    assert (await http.send("POST", rpc("ping"), mcp_session_id=name)).status_code == 200


async def test_a_batch_of_an_older_revision_is_answered_whole(http: Http) -> None:
    name = await http.open()
    batch = [rpc("ping", identity=1), rpc("tools/list", identity="two")]
    streamed = await http.send("POST", batch, mcp_session_id=name)
    assert {each["id"] for each in events_in(streamed)} == {1, "two"}
    plain = await http.send("POST", batch, mcp_session_id=name, accept="application/json")
    assert {each["id"] for each in plain.json()} == {1, "two"}


async def test_a_client_of_an_older_revision_can_listen_until_its_connection_ends(http: Http) -> None:
    name = await http.open()
    headers = {"Authorization": "Bearer token-of-anna", "Mcp-Session-Id": name, "Accept": "text/event-stream"}
    async with asyncio.timeout(20), http.client.stream("GET", http.url, headers=headers) as listening:
        assert listening.status_code == 200
        assert listening.headers["content-type"].startswith("text/event-stream")
        assert (await http.send("GET", mcp_session_id=name)).status_code == 409
        await http.send("DELETE", mcp_session_id=name)
        await listening.aread()
    assert (await http.send("GET", mcp_session_id=await http.open(), accept="application/json")).status_code == 406


async def test_a_cancelled_request_of_an_older_revision_ends_without_an_answer(http: Http, site: Site) -> None:
    name = await http.open()
    wait = {"name": "browser_wait", "arguments": {"text": "Never", "timeout": 120}}
    waiting = asyncio.ensure_future(http.send("POST", rpc("tools/call", wait, 7), mcp_session_id=name))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    async with asyncio.timeout(20):
        while not waiting.done():
            await http.send("POST", cancel, mcp_session_id=name)
    assert waiting.result().status_code == 202


@pytest.mark.parametrize("name", ["", "default", "x" * 65, "a/b", "%E2%80%AE"])
async def test_a_url_cannot_name_a_default_session_that_is_not_a_name_of_its_own(http: Http, name: str) -> None:
    answer = await Http(f"{http.url}?session={name}", http.client).modern("tools/list")
    assert answer.status_code == 400
