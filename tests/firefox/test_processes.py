"""The process of a Firefox: started with nothing of the user's, and gone when rove is, in whatever way."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.processes import marked, run_folders
from tests.rove_process import call, start_with_page, temporary_rove_home
from tests.site import Site

from rove.browser.extensions import Extension
from rove.browser.firefox.browser import launch, start_process
from rove.errors import BrowserUnavailable, Unsupported
from rove.settings.tree import Deadlines, Settings


async def test_a_launch_names_its_version_and_leaves_nothing(home: Path) -> None:
    settings = Settings(home=home / "launch", engine="firefox", deadlines=Deadlines(launch=60))
    browser = await launch(settings, await start_process(settings, None))
    try:
        assert browser.version.startswith("Firefox/")
        assert browser.is_alive
        assert await browser.answers_within(30)
        assert (browser.memory_in_use() or 1) > 0
        assert marked(settings.home_folder)
    finally:
        await browser.close()
    assert not marked(settings.home_folder)
    assert not run_folders(settings.home_folder)


@pytest.mark.parametrize("victim", ["rove", "browser"])
def test_killing_rove_or_the_browser_leaves_no_process(site: Site, victim: str) -> None:
    with temporary_rove_home() as rove_home:
        server = start_with_page(rove_home, site, ENGINE="firefox", DEADLINES_ACTION="60", DEADLINES_LAUNCH="60")
        os.kill(rove_home.pid_of(victim, server), signal.SIGKILL)
        if victim == "browser":
            url = site.page("/again", "<title>Again</title>")
            # The first call may be the one that notices.
            answers = [call(server, "browser_navigate", url=url)["result"] for _ in range(2)]
            assert not answers[1].get("isError"), "another browser is started"
            server.kill()
        server.wait()
        rove_home.assert_clean()


async def test_a_program_that_is_no_firefox_is_refused(home: Path) -> None:
    settings = Settings(
        home=home / "wrong", engine="firefox", browser=Path("/bin/true"), deadlines=Deadlines(launch=20)
    )
    with pytest.raises(BrowserUnavailable):
        await launch(settings, await start_process(settings, None))
    assert not run_folders(settings.home_folder)


async def test_attaching_profiles_and_extensions_are_not_supported(home: Path) -> None:
    from rove.browser.browser import ProfileLaunch
    from rove.browser.engines import load_engine

    settings = Settings(home=home, engine="firefox", attach="http://127.0.0.1:9222")
    with pytest.raises(Unsupported):
        await load_engine("firefox").attach(settings)
    with pytest.raises(Unsupported, match="has no profile"):
        await start_process(settings, None, ProfileLaunch(str(home), "http://127.0.0.1:9"))
    extension = Extension(str(home), "Dark pages", "1.0")
    with pytest.raises(Unsupported, match="would run an extension in the pages of all sessions"):
        await start_process(settings, None, ProfileLaunch(str(home), "http://127.0.0.1:9", (extension,)))
