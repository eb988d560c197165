"""How many chats there may be: they are counted by what they hold, and by the token that opened them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway
from tests.site import OWN_SITES, Site

PAGE = "<title>Tea</title><h1>The tea room</h1>"


def one_browser() -> AbstractAsyncContextManager[RunningGateway]:
    """A gateway with a place for one session with a browser, for which no call waits."""
    return running_gateway(allow_host=OWN_SITES, limits__sessions=1, limits__queue_seconds=0)


async def browse(client: GatewayClient, session: str, url: str) -> dict[str, Any]:
    """Send a message, approve its call, and return what came of the call."""
    message = f"Go to {url} and extract its text"
    run = (await client.call("chat.send", sessionKey=session, message=message))["runId"]
    question = await client.event("exec.approval_request", runId=run)
    await client.call("exec.approve", approvalId=question["approvalId"])
    result = await client.event("tool.result", runId=run)
    await client.event("chat.final", runId=run)
    return result


@pytest.mark.contract("A5")
async def test_chats_that_hold_no_browser_count_for_none(site: Site) -> None:
    url = site.page("/tea", PAGE)
    async with one_browser() as gateway, gateway.client() as client:
        keys = [(await client.call("sessions.create"))["sessionKey"] for _ in range(12)]
        # A chat whose run is over gives its place to another, and gets one again with its next call.
        for key in (keys[0], keys[-1], keys[0]):
            assert "The tea room" in (await browse(client, key, url))["text"]


async def test_a_chat_keeps_its_browser_while_its_run_goes_on(site: Site) -> None:
    url = site.page("/tea", PAGE)
    async with one_browser() as gateway, gateway.client() as client:
        key, other = [(await client.call("sessions.create"))["sessionKey"] for _ in range(2)]
        await browse(client, key, url)
        gateway.gateway.sessions.session(key).let_give_way(False)
        refused = await browse(client, other, url)
        assert refused["code"] == "limit_reached"
        gateway.gateway.sessions.session(key).let_give_way(True)
        assert "The tea room" in (await browse(client, other, url))["text"]


async def test_chats_are_counted_for_each_token() -> None:
    async with running_gateway(serve__chats=2) as gateway, gateway.client() as owner:
        keys = [(await owner.call("sessions.create"))["sessionKey"] for _ in range(2)]
        refused = await owner.refused("sessions.create")
        assert refused["code"] == "limit_reached"
        assert refused["message"] == "2 chats of this token are open, which is the limit."
        assert 0 < refused["retry_after"] <= gateway.gateway.settings.limits.idle
        token = (await owner.call("tokens.create", scopes=["act"]))["token"]
        async with gateway.client(token) as other:
            await other.call("sessions.create")
        await owner.call("sessions.close", sessionKey=keys[0])
        await owner.call("sessions.create")


async def test_conversations_are_counted_by_the_memory_that_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.surfaces.gateway.chat.chats.MEGABYTE", 1000)
    async with running_gateway(serve__chat_megabytes=2) as gateway, gateway.client() as owner:
        key, other = [(await owner.call("sessions.create"))["sessionKey"] for _ in range(2)]
        run = (await owner.call("chat.send", sessionKey=key, message="Hello " + "x" * 2000))["runId"]
        await owner.event("chat.final", runId=run)
        for method, arguments in (("sessions.create", {}), ("chat.send", {"sessionKey": other, "message": "Hello"})):
            refused = await owner.refused(method, **arguments)
            assert refused["code"] == "limit_reached" and refused["retry_after"] > 0
            assert "of memory, which is the limit" in refused["message"]
        await owner.call("sessions.close", sessionKey=key)
        await owner.call("chat.send", sessionKey=other, message="Hello")
