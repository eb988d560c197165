"""The inbox: what an agent may not do before a person agrees."""

from __future__ import annotations

import asyncio

import pytest
from tests.gateway.page.control_page import ControlPage
from tests.site import Site

from rove.actions.input import Hover
from rove.actions.navigation import Navigate
from rove.errors import Denied
from rove.surfaces.gateway.approvals import ToolApproval, ToolQuestion

pytestmark = pytest.mark.one_session

ACTIONS = [{"type": "navigate", "url": "https://example.com/"}, {"type": "screenshot"}]


def ask(
    page: ControlPage, summary: str = "2 browser action(s)", tool: str = "browser", session: str = "tea"
) -> asyncio.Future[ToolApproval]:
    """Have an agent ask for approval."""
    details = {"actions": ACTIONS} if tool == "browser" else {"command": "ls -l", "workingDir": "/work"}
    question = ToolQuestion(session, None, tool, summary, details, ("https://example.com",), ("navigate",))
    return asyncio.ensure_future(page.gateway.gateway.approvals.ask(question))


@pytest.mark.contract("A10")
async def test_y_approves_what_is_shown(page: ControlPage) -> None:
    asking = ask(page)
    await page.until_text("2 browser action(s)", "rove-approval-card")
    card = await page.text_of("rove-approval-card")
    assert "navigate" in card and "https://example.com/" in card and "screenshot" in card and "left" in card
    assert await page.run("document.title") == "(1) Inbox · rove"
    assert await page.text_of(".rail .badge span") == "1"
    await page.press_until("y", "!document.querySelector('rove-approval-card')")
    await asking
    await page.until_text("approved", "rove-decided-row")
    assert await page.run("document.title") == "Inbox · rove"


@pytest.mark.contract("A10")
async def test_n_denies_and_the_agent_is_told_the_reason(page: ControlPage) -> None:
    asking = ask(page, "Run: ls -l", "bash")
    await page.until_text("ls -l", "rove-approval-card .command")
    await page.until_text("/work", "rove-approval-card")
    await page.session.fill('textbox "Reason for a denial"', "use the other folder")
    await page.session.click('button "Deny"')
    with pytest.raises(Denied, match="use the other folder"):
        await asking
    await page.until_text("use the other folder", "rove-decided-row")


async def test_a_key_that_was_meant_for_one_request_does_not_decide_the_next(page: ControlPage) -> None:
    first, second = ask(page, "first"), ask(page, "second")
    await page.until("document.querySelectorAll('rove-approval-card').length === 2")
    await page.run(
        """() => new Promise((resolve) => {
          const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
          const list = document.querySelector("rove-approval-list");
          const timer = setInterval(press, 20);
          new MutationObserver(() => { press(); clearInterval(timer); resolve(1); }).observe(list, { childList: true });
        })"""
    )
    await first
    assert not second.done()
    await page.until_text("second", "rove-approval-card")
    await page.press_until("n", "!document.querySelector('rove-approval-card')")
    with pytest.raises(Denied):
        await second


async def test_each_request_has_a_link_and_can_be_approved_for_the_session(page: ControlPage) -> None:
    asking = ask(page, session="trusted")
    await page.until_text("2 browser action(s)", "rove-approval-card")
    link = await page.run("document.querySelector('rove-approval-card a[href^=\"#/approvals\"]').hash")
    await page.go("sessions")
    await page.run(f"location.hash = '{link}'")
    await page.until_text("2 browser action(s)", "rove-approval-card[data-selected]")
    await page.session.click('button "Approve for this session"')
    await asking
    await ask(page, session="trusted")
    await page.until_text("This request has been decided")


async def test_a_new_request_is_announced_to_screen_readers(page: ControlPage) -> None:
    asking = ask(page, "Pay €42")
    await page.until_text("Approval needed: Pay €42", "[aria-live=assertive]")
    await page.press_until("y", "!document.querySelector('rove-approval-card')")
    await asking


async def test_the_element_is_outlined_in_the_picture_of_its_page(page: ControlPage, site: Site) -> None:
    async with page.gateway.client() as client:
        await client.call("sessions.create", name="paying")
    session = page.gateway.gateway.sessions.session("paying")
    style = "position:absolute;left:200px;top:120px;width:160px;height:50px"
    address = site.page("/pay", f"<button style='{style}'>Pay €42</button>")
    await session.run(Navigate(address))
    hovering = asyncio.ensure_future(session.run(Hover('button "Pay €42"'), channel=page.gateway.gateway.approvals))
    await page.until("document.querySelector('.outlined img')?.naturalWidth > 100")
    box = await page.run("['x', 'y', 'width'].map((name) => document.querySelector('rect').getAttribute(name))")
    assert box == ["200", "120", "160"]
    await page.press_until("y", "!document.querySelector('rove-approval-card')")
    await hovering
