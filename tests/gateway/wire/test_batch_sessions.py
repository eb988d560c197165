"""The browser of the chats: started by the first call, one for all, apart in each session, gone with the server."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest
from tests.gateway.clients import GatewayClient, running_gateway
from tests.processes import browser_of, eventually, marked
from tests.site import OWN_SITES, Site

PAGE = "<title>Tea</title><h1>The tea room</h1><script>document.cookie ||= 'guest=Ann'</script>"
COOKIE = {"type": "evaluate", "expression": "document.cookie"}


async def called(client: GatewayClient, session: str, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Call the tool in a session, and say yes to its question."""
    before = len(client.events)
    arguments = {"actions": list(actions), **more}
    calling = asyncio.ensure_future(client.call("tools.call", name="browser", arguments=arguments, sessionKey=session))
    question = await client.next_event("exec.approval_request", before)
    await client.call("exec.approve", approvalId=question["approvalId"])
    result: dict[str, Any] = await calling
    return result


@pytest.mark.contract("A5")
async def test_one_browser_is_started_by_the_first_call_and_ends_with_the_server(site: Site) -> None:
    url = site.page("/tea", PAGE)
    async with running_gateway(toolset="batch", allow_host=OWN_SITES) as gateway, gateway.client() as client:
        home = gateway.gateway.settings.home_folder
        ann, bea = [(await client.call("sessions.create"))["sessionKey"] for _ in range(2)]
        assert uuid.UUID(ann) != uuid.UUID(bea)
        assert not marked(home)
        await called(client, ann, {"type": "navigate", "url": url})
        browser = browser_of(home)
        # The cookie of one session is not in the other, whose page has just set its own.
        await called(client, ann, {"type": "evaluate", "expression": "document.cookie = 'tea=Sencha'"})
        other = await called(client, bea, {"type": "navigate", "url": url}, COOKIE)
        assert "guest=Ann" in other["text"] and "Sencha" not in other["text"]
        assert browser_of(home) == browser
        # The id that the answer names goes on with the session, also from a call in another one.
        again = await called(client, bea, COOKIE, sessionId=ann)
        assert again["structured"] == {"sessionId": ann} and "tea=Sencha" in again["text"]
        await client.call("sessions.close", sessionKey=ann)
        await client.call("sessions.create", name=ann)
        fresh = await called(client, ann, {"type": "navigate", "url": url}, COOKIE)
        assert "Sencha" not in fresh["text"]
    assert eventually(lambda: not marked(home), 10)


@pytest.mark.contract("A2")
async def test_a_call_that_nobody_answers_in_time_touches_nothing(site: Site) -> None:
    url = site.page("/tea", PAGE)
    settings: dict[str, Any] = {"deadlines__approval": 0.3, "allow_host": OWN_SITES}
    async with running_gateway(**settings) as gateway, gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        arguments = {"actions": [{"type": "navigate", "url": url}]}
        result = await client.call("tools.call", name="browser", arguments=arguments, sessionKey=key)
        assert not result["ok"] and "There was no answer within 0.3 s" in result["text"]
        assert (await client.event("exec.approval_resolved"))["decision"] == "expired"
        assert not site.requests and not marked(gateway.gateway.settings.home_folder)


@pytest.mark.contract("A2", "A3", "A9")
async def test_bash_is_asked_about_and_reported_in_the_same_way() -> None:
    async with running_gateway(serve__bash=True) as gateway, gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        arguments = {"command": "echo tea"}
        calling = asyncio.ensure_future(client.call("tools.call", name="bash", arguments=arguments, sessionKey=key))
        question = await client.event("exec.approval_request", toolName="bash")
        workspace = str(gateway.gateway.settings.workspace_folder.resolve())
        assert question["details"] == {"command": "echo tea", "workingDir": workspace}
        assert question["summary"] == "Run: echo tea" and question["approvalId"]
        await client.call("exec.approve", approvalId=question["approvalId"])
        assert "tea" in (await calling)["text"]
        assert (await client.event("tool.progress", tool="bash"))["message"] == "Running command..."
