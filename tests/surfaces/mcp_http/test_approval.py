"""Approval of calls over HTTP: by the client's user, or by people at the gateway, to which a client is given a link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult
from tests.site import OWN_SITES, Site
from tests.surfaces.approving_clients import ACCEPT, DECLINE, PAGE, Person, answered, call_that_asks
from tests.surfaces.mcp_http.serving import TOKENS, connected, serving
from tests.surfaces.test_mcp import error_of

from rove import ApprovalAnswer, PolicyRule, RulePolicy
from rove.engine import gate
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings
from rove.surfaces.gateway.approvals import ApprovalInbox, Decision
from rove.surfaces.gateway.events import Events
from rove.surfaces.mcp import request
from rove.surfaces.mcp.http_endpoint import browser_endpoint
from rove.toolsets.toolset import catalogue_toolset

ERAS = ["legacy", "2026-07-28"]
# For what the revision of the protocol does not change.
ONE_ERA = [pytest.param(ERAS[0], marks=pytest.mark.slow), ERAS[1]]
CLICK = {"target": "button"}
YES = Decision(ApprovalAnswer.ONCE, "the owner")
NO = Decision(ApprovalAnswer.NO, "the owner", "not today")


@dataclass(frozen=True)
class Gateway:
    """An endpoint with an inbox."""

    url: str
    inbox: ApprovalInbox

    async def request(self) -> str:
        """Wait for the only request in the inbox and return its id."""
        async with asyncio.timeout(20):
            while not self.inbox.pending:
                await asyncio.sleep(0.01)
        (waiting,) = self.inbox.pending
        name: str = waiting["approvalId"]
        return name


@pytest.fixture(scope="module")
async def approved_sessions(home: Path) -> AsyncGenerator[Sessions]:
    deadlines = Deadlines(action=30, launch=60, approval=30)
    settings = Settings(home=home / "approving", allow_host=OWN_SITES, deadlines=deadlines)
    async with Sessions(settings, RulePolicy((PolicyRule("ask", action=("click",)),))) as sessions:
        sessions.start_early()
        yield sessions


@pytest.fixture
async def gateway(approved_sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Gateway]:
    monkeypatch.setattr(request, "LINK_SECONDS", 0.2)
    monkeypatch.setattr(gate, "MAX_PER_MINUTE", 1000)  # the tests share their sessions, and ask more often
    inbox = ApprovalInbox(Events(), 30, "http://gateway.example/#/approvals/{}".format)
    endpoint = browser_endpoint(approved_sessions, catalogue_toolset(), TOKENS, inbox)
    async with serving(endpoint) as url:
        yield Gateway(f"{url}/mcp", inbox)
        await endpoint.close()
    for known in approved_sessions.sessions():
        await approved_sessions.close_session(known["session"])


@pytest.mark.parametrize("mode", ERAS)
async def test_the_answer_of_the_clients_user_counts_and_ends_the_request(
    gateway: Gateway, site: Site, mode: str
) -> None:
    person = Person(ACCEPT, DECLINE)
    async with connected(gateway.url, mode, elicitation_callback=person) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        assert not (await client.call_tool("browser_click", CLICK)).is_error
        assert error_of(await client.call_tool("browser_click", CLICK))["code"] == "denied"
    assert len(person.shown) == 2
    assert len(site.asked("/pressed")) == 1
    assert gateway.inbox.pending == []


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_whose_token_may_not_approve_cannot_answer_its_own_question(
    gateway: Gateway, site: Site, mode: str
) -> None:
    person = Person(ACCEPT)
    async with connected(gateway.url, mode, "token-of-an-agent", elicitation_callback=person) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        linked = error_of(await client.call_tool("browser_click", CLICK))
        assert f"/approvals/{await gateway.request()}" in linked["message"]
    assert not person.shown and not site.asked("/pressed")


async def test_an_answer_at_the_gateway_counts_while_the_client_still_asks(gateway: Gateway, site: Site) -> None:
    shown, withdrawn = anyio.Event(), anyio.Event()

    async def never_answers(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            withdrawn.set()
        return DECLINE

    async with connected(gateway.url, "legacy", elicitation_callback=never_answers) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        click = asyncio.ensure_future(client.call_tool("browser_click", CLICK))
        async with asyncio.timeout(20):
            await shown.wait()
            gateway.inbox.decide(await gateway.request(), YES)
            assert not (await click).is_error
            await withdrawn.wait()
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize("late", [DECLINE, ACCEPT])
async def test_a_call_that_was_approved_at_the_gateway_gives_its_outcome_to_the_client_that_comes_back(
    gateway: Gateway, site: Site, late: ElicitResult
) -> None:
    async with connected(gateway.url, "2026-07-28", elicitation_callback=Person(DECLINE)) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        question = await call_that_asks(client, "browser_click", CLICK)
        gateway.inbox.decide(await gateway.request(), YES)
        result = await client.session.call_tool(
            "browser_click", CLICK, input_responses=answered(late), request_state=question.request_state
        )
        assert not result.is_error
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_client_that_cannot_ask_gets_the_link_and_its_next_call_takes_the_decision(
    gateway: Gateway, site: Site, mode: str
) -> None:
    async with connected(gateway.url, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        for _ in range(2):
            error = error_of(await client.call_tool("browser_click", CLICK))
            assert error["code"] == "denied"
            name = await gateway.request()
            assert f"http://gateway.example/#/approvals/{name}" in error["message"]
        gateway.inbox.decide(name, YES)
        assert site.asked("/pressed") == []
        assert not (await client.call_tool("browser_click", CLICK)).is_error
        assert len(site.asked("/pressed")) == 1
        assert error_of(await client.call_tool("browser_click", CLICK))["code"] == "denied"  # asked anew
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_client_that_cannot_ask_is_told_the_reason_of_a_no(gateway: Gateway, site: Site, mode: str) -> None:
    async with connected(gateway.url, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        await client.call_tool("browser_click", CLICK)
        gateway.inbox.decide(await gateway.request(), NO)
        error = error_of(await client.call_tool("browser_click", CLICK))
    assert "not today" in error["message"]
    assert site.asked("/pressed") == []


async def test_a_state_is_of_no_use_to_another_token(gateway: Gateway, site: Site) -> None:
    person = Person(ACCEPT)
    async with (
        connected(gateway.url, "2026-07-28", elicitation_callback=person) as anna,
        connected(gateway.url, "2026-07-28", "token-of-bea", elicitation_callback=person) as bea,
    ):
        await anna.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        question = await call_that_asks(anna, "browser_click", CLICK)
        with pytest.raises(MCPError) as caught:
            await bea.session.call_tool(
                "browser_click", CLICK, input_responses=answered(ACCEPT), request_state=question.request_state
            )
        assert caught.value.error.code == -32602
    assert site.asked("/pressed") == []
