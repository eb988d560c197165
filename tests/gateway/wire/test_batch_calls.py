"""Calls of the tool `browser` over WebSocket: one question for each, whichever way the toolset `batch` was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.batches import POLICY
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway
from tests.site import OWN_SITES, Site

PAGE = "<title>Tea</title><h1>The tea room</h1><button onclick=\"this.textContent = 'Brewed'\">Brew</button>"
LINKED = "<a href=/next>Next</a>"
# What the scripted model does at an address.
CALLED = ["tool.call", "exec.approval_request", "exec.approval_resolved", "tool.progress", "tool.progress"]
TOLD = [*CALLED, "tool.result", "chat.final"]


@pytest.fixture(scope="module", params=[None, "batch"], ids=["default", "batch"])
async def gateway(request: pytest.FixtureRequest) -> AsyncGenerator[RunningGateway]:
    async with running_gateway(toolset=request.param, allow_host=OWN_SITES) as running:
        yield running


@pytest.fixture(scope="module", params=[None, "batch"], ids=["default", "batch"])
async def asking_gateway(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[RunningGateway]:
    """A gateway whose policy asks about some of the steps, and denies others."""
    policy: Path = tmp_path_factory.mktemp("policy") / "policy.toml"
    policy.write_text(POLICY)
    async with running_gateway(toolset=request.param, policy=policy, allow_host=OWN_SITES) as running:
        yield running


async def approved_call(client: GatewayClient, session: str, *actions: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Call the tool and say yes to every question; return the result, and how many questions there were."""
    before = len(client.events)

    def asked() -> list[dict[str, Any]]:
        events = client.events[before:]
        return [event["data"] for event in events if event["event"] == "exec.approval_request"]

    async def approve() -> None:
        answered = 0
        while True:
            question = await client.next_event("exec.approval_request", before, answered)
            answered += 1
            await client.call("exec.approve", approvalId=question["approvalId"])

    approving = asyncio.ensure_future(approve())
    arguments = {"actions": list(actions)}
    result = await client.call("tools.call", name="browser", arguments=arguments, sessionKey=session)
    approving.cancel()
    return result, len(asked())


async def browse(gateway: RunningGateway, url: str) -> list[str]:
    """Be one client: send a message, approve the call, and return the names of the run's events, in order."""
    async with gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        message = f"Go to {url} and take a screenshot"
        run = (await client.call("chat.send", sessionKey=key, message=message))["runId"]
        question = await client.event("exec.approval_request", runId=run)
        await client.call("exec.approve", approvalId=question["approvalId"])
        final = await client.event("chat.final", runId=run)
        assert [each["mimeType"] for each in final["attachments"]] == ["image/png"]
        await client.call("sessions.close", sessionKey=key)
        own = [event for event in client.events if event["data"].get("sessionKey") == key]
        named = [event["event"] for event in own if event["event"] in TOLD]
        progress = [event["data"]["message"] for event in own if event["event"] == "tool.progress"]
        assert progress == [f"Navigating to {url}...", "Taking screenshot..."]
        return named


@pytest.mark.contract("A2", "A3", "A7")
async def test_clients_that_browse_at_once_all_get_all_events_in_order(gateway: RunningGateway, site: Site) -> None:
    url = site.page("/tea", PAGE)
    assert await asyncio.gather(*(browse(gateway, url) for _ in range(5))) == [TOLD] * 5


@pytest.mark.slow
@pytest.mark.contract("A2", "A3", "A7")
@pytest.mark.parametrize("toolset", [None, "batch"])
async def test_twenty_clients_that_browse_at_once_all_get_all_events(site: Site, toolset: str | None) -> None:
    url = site.page("/tea", PAGE)
    limits: dict[str, Any] = {"limits__sessions": 20, "serve__requests_per_second": 200}
    async with running_gateway(toolset=toolset, allow_host=OWN_SITES, **limits) as gateway:
        assert await asyncio.gather(*(browse(gateway, url) for _ in range(20))) == [TOLD] * 20


@pytest.mark.contract("A2")
async def test_25_approved_calls_in_a_row_are_each_asked_about_once_and_run(
    gateway: RunningGateway, site: Site
) -> None:
    async with gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        await approved_call(client, key, {"type": "navigate", "url": site.page("/tea", PAGE)})
        for _ in range(24):
            result, questions = await approved_call(client, key, {"type": "extract", "selector": "h1"})
            assert result["ok"] and questions == 1, result["text"]
        await client.call("sessions.close", sessionKey=key)


@pytest.mark.contract("A2")
async def test_a_step_that_was_shown_is_not_asked_about_again_by_the_policy(
    asking_gateway: RunningGateway, site: Site
) -> None:
    async with asking_gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        navigate = {"type": "navigate", "url": site.page("/tea", PAGE)}
        script = {"type": "evaluate", "expression": "1 + 1"}
        assert await _questions(client, key, navigate, script) == 1
        # The button is on the page now, so that the question shows it. A second click has not been looked at: the
        # first one changed it.
        click = {"type": "click", "selector": "button"}
        assert await _questions(client, key, click, script) == 1
        assert await _questions(client, key, click, {"type": "evaluate", "expression": "2 + 2"}) == 1
        await client.call("sessions.close", sessionKey=key)


@pytest.mark.contract("A2")
async def test_what_was_not_shown_of_a_step_is_asked_about(asking_gateway: RunningGateway, site: Site) -> None:
    url = site.page("/tea", PAGE)
    site.page("/next", PAGE)
    site.page("/moved", "", status=302, headers={"Location": url.replace("127.0.0.1", "localhost")})
    async with asking_gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        navigate, click = {"type": "navigate", "url": url}, {"type": "click", "selector": "button"}
        assert await _questions(client, key, navigate, click) == 2  # the element was not there yet
        links = {"type": "navigate", "url": site.page("/linked", LINKED)}
        assert await _questions(client, key, links) == 1
        assert await _questions(client, key, {"type": "click", "selector": "a"}) == 2  # the link was not shown
        moved = {"type": "navigate", "url": site.url("/moved")}
        script = {"type": "evaluate", "expression": "1 + 1"}
        assert await _questions(client, key, moved, script) == 2  # the script is on another origin
        await client.call("sessions.close", sessionKey=key)


@pytest.mark.contract("A2")
async def test_a_step_that_the_policy_denies_stays_denied(asking_gateway: RunningGateway, site: Site) -> None:
    async with asking_gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        navigate = {"type": "navigate", "url": site.page("/tea", PAGE)}
        result, questions = await approved_call(client, key, navigate, {"type": "hover", "selector": "button"})
        assert not result["ok"] and "does not allow `hover`" in result["text"]
        assert questions == 1
        await client.call("sessions.close", sessionKey=key)


async def _questions(client: GatewayClient, session: str, *actions: dict[str, Any]) -> int:
    result, questions = await approved_call(client, session, *actions)
    assert result["ok"], result["text"]
    return questions
