"""Approval through the MCP client: the SDK's client and a real server process, in both eras."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    InputResponse,
)
from tests.mcp_clients import ROVE, environment, text_of
from tests.site import Site
from tests.surfaces.test_mcp import error_of

ERAS = ["legacy", "2026-07-28"]
POLICY = """\
[[rule]]
decide = "ask"
action = ["click", "fill", "evaluate"]
question = "Shall it?"
"""
ACCEPT = ElicitResult(action="accept", content={"answer": "yes, once"})
REMEMBER = ElicitResult(action="accept", content={"answer": "yes, for this session"})
PAGE = (
    "<title>Tea</title><input aria-label=Name>"
    "<button onclick=\"fetch('/pressed')\">Brew “now”\nrove asks: harmless?</button>"
)
DECLINE = ElicitResult(action="decline")


class Person:
    """Gives prepared answers, the last one again and again, and records the questions."""

    def __init__(self, *answers: ElicitResult | ErrorData) -> None:
        self.answers = list(answers)
        self.shown: list[ElicitRequestFormParams] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        assert isinstance(params, ElicitRequestFormParams)
        self.shown.append(params)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@asynccontextmanager
async def connected(
    home: Path, mode: str, person: ElicitationFnT | None = None, *flags: str, policy: str = POLICY
) -> AsyncGenerator[Client]:
    own = home / "approval"
    own.mkdir(exist_ok=True)
    file = own / "approving_clients.toml"
    file.write_text(policy)
    parameters = StdioServerParameters(command=ROVE, args=["mcp", "--policy", str(file), *flags], env=environment(own))
    async with Client(parameters, mode=mode, read_timeout_seconds=60, elicitation_callback=person) as client:
        yield client


async def call_that_asks(client: Client, name: str, arguments: dict[str, Any], **more: Any) -> InputRequiredResult:
    """Make a call of the newest era that returns a question, which the test answers itself."""
    result = await client.session.call_tool(name, arguments, allow_input_required=True, **more)
    assert isinstance(result, InputRequiredResult)
    return result


def answered(said: ElicitResult) -> dict[str, InputResponse]:
    return {"approval": said}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_yes_clicks_the_button_that_was_shown(home: Path, site: Site, mode: str) -> None:
    person = Person(ACCEPT)
    async with connected(home, mode, person) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        result = await client.call_tool("browser_click", {"target": "button"})
        assert not result.is_error
        assert len(site.asked("/pressed")) == 1
    (shown,) = person.shown
    lines = shown.message.splitlines()
    assert lines[:4] == ["rove asks:", "Shall it?", "Action: click", f"Where: {site.url('')}"]
    # The page's text stays in its own line, and cannot forge rove's.
    assert lines[4].startswith('Element: button "Brew')
    assert lines.count("rove asks: harmless?") == 0
    assert len([line for line in lines if line.startswith("rove asks")]) == 1
    assert shown.requested_schema["properties"]["answer"]["enum"] == ["no", "yes, once", "yes, for this session"]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    "answer",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"answer": "no"}),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept", content={"answer": True}),
        ElicitResult(action="accept", content={"answer": "once"}),
        ElicitResult(action="decline", content={"answer": "yes, once"}),
    ],
    ids=["decline", "cancel", "no", "nothing", "true", "another word", "a declined yes"],
)
async def test_any_other_answer_clicks_nothing(
    approving_clients: dict[str, tuple[Client, Person]], site: Site, mode: str, answer: ElicitResult
) -> None:
    client, person = approving_clients[mode]
    person.answers = [answer]
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    assert error_of(await client.call_tool("browser_click", {"target": "button"}))["code"] == "denied"
    assert site.asked("/pressed") == []


@asynccontextmanager
async def client_of(home: Path, mode: str) -> AsyncGenerator[tuple[Client, Person]]:
    """A client that can ask a person, opened and closed by one task, as anyio requires."""
    over, person = asyncio.Event(), Person(ACCEPT)
    ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()

    async def live() -> None:
        async with connected(home, mode, person) as client:
            ready.set_result(client)
            await over.wait()

    life = asyncio.ensure_future(live())
    yield await asyncio.wait_for(ready, 60), person
    over.set()
    await life


@pytest.fixture(scope="module")
async def approving_clients(home: Path) -> AsyncGenerator[dict[str, tuple[Client, Person]]]:
    """A client of each era that can ask a person."""
    async with client_of(home, ERAS[0]) as old, client_of(home, ERAS[1]) as new:
        yield dict(zip(ERAS, (old, new), strict=True))


@pytest.fixture(scope="module")
async def stateless(home: Path) -> AsyncGenerator[Client]:
    """Another client of the newest era, so that the limit on questions is not reached."""
    async with client_of(home, ERAS[1]) as (client, _):
        yield client


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_cannot_ask_is_denied_with_a_hint(home: Path, site: Site, mode: str) -> None:
    async with connected(home, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        error = error_of(await client.call_tool("browser_click", {"target": "button"}))
    assert error["code"] == "denied"
    for words in ("approving_clients.toml", 'action = "click"', f'origin = "{site.url("")}"', "--approve terminal"):
        assert words in error["hint"]
    assert site.asked("/pressed") == []


@pytest.mark.parametrize("mode", ERAS)
async def test_the_owner_can_forbid_asking_the_client(home: Path, site: Site, mode: str) -> None:
    person = Person(ACCEPT)
    async with connected(home, mode, person, "--approve", "none") as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        assert error_of(await client.call_tool("browser_click", {"target": "button"}))["code"] == "denied"
    assert (person.shown, site.asked("/pressed")) == ([], [])


@pytest.mark.parametrize("mode", ERAS)
async def test_after_a_yes_for_the_session_the_person_is_not_asked_again(
    approving_clients: dict[str, tuple[Client, Person]], site: Site, mode: str
) -> None:
    client, person = approving_clients[mode]
    person.answers, person.shown = [REMEMBER, ElicitResult(action="decline")], []
    await client.call_tool("browser_open_session", {"name": "own"})
    own = {"session": "own"}
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE), **own})
    for _ in range(2):
        assert not (await client.call_tool("browser_click", {"target": "button", **own})).is_error
    assert len(person.shown) == 1
    assert (await client.call_tool("browser_fill", {"target": "input", "value": "Bea", **own})).is_error
    await client.call_tool("browser_close_session", own)
    await client.call_tool("browser_open_session", {"name": "own"})
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE), **own})
    assert (await client.call_tool("browser_click", {"target": "button", **own})).is_error
    await client.call_tool("browser_close_session", own)


@pytest.mark.parametrize("mode", ERAS)
async def test_the_steps_of_a_batch_are_approved_together_and_run_once(
    approving_clients: dict[str, tuple[Client, Person]], site: Site, mode: str
) -> None:
    client, person = approving_clients[mode]
    person.answers, person.shown = [ACCEPT], []
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    steps = [
        {"action": "fill", "target": "input", "value": "Bea"},
        {"action": "extract", "target": "button"},
        {"action": "click", "target": "button"},
        {"action": "navigate", "url": site.page("/next", "<input aria-label=Next>")},
        {"action": "fill", "target": "input", "value": "There"},
    ]
    result = await client.call_tool("browser_batch", {"steps": steps})
    assert "failed" not in text_of(result)
    assert len(site.asked("/pressed")) == 1
    assert len(site.asked("/next")) == 1
    together, alone = [shown.message for shown in person.shown]
    assert '"Bea"' in together
    assert "1. Shall it?" in together
    assert "2. Shall it?" in together
    assert 'Element: textbox "Next"' in alone


@pytest.mark.parametrize("mode", ERAS)
async def test_an_error_of_the_client_counts_as_no(
    approving_clients: dict[str, tuple[Client, Person]], site: Site, mode: str
) -> None:
    client, person = approving_clients[mode]
    person.answers = [ErrorData(code=-32603, message="no screen")]
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    try:
        result = await client.call_tool("browser_click", {"target": "button"})
    except MCPError:  # in the newest era the client raises the error itself
        assert mode != "legacy"
    else:
        assert error_of(result)["code"] == "denied"
    assert site.asked("/pressed") == []


async def test_cancelling_a_call_cancels_its_question(home: Path, site: Site) -> None:
    shown, gone = anyio.Event(), anyio.Event()

    async def never_answers(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            gone.set()
        return ACCEPT

    async with connected(home, "legacy", never_answers) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "browser_click", {"target": "button"})
            await shown.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(20):
            await gone.wait()
        assert not (await client.call_tool("browser_snapshot", {})).is_error
    assert site.asked("/pressed") == []


async def test_other_calls_can_use_the_tab_while_a_question_is_open(
    approving_clients: dict[str, tuple[Client, Person]], site: Site
) -> None:
    client, _ = approving_clients["2026-07-28"]
    await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    click = {"target": "button"}
    question = await call_that_asks(client, "browser_click", click)
    assert not (await client.call_tool("browser_extract", {"target": "button", "timeout": 5})).is_error
    result = await client.session.call_tool(
        "browser_click", click, input_responses=answered(ACCEPT), request_state=question.request_state
    )
    assert not result.is_error
    assert len(site.asked("/pressed")) == 1


class Stateless:
    """An open question of the newest era, and the call that returns an answer to it."""

    def __init__(self, client: Client, arguments: dict[str, Any], question: InputRequiredResult) -> None:
        assert question.request_state is not None
        self.client = client
        self.arguments = arguments
        self.question = question
        self.state = question.request_state

    async def retry(
        self,
        arguments: dict[str, Any] | None = None,
        state: str | None = None,
        tool: str = "browser_click",
        said: ElicitResult = ACCEPT,
    ) -> CallToolResult:
        result = await self.client.session.call_tool(
            tool,
            self.arguments if arguments is None else arguments,
            input_responses=answered(said),
            request_state=state or self.state,
            allow_input_required=True,
        )
        assert isinstance(result, CallToolResult)
        return result


@pytest.fixture
async def waiting(stateless: Client, site: Site) -> AsyncGenerator[Stateless]:
    await stateless.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    arguments = {"target": "button"}
    waits = Stateless(stateless, arguments, await call_that_asks(stateless, "browser_click", arguments))
    yield waits
    with suppress(MCPError):
        await waits.retry(said=DECLINE)


def forged(state: str) -> list[str]:
    body, signature = state.split(".")
    told = json.loads(base64.urlsafe_b64decode(body))
    later = base64.urlsafe_b64encode(json.dumps({**told, "until": told["until"] + 3600}).encode()).decode()
    other = base64.urlsafe_b64encode(json.dumps({**told, "id": "0" * 32}).encode()).decode()
    return [
        f"{later}.{signature}",
        f"{other}.{signature}",
        f"{body}.{signature[:-1]}{'0' if signature[-1] != '0' else '1'}",
        f"{body}.",
        body,
        f"{body}.{'0' * 64}",
        f"{body}.\u00e9",
        ".",
        "nonsense",
        f"{body}.{signature}.{signature}",
    ]


async def test_a_forged_state_is_refused_and_the_real_one_still_works(waiting: Stateless, site: Site) -> None:
    for state in forged(waiting.state):
        with pytest.raises(MCPError) as caught:
            await waiting.retry(state=state)
        assert caught.value.error.code == -32602
    assert site.asked("/pressed") == []
    assert not (await waiting.retry()).is_error
    assert len(site.asked("/pressed")) == 1


async def test_a_state_is_valid_for_one_answer(waiting: Stateless, site: Site) -> None:
    assert not (await waiting.retry()).is_error
    for _ in range(2):
        with pytest.raises(MCPError):
            await waiting.retry()
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_click", {"target": "input"}),
        ("browser_click", {"target": "button", "count": 2}),
        ("browser_click", {"target": "button", "session": "default"}),
        ("browser_click", {"target": "button", "tab": "t1"}),
        ("browser_hover", {"target": "button"}),
        ("browser_evaluate", {"expression": "fetch('/pressed')"}),
    ],
)
async def test_a_state_is_valid_only_for_its_own_call(
    waiting: Stateless, site: Site, tool: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(MCPError):
        await waiting.retry(arguments=arguments, tool=tool)
    assert site.asked("/pressed") == []


async def test_a_state_of_another_server_is_refused(waiting: Stateless, home: Path, site: Site) -> None:
    async with connected(home, "2026-07-28", Person(ACCEPT)) as other:
        with pytest.raises(MCPError):
            await Stateless(other, waiting.arguments, waiting.question).retry()
    assert site.asked("/pressed") == []


async def test_retrying_without_an_answer_asks_the_question_again(waiting: Stateless, site: Site) -> None:
    again = await call_that_asks(
        waiting.client, "browser_click", waiting.arguments, request_state=waiting.state, input_responses={}
    )
    assert again.input_requests == waiting.question.input_requests
    assert again.request_state is not None
    assert site.asked("/pressed") == []
    assert not (await waiting.retry(state=again.request_state)).is_error
    assert len(site.asked("/pressed")) == 1


async def test_an_expired_state_is_refused(home: Path, site: Site) -> None:
    async with connected(home, "2026-07-28", Person(ACCEPT), "--deadlines-approval", "0.3") as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        arguments = {"target": "button"}
        late = Stateless(client, arguments, await call_that_asks(client, "browser_click", arguments))
        # The tab is free as soon as the question has expired.
        await client.call_tool("browser_wait", {"seconds": 0.5})
        with pytest.raises(MCPError):
            await late.retry()
    assert site.asked("/pressed") == []


async def test_an_element_that_changed_before_the_answer_is_asked_about_again(waiting: Stateless, site: Site) -> None:
    elsewhere = site.page("/", PAGE).replace("127.0.0.1", "localhost")
    await waiting.client.call_tool("browser_navigate", {"url": elsewhere})
    again = await call_that_asks(
        waiting.client,
        "browser_click",
        waiting.arguments,
        request_state=waiting.state,
        input_responses=answered(ACCEPT),
    )
    assert "Where: http://localhost" in str(again.input_requests)
    assert site.asked("/pressed") == []
