"""Frames in processes of their own, each with its own CDP session, as in a browser with a window."""

from __future__ import annotations

import shlex
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.browser.test_frames import FORM, framed, greet
from tests.site import OWN_SITES, Site

from rove import Session
from rove.browser.chromium.discovery import find
from rove.browser.shared.frames import FRAME_TIMEOUT
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Settings

pytestmark = pytest.mark.engines("chromium", reason="only Chromium reports the process of a frame")

STUCK = "<p>Inside</p><script>onload = () => setTimeout(() => { while (true) {} }, 0)</script>"


@pytest.fixture(scope="module")
async def isolating(home: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Sessions]:
    """Sessions of a browser that gives each site its own process, by a flag that headless mode needs."""
    found = find(None, headless=True)
    assert found is not None
    browser = tmp_path_factory.mktemp("browser") / "headless_shell"
    browser.write_text(f'#!/bin/sh\nexec {shlex.quote(str(found.path))} --site-per-process "$@"\n')
    browser.chmod(0o755)
    deadlines = Deadlines(action=30, launch=60)
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "isolated", browser=browser, deadlines=deadlines)
    ) as sessions:
        yield sessions


@pytest.fixture
async def isolated(isolating: Sessions) -> AsyncGenerator[Session]:
    name = await isolating.open_session("isolated")
    yield Session(isolating, name)
    await isolating.close_session(name)


async def test_a_form_is_used_in_a_frame_in_another_process(isolated: Session, site: Site) -> None:
    site.page("/inner", FORM)
    outcome = await isolated.navigate(site.page("/", framed(site.url("/inner", "localhost"))))
    await greet(isolated, outcome.changes.text)


async def test_a_form_is_used_in_a_frame_two_processes_deep(isolated: Session, site: Site) -> None:
    site.page("/inner", FORM)
    site.page("/middle", framed(site.url("/inner", "127.0.0.1")))
    outcome = await isolated.navigate(site.page("/", framed(site.url("/middle", "localhost"))))
    await greet(isolated, outcome.changes.text)


async def test_a_frame_that_does_not_answer_is_marked_and_the_rest_is_shown(isolated: Session, site: Site) -> None:
    site.page("/stuck", STUCK)
    site.page("/well", "<p>Well</p>")
    frames = f"<iframe src='{site.url('/stuck', 'localhost')}'></iframe><iframe src='/well'></iframe><p id=a>After</p>"
    await isolated.navigate(site.page("/", frames))
    shown = (await isolated.snapshot()).result.text
    assert "(the frame did not answer)" in shown
    assert "Well" in shown and "After" in shown
    assert "After" in (await isolated.snapshot("#a")).result.text


async def test_a_stuck_frame_is_waited_for_only_once(isolated: Session, site: Site) -> None:
    site.page("/stuck", STUCK)
    await isolated.navigate(site.page("/", f"<iframe src='{site.url('/stuck', 'localhost')}'></iframe><p>After</p>"))
    await isolated.snapshot()
    began = time.monotonic()
    await isolated.snapshot()
    assert time.monotonic() - began < FRAME_TIMEOUT
