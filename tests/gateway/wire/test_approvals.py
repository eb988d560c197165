"""Approval over the gateway: requests wait for the first decision of any client, and every client sees it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from tests.site import OWN_SITES, Site

from rove.actions.forms import Fill
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.engine.journal import LedgerStore
from rove.errors import Denied, RoveError
from rove.guard.cleaning import visible
from rove.guard.policy import ApprovalRequest, Place, ShownElement
from rove.surfaces.gateway.approvals import ToolQuestion
from rove.surfaces.gateway.connection import Connection
from rove.surfaces.gateway.tokens import Scope
from rove.surfaces.gateway.tools.bash import BashTool
from rove.surfaces.gateway.tools.browser import BrowserTool

POLICY = """[[rule]]
decide = "ask"
action = "click"
"""
PAGE = "<button onclick='document.title = `pressed`'>Pay €42</button>"
KEY = "shopping"


@pytest.fixture(scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningGateway]:
    policy = tmp_path_factory.mktemp("policy") / "policy.toml"
    Path(policy).write_text(POLICY)
    async with running_gateway(policy=policy, deadlines__approval=60, allow_host=OWN_SITES) as running:
        async with running.client() as client:
            await client.call("sessions.create", name=KEY)
        yield running


async def click(gateway: RunningGateway, site: Site) -> None:
    """Have an agent click a button that the policy asks about."""
    session = gateway.gateway.sessions.session(KEY)
    await session.run(Navigate(site.page("/pay", PAGE)))
    await session.run(Click('button "Pay €42"'), channel=gateway.gateway.approvals)


async def test_a2_an_approved_action_runs_and_the_request_shows_what_it_is(gateway: RunningGateway, site: Site) -> None:
    async with gateway.client() as one, gateway.client() as two:
        clicking = asyncio.ensure_future(click(gateway, site))
        asked = await one.event("exec.approval_request")
        assert asked["toolName"] == "browser" and asked["sessionKey"] == KEY
        assert asked["details"] == {"actions": [{"type": "click", "target": 'button "Pay €42"'}]}
        assert asked["elements"][0]["line"].startswith('button "Pay €42"')
        assert asked["origins"] and asked["expiresAt"] > time.time()
        assert (await two.call("approvals.list"))["approvals"][0]["approvalId"] == asked["approvalId"]
        await two.call("exec.approve", approvalId=asked["approvalId"])
        for client in (one, two):
            resolved = await client.event("exec.approval_resolved", approvalId=asked["approvalId"])
            assert resolved["decision"] == "approved" and resolved["by"] == "the owner"
        await clicking
        assert (await one.call("approvals.list")) == {"approvals": []}


async def test_the_first_decision_counts(gateway: RunningGateway, site: Site) -> None:
    async with gateway.client() as one, gateway.client() as two:
        clicking = asyncio.ensure_future(click(gateway, site))
        name = (await one.event("exec.approval_request"))["approvalId"]
        answers = await asyncio.gather(
            one.request("exec.deny", approvalId=name, reason="not today"), two.request("exec.approve", approvalId=name)
        )
        assert sorted("error" in answer for answer in answers) == [False, True]
        resolved = await two.event("exec.approval_resolved", approvalId=name)
        outcome = await asyncio.gather(clicking, return_exceptions=True)
        assert isinstance(outcome[0], Denied) == (resolved["decision"] == "denied")


@pytest.mark.contract("A7")
async def test_a_decision_is_answered_before_anything_else_runs(
    gateway: RunningGateway, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    next_text, send = Connection._next_text, Connection._send

    async def noted_next_text(connection: Connection) -> str:
        text = await next_text(connection)
        if "exec.approve" in text:
            asyncio.get_running_loop().call_soon(order.append, "something else ran")
        return text

    async def noted_send(connection: Connection, message: dict[str, Any]) -> None:
        order.append("answered")
        await send(connection, message)

    async with gateway.client() as client:
        clicking = asyncio.ensure_future(click(gateway, site))
        name = (await client.event("exec.approval_request"))["approvalId"]
        monkeypatch.setattr(Connection, "_next_text", noted_next_text)
        monkeypatch.setattr(Connection, "_send", noted_send)
        # The message that is awaited already is read in the old way.
        await client.call("sessions.list")
        order.clear()
        await client.call("exec.approve", approvalId=name)
        await clicking
    assert order[:2] == ["answered", "something else ran"]


async def test_something_else_may_run_between_two_events(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    send = Connection._send_event_text

    async def noted(connection: Connection, text: str) -> None:
        if not order:
            asyncio.get_running_loop().call_soon(order.append, "something else")
        order.append("event")
        await send(connection, text)

    async with gateway.client() as client:
        monkeypatch.setattr(Connection, "_send_event_text", noted)
        for number in range(9):
            gateway.gateway.events.publish("settings.changed", {"key": "none", "value": number})
        await client.event("settings.changed", value=8)
    assert order.index("something else") < 3


@pytest.mark.contract("A7")
async def test_a_decision_is_answered_while_nothing_can_be_recorded(
    gateway: RunningGateway, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = asyncio.Event()
    end = LedgerStore.end

    async def delayed(store: LedgerStore, number: int | None, facts: dict[str, Any]) -> None:
        await may_write.wait()
        await end(store, number, facts)

    async with gateway.client() as client:
        clicking = asyncio.ensure_future(click(gateway, site))
        name = (await client.event("exec.approval_request"))["approvalId"]
        monkeypatch.setattr(LedgerStore, "end", delayed)
        assert await client.call("exec.approve", approvalId=name) == {}
        assert not clicking.done()
        may_write.set()
        await clicking


async def test_the_model_is_told_the_reason_of_a_denial(gateway: RunningGateway, site: Site) -> None:
    async with gateway.client() as client:
        clicking = asyncio.ensure_future(click(gateway, site))
        name = (await client.event("exec.approval_request"))["approvalId"]
        await client.call("exec.deny", approvalId=name, reason="the price is wrong")
        with pytest.raises(Denied, match="the price is wrong"):
            await clicking


async def test_an_approval_for_the_session_is_not_asked_again(gateway: RunningGateway, site: Site) -> None:
    async with gateway.client() as client:
        clicking = asyncio.ensure_future(click(gateway, site))
        asked = await client.event("exec.approval_request")
        assert asked["canRemember"]
        await client.call("exec.approve", approvalId=asked["approvalId"], remember="session")
        await clicking
        await click(gateway, site)
        assert sum(each["event"] == "exec.approval_request" for each in client.events) == 1
        await client.call("sessions.close", sessionKey=KEY)
        await client.call("sessions.create", name=KEY)


async def test_a_caller_that_does_not_wait_gets_a_link_and_takes_the_decision_later(
    gateway: RunningGateway, site: Site
) -> None:
    class Hasty:
        async def answer(self, request: Any) -> Any:
            return await gateway.gateway.approvals.answer_or_link(request, 0.05)

    async def hasty_click() -> None:
        await session.run(Click('button "Pay €42"'), channel=Hasty())

    session = gateway.gateway.sessions.session(KEY)
    await session.run(Navigate(site.page("/pay", PAGE)))
    async with gateway.client() as client:
        with pytest.raises(Denied) as denied:
            await hasty_click()
        name = (await client.event("exec.approval_request"))["approvalId"]
        assert f"{gateway.gateway.url}/#/approvals/{name}" in denied.value.message
        with pytest.raises(Denied):
            await hasty_click()
        assert len((await client.call("approvals.list"))["approvals"]) == 1
        await client.call("exec.approve", approvalId=name)
        await hasty_click()
        with pytest.raises(Denied):  # an approval is used up
            await hasty_click()


async def test_a_tool_question_ends_with_its_session(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        question = ToolQuestion(key, "run", "bash", "ls", {"command": "ls", "workingDir": "."})
        asking = asyncio.ensure_future(gateway.gateway.approvals.ask(question))
        asked = await client.event("exec.approval_request", toolName="bash")
        assert asked["details"] == {"command": "ls", "workingDir": "."} and asked["runId"] == "run"
        await client.call("sessions.close", sessionKey=key)
        with pytest.raises((RoveError, asyncio.CancelledError)):
            await asking
        await client.event("exec.approval_resolved", approvalId=asked["approvalId"], decision="cancelled")


async def test_what_a_person_would_not_see_is_written_out(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        question = ToolQuestion(KEY, None, "bash", "rm \u202etxt", {"command": "rm \u202etxt\x1b[2J\nls"})
        asking = asyncio.ensure_future(gateway.gateway.approvals.ask(question))
        asked = await client.event("exec.approval_request", toolName="bash")
        assert asked["details"] == {"command": "rm \\u{202e}txt\\u{1b}[2J\nls"}
        assert asked["summary"] == "rm \\u{202e}txt"
        await client.call("exec.deny", approvalId=asked["approvalId"], reason="no.")
        with pytest.raises(Denied, match=r"A person said no: no\.$"):
            await asking
        told = (await client.call("sessions.history", sessionKey=KEY, last=True, limit=5))["entries"]
        assert any(each["kind"] == "approval" and each["by"] == "the owner" for each in told)


async def test_every_text_of_a_request_is_written_out_and_hosts_are_described(
    gateway: RunningGateway,
) -> None:
    hidden = "\u202e\u200b\u3164\u00ad"
    element = ShownElement("target", "e1", f'button "{hidden}"')
    place = Place(KEY, "t1", "https://shop.example/")
    origins = (f"https://{hidden}.example", "https://xn--pple-43d.com")
    request = ApprovalRequest(
        "click", f"Click {hidden}", {hidden: hidden}, f"Shall it {hidden}?", place, origins, (element,), note=hidden
    )
    async with gateway.client() as client:
        asking = asyncio.ensure_future(gateway.gateway.approvals.answer(request))
        asked = await client.event("exec.approval_request", approvalId=request.id)
        asking.cancel()
        question = ToolQuestion(KEY, None, hidden, hidden, {"actions": [{"url": "https://\u0430pple.com"}]}, origins)
        asking_again = asyncio.ensure_future(gateway.gateway.approvals.ask(question))
        told = await client.event("exec.approval_request", summary=visible(hidden))
        asking_again.cancel()
        hosts = [{each["text"] for each in data["consequences"] if each["name"] == "Host"} for data in (asked, told)]
        assert all(any("Cyrillic and Latin" in text for text in texts) for texts in hosts)
        shown = json.dumps([asked, told], ensure_ascii=False)
        assert not any(character in shown for character in hidden)


async def test_a_token_that_may_act_cannot_drive_past_approvals(gateway: RunningGateway) -> None:
    token, _ = gateway.gateway.tokens.create({Scope.ACT}, 60)
    async with gateway.client(token) as client:
        for method in ("live.take", "live.release", "session.resume", "session.step"):
            assert (await client.refused(method, sessionKey=KEY))["code"] == "forbidden", method
        assert (await client.refused("live.input", sessionKey=KEY, type="text", text="x"))["code"] == "forbidden"


async def test_a_call_shows_where_its_elements_are(gateway: RunningGateway, site: Site) -> None:
    await gateway.gateway.sessions.session(KEY).run(Navigate(site.page("/pay", PAGE)))
    async with gateway.client() as client:
        actions = [{"type": "click", "selector": "button"}, {"type": "navigate", "url": "https://example.com"}]
        arguments = {"actions": [*actions, {"type": "click", "selector": "a"}]}
        params = {"name": "browser", "sessionKey": KEY, "arguments": arguments}
        await client.send({"id": "call", "method": "tools.call", "params": params})
        asked = await client.event("exec.approval_request", toolName="browser")
        (shown,) = asked["elements"]
        assert shown["line"].startswith('button "Pay €42"') and shown["box"]["width"] > 0
        await client.call("exec.deny", approvalId=asked["approvalId"])
        assert (await client.answer("call"))["result"]["ok"] is False


async def test_a_closed_session_still_has_a_record(gateway: RunningGateway, site: Site) -> None:
    async with gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        await gateway.gateway.sessions.session(key).run(Navigate(site.page("/pay", PAGE)))
        await client.call("sessions.close", sessionKey=key)
        assert (await client.call("sessions.records"))["sessions"][0] == key
        assert (await client.call("sessions.history", sessionKey=key))["entries"]


async def test_a_step_records_where_its_element_was(gateway: RunningGateway, site: Site) -> None:
    session = gateway.gateway.sessions.session(KEY)
    await session.run(Navigate(site.page("/field", "<input aria-label=Name style='margin: 50px; width: 120px'>")))
    async with gateway.client() as client:
        await session.run(Fill('textbox "Name"', "Ada"))
        step = await client.event("step.ended", action="fill")
        assert step["box"]["x"] >= 50 and step["box"]["width"] > 100
        told = (await client.call("sessions.history", sessionKey=KEY, last=True, limit=1))["entries"]
        assert told[0]["box"] == step["box"]


async def test_what_tools_say_of_a_call_has_every_character_of_it(gateway: RunningGateway) -> None:
    """Their own words are what a person reads first: nothing may be left out of these before they are written out."""
    hidden = "\u202e\u200b"
    context = cast(
        Any, SimpleNamespace(sessions=gateway.gateway.sessions, settings=gateway.gateway.settings, session=KEY)
    )
    bash, browser = BashTool(), BrowserTool(gateway.gateway.settings)
    command = bash.read({"command": f"echo {hidden}x"}, context)
    assert bash.summary(command) == "Run: echo \\u{202e}\\u{200b}x"
    for action, shown in (
        ({"type": "type", "selector": f"#a{hidden}", "text": "x"}, "#a\\u{202e}\\u{200b}"),
        ({"type": "hover", "target": f"#b{hidden}"}, "#b\\u{202e}\\u{200b}"),
    ):
        assert shown in browser.summary(browser.read({"actions": [action]}, context))
