"""The chat as clients of the gateway see it: the first conversation of a newcomer, and real approvals."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.gateway.agent.model_server import Calls, ModelServer, Says
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway
from tests.site import Site

PAGE = "<title>Story</title><h1>Story</h1><p class=title>First title</p><p class=title>Second title</p>"
LOGIN = "<input aria-label=User><input type=password aria-label=Password>"


@pytest.fixture(scope="module")
async def scripted() -> AsyncGenerator[RunningGateway]:
    """A gateway whose chat is answered by the built-in script."""
    async with running_gateway(allow_host="127.0.0.1") as running:
        yield running


@pytest.fixture
async def client(scripted: RunningGateway) -> AsyncGenerator[GatewayClient]:
    async with scripted.client() as client:
        yield client


async def ask(client: GatewayClient, session: str, message: str) -> dict[str, Any]:
    """Send a message, approve what it asks for, and return the end of its run."""
    run = (await client.call("chat.send", sessionKey=session, message=message))["runId"]
    request = await client.event("exec.approval_request", runId=run)
    await client.call("exec.approve", approvalId=request["approvalId"])
    return await client.event("chat.final", runId=run)


@pytest.mark.contract("A2", "A3", "A4", "A6", "A7", "A8")
async def test_the_verification_script_of_the_founding_document(
    scripted: RunningGateway, client: GatewayClient, site: Site
) -> None:
    key = (await client.call("sessions.create"))["sessionKey"]
    url = site.page("/", PAGE)

    run = (await client.call("chat.send", sessionKey=key, message=f"Go to {url} and take a screenshot"))["runId"]
    request = await client.event("exec.approval_request", runId=run)
    assert request["toolName"] == "browser"
    assert request["summary"] == f"2 browser action(s) — first: Navigate to {url}"
    assert request["details"] == {"actions": [{"type": "navigate", "url": url}, {"type": "screenshot"}]}
    assert not site.requests
    await client.call("exec.approve", approvalId=request["approvalId"])
    final = await client.event("chat.final", runId=run)
    named = [event for event in client.events if event["data"].get("runId") == run]
    progress = [event["data"]["message"] for event in named if event["event"] == "tool.progress"]
    assert progress == [f"Navigating to {url}...", "Taking screenshot..."]
    assert any(event["event"] == "chat.delta" for event in named)
    assert final["usage"]["requests"] == 2
    assert final["attachments"][0]["mimeType"] == "image/png"

    transcript = scripted.gateway.settings.journal_folder / f"{key}.jsonl"
    entries = map(json.loads, transcript.read_text(encoding="utf-8").splitlines())
    kept = [attachment for entry in entries for attachment in entry.get("attachments") or ()]
    assert base64.b64decode(kept[-1]["data"]).startswith(b"\x89PNG")

    message = f"Go to {url}, take a screenshot, then extract the text of the first story title: `.title`"
    final = await ask(client, key, message)
    told = await client.event("tool.result", runId=final["runId"])
    assert (
        len([e for e in client.events if e["event"] == "tool.progress" and e["data"]["runId"] == final["runId"]]) == 3
    )
    assert final["attachments"]
    assert "First title" in told["text"]

    login = site.page("/login", LOGIN)
    final = await ask(client, key, f"Go to {login} and fill in the password field")
    assert "password" in final["text"]
    assert (await client.event("tool.result", runId=final["runId"]))["code"] == "denied"


@pytest.mark.contract("A2", "A7")
async def test_a_denial_and_its_reason_reach_the_chat(client: GatewayClient, site: Site) -> None:
    key = (await client.call("sessions.create"))["sessionKey"]
    run = (await client.call("chat.send", sessionKey=key, message=f"Go to {site.page('/', PAGE)}"))["runId"]
    request = await client.event("exec.approval_request", runId=run)
    await client.call("exec.deny", approvalId=request["approvalId"], reason="not on a Monday")
    assert "not on a Monday" in (await client.event("chat.final", runId=run))["text"]
    assert not site.requests


async def test_an_abort_ends_the_request_that_waits(client: GatewayClient, site: Site) -> None:
    key = (await client.call("sessions.create"))["sessionKey"]
    run = (await client.call("chat.send", sessionKey=key, message=f"Go to {site.page('/', PAGE)}"))["runId"]
    request = await client.event("exec.approval_request", runId=run)
    assert await client.call("chat.abort", runId=run) == {"aborted": 1}
    assert (await client.event("chat.final", runId=run))["stopReason"] == "aborted"
    ended = await client.event("exec.approval_resolved", approvalId=request["approvalId"])
    assert ended["decision"] == "cancelled"
    assert (await client.refused("exec.approve", approvalId=request["approvalId"]))["code"] == "not_open"


@pytest.mark.slow
async def test_a_yes_for_the_session_is_not_asked_again_at_the_same_origin(client: GatewayClient, site: Site) -> None:
    key = (await client.call("sessions.create"))["sessionKey"]
    message = f"Go to {site.page('/', PAGE)} and take a screenshot"
    run = (await client.call("chat.send", sessionKey=key, message=message))["runId"]
    request = await client.event("exec.approval_request", runId=run)
    assert request["canRemember"] is True
    await client.call("exec.approve", approvalId=request["approvalId"], remember="session")
    await client.event("chat.final", runId=run)
    again = (await client.call("chat.send", sessionKey=key, message=message))["runId"]
    assert (await client.event("chat.final", runId=again))["attachments"]
    assert not [e for e in client.events if e["event"] == "exec.approval_request" and e["data"]["runId"] == again]


async def test_a_tool_is_called_by_hand(client: GatewayClient, site: Site) -> None:
    key = (await client.call("sessions.create"))["sessionKey"]
    names = {tool["name"] for tool in (await client.call("tools.list"))["tools"]}
    assert {"browser", "browser_click"} <= names
    assert "bash" not in names
    url = site.page("/", PAGE)
    result = await client.call("tools.call", sessionKey=key, name="browser_navigate", arguments={"url": url})
    assert result["ok"] is True
    assert 'heading "Story"' in result["text"]


async def test_a_model_is_played_over_the_wire(model: ModelServer, site: Site) -> None:
    serving: dict[str, Any] = {"serve__model": "played", "serve__model_url": model.url}
    async with running_gateway(allow_host="127.0.0.1", **serving) as running, running.client() as client:
        hello = await client.event("hello")
        assert hello["model"] == {"name": "played", "isScripted": False}
        key = (await client.call("sessions.create"))["sessionKey"]
        actions = [{"type": "navigate", "url": site.page("/", PAGE)}, {"type": "extract", "selector": ".title"}]
        model.plays(Calls("browser", json.dumps({"actions": actions})), Says(("It is ", "“First title”.")))
        final = await ask(client, key, "What is the first title?")
        assert final["text"] == "It is “First title”."
        assert "First title" in next(model.told_by_tools())
