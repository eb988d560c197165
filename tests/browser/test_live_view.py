"""The live view: frames of a tab as it changes, and pictures and boxes for people who watch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.browser.chromium.connection import CdpError, CdpSession
from rove.engine.live_view import LiveFrame, LiveView
from rove.engine.session import Session as EngineSession
from rove.engine.sessions import Sessions
from rove.errors import ElementGone, NotOpen

JPEG = b"\xff\xd8\xff"
COLOURS = "<style>body { background: %s; height: 100vh; margin: 0 }</style><title>%s</title><h1>%s</h1>"


@pytest.fixture
def engine(sessions: Sessions, session: Session) -> EngineSession:
    return sessions.session(session.name)


@pytest.fixture
async def view(engine: EngineSession) -> AsyncGenerator[LiveView]:
    async with engine.watch() as view:
        yield view


def page(site: Site, colour: str) -> str:
    return site.page(f"/{colour}", COLOURS % (colour, colour, colour))


async def next_frame(view: LiveView) -> LiveFrame:
    """Return the next frame, and acknowledge it."""
    async with asyncio.timeout(20):
        frame = await anext(view)
    view.acknowledge(frame.id)
    return frame


async def frame_at(view: LiveView, url: str) -> LiveFrame:
    """Return the next frame of a page."""
    while (frame := await next_frame(view)).url != url:
        pass
    return frame


async def test_a_frame_shows_the_page_with_its_size_and_age(session: Session, site: Site, view: LiveView) -> None:
    await session.navigate(url := page(site, "teal"))
    frame = await frame_at(view, url)
    assert frame.data.startswith(JPEG)
    assert (frame.tab, frame.mime, frame.width, frame.height) == ("t1", "image/jpeg", 1280, 720)
    assert frame.age < 20


@pytest.mark.engines("chromium", reason="the refusal is Chromium's")
async def test_a_view_that_the_browser_refused_while_it_replaced_the_page_begins_with_the_next_page(
    session: Session, site: Site, engine: EngineSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.navigate(page(site, "teal"))
    send, refused = CdpSession.send, asyncio.Event()

    async def refuse_once(cdp: CdpSession, method: str, *args: Any, **more: Any) -> Any:
        if method == "Page.startScreencast" and not refused.is_set():
            refused.set()
            raise CdpError("Not attached to an active page")
        return await send(cdp, method, *args, **more)

    monkeypatch.setattr(CdpSession, "send", refuse_once)
    async with engine.watch() as view:
        frame = asyncio.ensure_future(next_frame(view))
        await refused.wait()
        await session.navigate(url := page(site, "navy"))
        assert (await frame).url == url


async def test_a_view_of_a_session_without_a_page_waits_for_one(session: Session, site: Site, view: LiveView) -> None:
    waiting = asyncio.ensure_future(anext(view))
    await asyncio.sleep(0)
    assert not waiting.done()
    await session.navigate(page(site, "teal"))
    async with asyncio.timeout(20):
        assert (await waiting).data.startswith(JPEG)


async def test_a_view_follows_navigations_to_other_sites_and_the_current_tab(
    session: Session, site: Site, view: LiveView
) -> None:
    await session.navigate(first := page(site, "teal"))
    await frame_at(view, first)
    await session.navigate(other := page(site, "olive").replace("127.0.0.1", "localhost"))
    await frame_at(view, other)
    await session.tabs("new", url=(third := page(site, "navy")))
    assert (await frame_at(view, third)).tab == "t2"
    await session.tabs("switch", tab="t1")
    assert (await frame_at(view, other)).tab == "t1"


async def test_a_view_goes_on_when_the_page_is_replaced(
    session: Session, engine: EngineSession, site: Site, view: LiveView
) -> None:
    await session.navigate(first := page(site, "teal"))
    await frame_at(view, first)
    await (await engine.context(print)).replace_tab((await engine.context(print)).tabs[0], "a test wants it")
    await session.navigate(other := page(site, "olive"))
    assert (await frame_at(view, other)).tab == "t1"


async def test_a_slow_viewer_gets_the_newest_frame_and_not_the_ones_before(
    session: Session, engine: EngineSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    if session.settings.engine == "chromium":  # on a busy machine, the changes take longer than frames are sent for
        monkeypatch.setattr("rove.browser.chromium.capture.UNREAD_SECONDS", 60.0)
    await session.navigate(site.page("/", "<body style='height: 100vh'><script>let n = 0</script>"))
    async with engine.watch() as view:
        for _ in range(2):  # as many as may be unacknowledged
            await session.evaluate("document.body.style.background = `rgb(0, ${n += 10}, 0)`")
            async with asyncio.timeout(20):
                last = await anext(view)
        for colour in ["red", "blue"] * 6:
            await session.evaluate(f"document.body.style.background = {colour!r}")
        changed_at = time.time()
        await session.evaluate("document.body.style.background = 'white'")
        # On a busy machine, pictures from before the change are painted and sent later.
        await session.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if session.settings.engine == "chromium":  # the others take pictures only for a viewer that waits
            screencast = (await engine.context(print)).tabs[0].screencast
            async with asyncio.timeout(20):
                while screencast._held:  # type: ignore[attr-defined]
                    await asyncio.sleep(0.01)
        view.acknowledge(last.id)
        while (frame := await next_frame(view)).at < changed_at:
            pass
        assert frame.id <= last.id + 3


async def test_the_last_change_of_a_page_that_comes_to_rest_is_shown(
    session: Session, engine: EngineSession, site: Site
) -> None:
    """The browser drops frames that come while others are not acknowledged, and never sends them by itself."""
    await session.navigate(site.page("/", "<body style='background: white'>"))
    async with engine.watch() as view:
        async with asyncio.timeout(20):
            first = await anext(view)
        for number in range(8):
            await session.evaluate(f"document.body.innerHTML = '<h1>{number}</h1>'.repeat({number})")
        view.acknowledge(first.id)
        newest = first
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                while True:
                    newest = await anext(view)
                    view.acknowledge(newest.id)
        await session.evaluate("document.body.append('.')")
        again = await next_frame(view)
        assert len(newest.data) == pytest.approx(len(again.data), rel=0.05)


async def test_two_viewers_share_one_screencast_which_stops_with_the_last(
    session: Session, engine: EngineSession, site: Site
) -> None:
    await session.navigate(url := page(site, "teal"))
    tab = (await engine.context(print)).tabs[0]
    async with engine.watch(max_width=320) as small, engine.watch(max_width=1280) as large:
        await frame_at(small, url)
        await frame_at(large, url)
        assert tab.screencast.is_running  # type: ignore[attr-defined]
        if session.settings.engine == "chromium":  # the others send pictures of the whole size
            assert tab.screencast._sent == (1280, 60)  # type: ignore[attr-defined]
    async with asyncio.timeout(20):
        while tab.screencast.is_running:  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)


async def test_a_view_ends_with_its_session(sessions: Sessions, session: Session, site: Site) -> None:
    name = await sessions.open_session(None)
    await Session(sessions, name).navigate(page(site, "teal"))
    async with sessions.session(name).watch() as view:
        await next_frame(view)
        waiting = asyncio.ensure_future(_exhaust(view))
        await sessions.close_session(name)
        async with asyncio.timeout(20):
            await waiting


async def _exhaust(view: LiveView) -> None:
    async for frame in view:
        view.acknowledge(frame.id)


async def test_a_picture_is_a_small_jpeg_and_no_action(session: Session, engine: EngineSession, site: Site) -> None:
    await session.navigate(page(site, "teal"))
    picture = await engine.picture()
    assert picture.startswith(JPEG)
    assert len(picture) < 100_000


async def test_a_session_without_a_page_has_no_picture(engine: EngineSession) -> None:
    with pytest.raises(NotOpen):
        await engine.picture()


async def test_the_box_of_an_element_is_where_it_is_seen_without_scrolling(
    session: Session, engine: EngineSession, site: Site
) -> None:
    inner = site.page(
        "/inner", "<body style='margin: 0'><button style='position: absolute; left: 7px; top: 9px'>In</button>"
    )
    frame = f"<iframe src='{inner}' style='position: absolute; left: 100px; top: 50px; border: 0'></iframe>"
    await session.navigate(site.page("/", f"<body style='margin: 0; height: 5000px'>{frame}"))
    assert (await engine.element_box("f1e1"))["x"] == pytest.approx(107)
    assert (await engine.element_box("f1e1"))["y"] == pytest.approx(59)
    await session.evaluate("scrollTo(0, 30)")
    assert (await engine.element_box("f1e1"))["y"] == pytest.approx(29)


async def test_an_element_that_is_gone_has_no_box(session: Session, engine: EngineSession, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick='this.remove()'>Go</button>"))
    await session.click("e1")
    with pytest.raises(ElementGone):
        await engine.element_box("e1")
