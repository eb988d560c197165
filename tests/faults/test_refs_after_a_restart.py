"""A ref from before the browser's death, or from before a session was suspended, never means another element."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.batches import stopped
from tests.site import OWN_SITES, Site

from rove import Session
from rove.browser.shared.watchdog import processes_of
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable, ElementGone
from rove.settings.tree import Deadlines, Settings
from rove.toolsets.outcome_text import as_text

ARCHIVE = "<button onclick=\"document.title = 'archived'\">Archive</button>"
DELETE = "<button onclick=\"document.title = 'deleted'\">Delete all</button>"


@pytest.fixture
async def own(home: Path) -> AsyncGenerator[Session]:
    """A session with a browser of its own, which tests kill."""
    settings = Settings(allow_host=OWN_SITES, home=home / "refs", deadlines=Deadlines(action=30, launch=60))
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


def kill_browser(home: Path) -> None:
    (folder,) = (home / "refs" / "run").iterdir()
    for pid in processes_of(folder):
        if "--type=" not in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)


async def test_a_ref_from_before_the_browser_died_is_refused(own: Session, site: Site, home: Path) -> None:
    shown = await own.navigate(site.page("/", ARCHIVE))
    assert 'button "Archive" [e1]' in shown.changes.text
    site.page("/", DELETE)
    kill_browser(home)
    with pytest.raises(BrowserUnavailable):
        await own.evaluate("1")
    with pytest.raises(ElementGone) as caught:
        await own.click("e1")
    assert caught.value.message == "e1 cannot be used any more: the browser was restarted."
    assert 'button "Delete all" [e2]' in (await own.snapshot()).result.text
    assert (await own.evaluate("document.title")).result.value == ""


async def test_a_batch_in_which_the_browser_dies_does_not_click_another_element(
    own: Session, site: Site, home: Path
) -> None:
    await own.navigate(site.page("/", ARCHIVE))
    site.page("/", DELETE)
    steps = ({"action": "wait", "seconds": 0.5}, {"action": "click", "target": "e1"})
    kill_browser(home)
    failed = (await stopped(own.batch(steps))).result.failed
    if failed is not None and failed.error.code == "browser_unavailable":  # the first step noticed it
        failed = (outcome := await stopped(own.batch(steps))).result.failed
        assert "(browser restarted)" in as_text(outcome)
    assert failed is not None
    assert (failed.index, failed.error.code) == (1, "element_gone")
    assert (await own.evaluate("document.title")).result.value == ""


async def test_a_ref_from_before_a_suspension_is_refused(own: Session, site: Site) -> None:
    await own.navigate(site.page("/", ARCHIVE))
    site.page("/", DELETE)
    assert await own._engine.suspend()
    with pytest.raises(ElementGone) as caught:
        await own.click("e1")
    assert "memory was short" in caught.value.message


async def test_a_tab_id_is_not_given_again_after_the_browser_died(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", ARCHIVE))
    await own.tabs("new")
    await own.tabs("close", tab="t2")
    kill_browser(home)
    with pytest.raises(BrowserUnavailable):
        await own.evaluate("1")
    listed = (await own.tabs("new")).result.tabs
    assert [tab.id for tab in listed] == ["t1", "t3"]
