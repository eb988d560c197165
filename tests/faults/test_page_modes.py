"""Pages in full screen or with pointer or keyboard lock, endless animations, and canvases."""

from __future__ import annotations

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds
from tests.site import Site

from rove import Session
from rove.actions.input import Click, Type
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot

pytestmark = pytest.mark.one_session

LOCKING_PAGE = """<p id=o>Nothing</p>
  <button onclick="document.documentElement.requestFullscreen().then(() => o.textContent = 'screen')">Screen</button>
  <button onclick="document.body.requestPointerLock().then(() => o.textContent = 'pointer')">Pointer</button>
  <button onclick="navigator.keyboard.lock?.().then(() => o.textContent = 'keys', () => {})">Keys</button>
  <button onclick="o.textContent = 'free'">Free</button> <input id=i>"""


async def active_locks(session: Session) -> list[bool]:
    value: list[bool] = (
        await session.evaluate("[document.fullscreenElement !== null, document.pointerLockElement !== null]")
    ).result.value
    return value


async def test_50_a_page_with_full_screen_pointer_and_keyboard_lock_can_still_be_used(
    session: Session, site: Site
) -> None:
    await session.navigate(site.page("/", LOCKING_PAGE))
    # Drawing on the whole screen takes seconds of a busy machine.
    for button in ("Screen", "Pointer", "Keys"):
        await session.run(Click(f'button "{button}"'), timeout=30)
    assert '"free"' in (await session.run(Click('button "Free"'), timeout=30)).changes.text
    await session.run(Type("words", "#i"), timeout=30)
    assert "words" in (await session.run(Snapshot(), timeout=30)).result.text
    assert (await session.run(Screenshot(), timeout=30)).attachments
    await assert_next_page_loads(session, site)
    assert await active_locks(session) == [False, False]


@pytest.mark.slow  # Chromium is busy for four seconds when full screen ends
async def test_50_escape_leaves_full_screen_and_pointer_lock(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LOCKING_PAGE))
    await session.click('button "Screen"')
    await session.click('button "Pointer"')
    assert await active_locks(session) == [True, True]
    assert "mode left" in event_kinds(await session.press("Escape"))
    assert await active_locks(session) == [False, False]
    assert event_kinds(await session.press("Escape")) == []


async def test_27_a_button_that_is_always_moving_is_clicked(session: Session, site: Site) -> None:
    page = """<style>@keyframes k { from { transform: translateX(0) } to { transform: translateX(400px) } }
      button { animation: k 0.6s infinite alternate linear }</style>
      <button onclick="this.textContent = 'Caught'">Catch</button>"""
    await session.navigate(site.page("/", page))
    with answered_within(5):
        assert "Caught" in (await session.run(Click("button"), timeout=5)).changes.text
    await assert_next_page_loads(session, site)


async def test_28_a_canvas_is_captured_and_clicked_by_coordinates(session: Session, site: Site) -> None:
    page = """<body style="margin: 0"><canvas id=c width=300 height=200></canvas><p id=o></p><script>
      const pen = c.getContext('2d'); pen.fillStyle = 'red'; pen.fillRect(0, 0, 300, 200);
      c.onclick = (e) => { o.textContent = `hit ${e.offsetX},${e.offsetY}` }</script>"""
    await session.navigate(site.page("/", page))
    picture = await session.screenshot("#c")
    assert (picture.result.width, picture.result.height) == (300, 200)
    assert "hit 150,100" in (await session.click("150,100")).changes.text
