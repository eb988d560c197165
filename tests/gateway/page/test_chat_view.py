"""The chat, as a newcomer without a key sees it: the built-in script orders tea."""

from __future__ import annotations

import pytest
from tests.gateway.page.control_page import PHONE, ControlPage

CARD = "!!document.querySelector('rove-approval-card')"


async def send(page: ControlPage, message: str) -> str:
    """Send a message in a new conversation, and return its session."""
    await page.go("chat")
    await page.session.fill('textbox "Message to the agent"', message)
    await page.session.press("Enter")
    key: str = await page.until("location.hash.split('/')[2]")
    return key


async def approve(page: ControlPage) -> None:
    await page.until(CARD)
    await page.session.click('button "Approve once"')


@pytest.mark.contract("A10")
async def test_a_newcomer_approves_sees_the_picture_takes_over_and_hands_back(page: ControlPage) -> None:
    key = await send(page, "Order a Sencha for Ann, please")
    await page.until_text("Built-in script, not a model.")
    await page.until_text("Order a Sencha for Ann, please", ".item.user")
    await approve(page)
    await page.until("document.querySelector('.thumbnail img')?.naturalWidth > 100")
    await page.until_text("Navigating to", ".tool-card .progress")
    await approve(page)
    await page.until_text("I hand the page to you", ".item.assistant")
    await approve(page)
    await page.until_text("The agent asks for you", ".callout")
    await page.session.click('button "Take over"')
    await page.until("document.querySelector('rove-live-panel')?.hasAttribute('data-driving')")
    await page.click_in_live_view(key, "gift")
    await page.session.click('button "Hand back"')
    await page.go(f"chat/{key}")
    await page.until_text("It is done: the page says “Thank you, Ann", ".item.assistant")
    assert "Sencha, wrapped" in await page.seen_lines(key)
    await page.run("document.querySelector('.thumbnail').click()")
    await page.until("document.querySelector('dialog img')?.naturalWidth > 100")


async def test_a_reload_in_the_middle_of_a_run_loses_nothing(page: ControlPage) -> None:
    await send(page, "Which teas are there?")
    await page.until(CARD)
    await page.session.reload()
    await page.until(CARD)
    assert "Which teas are there?" in await page.text_of(".item.user")
    assert await page.text_of(".item.assistant .message-text") == "I look at the list of teas."
    assert await page.text_of(".tool-card .chip") == "waits for approval"
    await page.run("document.activeElement.blur()")
    await page.press_until("y", "!document.querySelector('rove-approval-card')")
    await page.until_text("They serve Darjeeling", ".item.assistant")
    await page.session.reload()
    await page.until_text("They serve Darjeeling", ".item.assistant")
    assert await page.run("document.querySelectorAll('.item.user, .tool-card').length") == 2


async def test_the_model_is_told_why_a_person_said_no_on_a_phone(page: ControlPage) -> None:
    await page.session.resize(*PHONE)
    await send(page, "Which teas are there?")
    await page.until(CARD)
    assert await page.run("document.querySelector('main').scrollWidth") <= PHONE[0]
    await page.session.fill('textbox "Reason for a denial"', "we have enough tea")
    await page.session.click('button "Deny"')
    await page.until_text("we have enough tea", ".item.assistant")


async def test_the_server_answers_what_is_typed_about_settings(page: ControlPage) -> None:
    await send(page, "/settings engine")
    await page.until_text("engine = chromium", ".item.server")
    assert "Server" in await page.text_of(".item.server")
    assert not await page.run("document.querySelectorAll('.item.assistant').length")
    await page.session.reload()
    await page.until_text("engine = chromium", ".item.server")


async def test_a_run_can_be_stopped(page: ControlPage) -> None:
    await send(page, "Which teas are there?")
    await page.until(CARD)
    await page.session.click('button "Stop"')
    await page.until_text("Stopped.", ".item.assistant")
    await page.until(f"!({CARD})")
