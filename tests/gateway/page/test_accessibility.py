"""The page can be used by keyboard alone, on a phone, and with a screen reader: axe finds nothing serious."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gateway.page.control_page import PHONE, VIEWS, ControlPage
from tests.gateway.page.test_inbox import ask

pytestmark = pytest.mark.one_session

AXE = Path(__file__).parents[3] / ".venv" / "widgets" / "node_modules" / "axe-core" / "axe.min.js"


async def violations(page: ControlPage, theme: str, options: str = "") -> list[Any]:
    """Return what axe finds in the page as it is now, each with an element."""
    await page.run(f"document.documentElement.dataset.theme = '{theme}'")
    if not await page.run("'axe' in window"):
        if not AXE.exists():
            pytest.skip("run `make .venv/widgets/ready`, which installs axe-core")
        await page.run(f"() => {{ {AXE.read_text('utf-8')}; return 1 }}")
    found = await page.run(f"axe.run({{ resultTypes: ['violations'], {options} }}).then((found) => found.violations)")
    return [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found]


async def test_axe_finds_nothing_in_any_view(page: ControlPage) -> None:
    asking = ask(page)
    async with page.gateway.client() as client:
        await client.call("sessions.create", name="tea")
    for view in (*VIEWS, "sessions/tea", "chat/tea", "timeline/tea"):
        await page.go(view)
        assert await violations(page, "light") == [], view
        assert await violations(page, "dark", "runOnly: ['color-contrast']") == [], view
    await page.go("inbox")
    await page.press_until("y", "!document.querySelector('rove-approval-card')")
    await asking


async def test_a_phone_needs_no_scrolling_sideways(page: ControlPage) -> None:
    await page.session.resize(*PHONE)
    for view in VIEWS:
        await page.go(view)
        widths = "[document.documentElement, document.querySelector('main')].map((one) => one.scrollWidth)"
        assert max(await page.run(widths)) <= PHONE[0], view
    # The bar at the bottom leads to every view.
    assert await page.run("document.querySelector('.rail').getBoundingClientRect().bottom") <= PHONE[1]


async def test_keys_alone_reach_every_view_and_list_themselves(page: ControlPage) -> None:
    for number, view in enumerate(VIEWS, 1):
        await page.session.press(str(number))
        await page.until(f"location.hash === '#/{view}'")
        if view == "chat":  # the message has the focus, where a digit is a digit
            await page.run("document.activeElement.blur()")
    await page.session.press("?")
    await page.until_text("List the keys", "dialog")
    await page.session.press("Escape")
    await page.until("!document.querySelector('dialog')")


async def test_the_first_tab_stop_skips_to_the_content(page: ControlPage) -> None:
    await page.session.press("Tab")
    assert await page.run("document.activeElement.innerText") == "Skip to the content"
    await page.session.press("Enter")
    await page.until("document.activeElement.id === 'main'")
