"""Pages that take the screen, the pointer or the keyboard, or never hold still."""

from __future__ import annotations

from tests.faults.survival import answered_within, goes_on, kinds
from tests.site import Site

from rove import Session
from rove.actions.pointer import Click
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot

HOLDS = """<p id=o>Nothing</p>
  <button onclick="document.documentElement.requestFullscreen().then(() => o.textContent = 'screen')">Screen</button>
  <button onclick="document.body.requestPointerLock().then(() => o.textContent = 'pointer')">Pointer</button>
  <button onclick="navigator.keyboard.lock?.().then(() => o.textContent = 'keys', () => {})">Keys</button>
  <button onclick="o.textContent = 'free'">Free</button> <input id=i>"""


async def held(session: Session) -> list[bool]:
    value: list[bool] = (
        await session.evaluate("[document.fullscreenElement !== null, document.pointerLockElement !== null]")
    ).result.value
    return value


async def test_50_a_page_that_holds_screen_pointer_and_keyboard_is_still_driven(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", HOLDS))
    for button in ("Screen", "Pointer", "Keys"):
        with answered_within(5):
            await session.run(Click(f'button "{button}"'), timeout=5)
    with answered_within(10):
        assert '"free"' in (await session.run(Click('button "Free"'), timeout=5)).changes.text
        await session.type("words", "#i")
        assert "words" in (await session.run(Snapshot(), timeout=5)).result.text
        assert (await session.run(Screenshot(), timeout=5)).attachments
    await goes_on(session, site)
    assert await held(session) == [False, False]


async def test_50_escape_gives_back_what_a_page_holds(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", HOLDS))
    await session.click('button "Screen"')
    await session.click('button "Pointer"')
    assert await held(session) == [True, True]
    assert "mode left" in kinds(await session.press("Escape"))
    assert await held(session) == [False, False]
    assert kinds(await session.press("Escape")) == []


async def test_27_a_button_that_never_holds_still_is_pressed(session: Session, site: Site) -> None:
    page = """<style>@keyframes k { from { transform: translateX(0) } to { transform: translateX(400px) } }
      button { animation: k 0.6s infinite alternate linear }</style>
      <button onclick="this.textContent = 'Caught'">Catch</button>"""
    await session.navigate(site.page("/", page))
    with answered_within(5):
        assert "Caught" in (await session.run(Click("button"), timeout=5)).changes.text
    await goes_on(session, site)


async def test_28_a_page_that_is_all_canvas_is_pictured_and_pressed_by_points(session: Session, site: Site) -> None:
    page = """<body style="margin: 0"><canvas id=c width=300 height=200></canvas><p id=o></p><script>
      const pen = c.getContext('2d'); pen.fillStyle = 'red'; pen.fillRect(0, 0, 300, 200);
      c.onclick = (e) => { o.textContent = `hit ${e.offsetX},${e.offsetY}` }</script>"""
    await session.navigate(site.page("/", page))
    picture = await session.screenshot("#c")
    assert (picture.result.width, picture.result.height) == (300, 200)
    assert "hit 150,100" in (await session.click("150,100")).changes.text
