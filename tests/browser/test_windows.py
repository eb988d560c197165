"""Sessions with a window beside sessions without one, and viewports of sessions."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.browser.test_devices import value
from tests.site import Site

from rove import Session
from rove.browser.chromium.discovery import find
from rove.browser.sessions import ViewportSize
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable
from rove.settings.tree import Settings

SIZE = "[innerWidth, innerHeight]"


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """A display without a screen, as the environment of browsers names it."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed; `make test` installs it where apt-get may be used")
    if find(None, headless=False) is None:
        pytest.skip("no browser that can show a window is installed; `rove install --no-headless` fetches one")
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as numbers:
            name = f":{numbers.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        yield name
        server.terminate()


@pytest.fixture
async def own(home: Path, settings: Settings) -> AsyncGenerator[Session]:
    """A session with a browser of its own."""
    async with Sessions(replace(settings, home=home / "windows")) as sessions:
        yield Session(sessions, None)


def browsers_of(session: Session) -> list[bool]:
    """Return of each running browser whether it is headless."""
    groups = [browser._process.process_group for browser in session._sessions._browsers.running]
    return ["--headless" in Path(f"/proc/{group}/cmdline").read_text() for group in groups]


async def test_a_session_with_a_window_runs_beside_one_without(own: Session, site: Site, display: str) -> None:
    url = site.page("/", "<h1>Tea</h1><script>localStorage.kept ??= Math.random()</script>")
    await own.navigate(url)
    await own.open_session("shown", headless=False, viewport=ViewportSize(900, 600))
    shown = Session(own._sessions, "shown")
    outcome = await shown.navigate(url)
    assert "Tea" in outcome.changes.text
    assert browsers_of(own) == [True, False]
    assert await value(shown, SIZE) == [900, 600]
    assert "Headless" not in await value(shown, "navigator.userAgent")
    assert (await shown.screenshot()).result.width == 900
    assert await value(shown, "localStorage.kept") != await value(own, "localStorage.kept")
    await own.close_session("shown")
    assert browsers_of(own) == [True]
    assert await value(own, SIZE) == [1280, 720]


async def test_without_a_display_a_window_is_refused_with_what_to_do(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    await session.open_session("shown", headless=False)
    with pytest.raises(BrowserUnavailable, match="needs a display") as caught:
        await Session(session._sessions, "shown").snapshot()
    assert "xvfb-run" in caught.value.hint


async def test_each_tab_of_a_session_has_the_viewport_that_it_was_opened_with(session: Session, site: Site) -> None:
    await session.open_session("small", viewport=ViewportSize(500, 400))
    small = Session(session._sessions, "small")
    url = site.page("/", "<p>Page</p>")
    await small.navigate(url)
    await small.tabs("new", url=url)
    await session.navigate(url)
    assert [await value(small.using(tab=tab), SIZE) for tab in ("t1", "t2")] == [[500, 400]] * 2
    assert await value(session, SIZE) == [1280, 720]


async def test_each_session_can_have_a_browser_of_its_own(home: Path, settings: Settings, site: Site) -> None:
    own = replace(settings, home=home / "each", browser_per_session=True)
    url = site.page("/", "<input aria-label=Name>")
    async with Sessions(own) as sessions:
        sessions.start_early()
        first, second = [Session(sessions, await sessions.open_session(name)) for name in ("first", "second")]
        for session in (first, second):
            await session.navigate(url)
            await session.fill('textbox "Name"', session.name)
        killed, spared = sessions._browsers.running
        await killed.kill()
        assert "browser restarted" in [event.kind for event in (await first.snapshot()).events]
        assert await value(second, "document.querySelector('input').value") == "second"
        assert spared.is_alive
        await sessions.close_session("second")
        assert not spared.is_alive
