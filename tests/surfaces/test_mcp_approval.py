"""Approval through the MCP client: the SDK's client and a real server process, in both eras."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
)
from tests.mcp_clients import text_of
from tests.site import Site
from tests.surfaces.approving_clients import (
    ACCEPT,
    ERAS,
    PAGE,
    REMEMBER,
    Person,
    answered,
    call_that_asks,
    client_of,
    connected,
)
from tests.surfaces.test_mcp import error_of

# For what the revision of the protocol does not change.
ONE_ERA = [pytest.param(ERAS[0], marks=pytest.mark.slow), ERAS[1]]


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


@pytest.fixture(scope="module")
async def approving_clients(home: Path) -> AsyncGenerator[dict[str, tuple[Client, Person]]]:
    """A client of each era that can ask a person."""
    async with client_of(home, ERAS[0]) as old, client_of(home, ERAS[1]) as new:
        yield dict(zip(ERAS, (old, new), strict=True))


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_client_that_cannot_ask_is_denied_with_a_hint(home: Path, site: Site, mode: str) -> None:
    async with connected(home, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        error = error_of(await client.call_tool("browser_click", {"target": "button"}))
    assert error["code"] == "denied"
    for words in ("approving_clients.toml", 'action = "click"', f'origin = "{site.url("")}"', "--approve terminal"):
        assert words in error["hint"]
    assert site.asked("/pressed") == []


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_the_owner_can_forbid_asking_the_client(home: Path, site: Site, mode: str) -> None:
    person = Person(ACCEPT)
    async with connected(home, mode, person, "--approve", "none") as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        assert error_of(await client.call_tool("browser_click", {"target": "button"}))["code"] == "denied"
    assert (person.shown, site.asked("/pressed")) == ([], [])


@pytest.mark.parametrize("mode", ONE_ERA)
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


@pytest.mark.parametrize("mode", ONE_ERA)
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
