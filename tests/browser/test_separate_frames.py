"""Frames in processes of their own, as a browser with a window gives them: each is spoken to over a wire of its own."""

from __future__ import annotations

import shlex
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.browser.test_frames import FORM, framed, greet
from tests.site import OWN_SITES, Site

from rove import Session
from rove.chromium.frames.worlds import FRAME_TIMEOUT
from rove.chromium.process.discovery import find
from rove.engine.sessions.sessions import Sessions
from rove.settings import Deadlines, Settings

STUCK = "<p>Inside</p><script>onload = () => setTimeout(() => { while (true) {} }, 0)</script>"


@pytest.fixture
async def isolating(home: Path, tmp_path: Path) -> AsyncGenerator[Session]:
    """A session of a browser that gives each site a process of its own, which one without a window does if told to."""
    found = find(None, headless=True)
    assert found is not None
    browser = tmp_path / "headless_shell"
    browser.write_text(f'#!/bin/sh\nexec {shlex.quote(str(found.path))} --site-per-process "$@"\n')
    browser.chmod(0o755)
    deadlines = Deadlines(action=30, launch=60)
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "isolating", browser=browser, deadlines=deadlines)
    ) as sessions:
        yield Session(sessions, None)


async def test_a_form_in_a_process_of_its_own(isolating: Session, site: Site) -> None:
    site.page("/inner", FORM)
    outcome = await isolating.navigate(site.page("/", framed(site.url("/inner", "localhost"))))
    await greet(isolating, outcome.changes.text)


async def test_a_form_two_processes_deep(isolating: Session, site: Site) -> None:
    site.page("/inner", FORM)
    site.page("/middle", framed(site.url("/inner", "127.0.0.1")))
    outcome = await isolating.navigate(site.page("/", framed(site.url("/middle", "localhost"))))
    await greet(isolating, outcome.changes.text)


async def test_a_frame_that_does_not_answer_says_so_and_hides_nothing_else(isolating: Session, site: Site) -> None:
    site.page("/stuck", STUCK)
    site.page("/well", "<p>Well</p>")
    frames = f"<iframe src='{site.url('/stuck', 'localhost')}'></iframe><iframe src='/well'></iframe><p id=a>After</p>"
    await isolating.navigate(site.page("/", frames))
    shown = (await isolating.snapshot()).result.text
    assert "(the frame did not answer)" in shown
    assert "Well" in shown and "After" in shown
    assert "After" in (await isolating.snapshot("#a")).result.text


async def test_a_stuck_frame_is_waited_for_only_once(isolating: Session, site: Site) -> None:
    site.page("/stuck", STUCK)
    await isolating.navigate(site.page("/", f"<iframe src='{site.url('/stuck', 'localhost')}'></iframe><p>After</p>"))
    await isolating.snapshot()
    began = time.monotonic()
    await isolating.snapshot()
    assert time.monotonic() - began < FRAME_TIMEOUT
