"""MCP at the gateway: its tokens, its inbox and its sessions, with the SDK's client beside a WebSocket client."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult
from tests.gateway.clients import running_gateway
from tests.mcp_clients import text_of
from tests.site import OWN_SITES, Site
from tests.surfaces.approving_clients import ACCEPT, DECLINE, PAGE
from tests.surfaces.mcp_http.conftest import Http
from tests.surfaces.mcp_http.serving import connected
from tests.surfaces.test_mcp import error_of

from rove.surfaces.mcp import request

ASKING = """\
[[rule]]
decide = "ask"
action = "click"
"""


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.slow), "2026-07-28"])
async def test_an_mcp_client_is_watched_and_approved_by_the_owner(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(request, "LINK_SECONDS", 0.2)
    policy = tmp_path / "policy.toml"
    policy.write_text(ASKING)
    async with running_gateway(allow_host=OWN_SITES, policy=policy) as running, running.client() as owner:
        made = await owner.call("tokens.create", scopes=["act"], label="an agent")
        url = f"http://localhost:{running.port}/mcp"
        async with connected(url, mode, made["token"]) as agent:
            page = await agent.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
            assert "Brew" in text_of(page)
            (listed,) = (await owner.call("sessions.list"))["sessions"]
            assert listed["sessionKey"].startswith("sdk-")
            linked = error_of(await agent.call_tool("browser_click", {"target": "button"}))
            asked = await owner.event("exec.approval_request", sessionKey=listed["sessionKey"])
            assert f"/approvals/{asked['approvalId']}" in linked["message"]
            await owner.call("exec.approve", approvalId=asked["approvalId"])
            assert not (await agent.call_tool("browser_click", {"target": "button"})).is_error
            assert len(site.asked("/pressed")) == 1


@pytest.mark.contract("A2")
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_batch_of_an_mcp_client_is_shown_in_the_words_of_the_contract(site: Site, mode: str) -> None:
    url = site.page("/", PAGE)
    actions = [{"type": "navigate", "url": url}, {"type": "type", "selector": "input", "text": "Ann"}]
    async with running_gateway(allow_host=OWN_SITES, toolset="batch") as running, running.client() as owner:
        endpoint, token = f"http://localhost:{running.port}/mcp", running.gateway.tokens.owner
        async with connected(endpoint, mode, token) as agent:
            calling = asyncio.ensure_future(agent.call_tool("browser", {"actions": actions}))
            asked = await owner.event("exec.approval_request")
            assert asked["summary"] == f"2 browser action(s) — first: Navigate to {url}"
            assert asked["question"] == "May the agent run these actions, one after the other?"
            assert [action["type"] for action in asked["details"]["actions"]] == ["navigate", "fill"]
            assert asked["details"]["actions"][0] == {"type": "navigate", "url": url}
            assert not site.requests
            await owner.call("exec.approve", approvalId=asked["approvalId"])
            text = text_of(await calling)
    assert f"1. navigate: {url}" in text and "2. type: Filled" in text


@pytest.mark.parametrize(
    ("mode", "answer", "decision"),
    [
        ("2026-07-28", ACCEPT, "approved"),
        ("legacy", DECLINE, "denied"),
        pytest.param("legacy", ACCEPT, "approved", marks=pytest.mark.slow),
        pytest.param("2026-07-28", DECLINE, "denied", marks=pytest.mark.slow),
    ],
)
async def test_those_who_watch_see_the_answer_of_the_clients_user(
    site: Site, tmp_path: Path, mode: str, answer: ElicitResult, decision: str
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(ASKING)
    async with running_gateway(allow_host=OWN_SITES, policy=policy) as running, running.client() as owner:
        url, token = f"http://localhost:{running.port}/mcp", running.gateway.tokens.owner

        async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
            await owner.event("exec.approval_request")  # which comes with a picture, a moment later
            return answer

        async with connected(url, mode, token, elicitation_callback=person) as agent:
            await agent.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
            await agent.call_tool("browser_click", {"target": "button"})
            asked = await owner.event("exec.approval_request")
            seen = await owner.event("exec.approval_resolved", approvalId=asked["approvalId"])
    assert (seen["decision"], seen["by"]) == (decision, "the user of the MCP client")


async def test_a_listening_client_does_not_hold_up_the_end_of_the_server(site: Site) -> None:
    async with running_gateway(allow_host=OWN_SITES) as running:
        url, token = f"http://localhost:{running.port}/mcp", running.gateway.tokens.owner
        async with connected(url, "legacy", token) as agent:
            await agent.list_tools()
            async with asyncio.timeout(5):
                await running.gateway.close_clients()


async def test_a_token_that_floods_the_server_is_refused_and_others_are_not(site: Site) -> None:
    async with running_gateway(serve__requests_per_second=5) as running, running.client() as owner:
        made = await owner.call("tokens.create", scopes=["act"], label="a flood")
        async with httpx2.AsyncClient() as http:
            client = Http(f"http://localhost:{running.port}/mcp", http)
            flood = [client.modern("tools/list", authorization=f"Bearer {made['token']}") for _ in range(40)]
            statuses = [answer.status_code for answer in await asyncio.gather(*flood)]
            assert {*statuses} == {200, 429}
            other = await client.modern("tools/list", authorization=f"Bearer {running.gateway.tokens.owner}")
    assert other.status_code == 200
