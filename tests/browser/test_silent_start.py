"""Browsers that start and do not answer, or refuse: launching fails in time and leaves nothing behind."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from tests.processes import eventually, run_folders

from rove.browser.chromium.browser import Browser, launch
from rove.browser.chromium.discovery import Installation
from rove.browser.chromium.launch import BrowserProcess, Sandbox
from rove.browser.shared.watchdog import processes_of
from rove.errors import BrowserUnavailable
from rove.settings.tree import Deadlines, Settings

UNRESPONSIVE = "#!/bin/sh\nexec sleep 300\n"
# Creates a context, and refuses to create a page.
WITHOUT_PAGES = """#!/bin/sh
printf '{"id":1,"result":{}}\\0{"id":2,"result":{"browserContextId":"C1"}}\\0' >&4
printf '{"id":3,"error":{"code":-32000,"message":"no pages"}}\\0' >&4
exec sleep 300
"""


def install_script(folder: Path, script: str) -> Installation:
    """Write a shell script that is started in place of a browser."""
    program = folder / "chromium"
    program.write_text(script)
    program.chmod(0o755)
    return Installation(str(program), "test", headless_only=True)


@pytest.mark.parametrize(
    ("script", "makes_page"),
    [(UNRESPONSIVE, False), (UNRESPONSIVE, True), (WITHOUT_PAGES, True)],
    ids=["unresponsive", "unresponsive with a first page", "without pages"],
)
async def test_launching_fails_in_time(tmp_path: Path, script: str, makes_page: bool) -> None:
    process = BrowserProcess(
        tmp_path / "run", install_script(tmp_path, script), Sandbox(False, "test"), True, makes_page
    )
    folder = process.folder.path
    settings = Settings(home=tmp_path, deadlines=Deadlines(launch=0.5))
    start = time.monotonic()
    async with asyncio.timeout(20):
        with pytest.raises(BrowserUnavailable):
            await launch(settings, process, Browser)
    assert time.monotonic() - start < 10
    assert processes_of(folder) == []
    assert eventually(lambda: run_folders(tmp_path) == [], 5)


async def test_a_cancelled_launch_kills_the_browser(tmp_path: Path) -> None:
    process = BrowserProcess(
        tmp_path / "run", install_script(tmp_path, UNRESPONSIVE), Sandbox(False, "test"), True, makes_page=True
    )
    launching = asyncio.ensure_future(launch(Settings(home=tmp_path), process, Browser))
    await asyncio.sleep(0)
    launching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await launching
    assert not process.is_running
    assert run_folders(tmp_path) == []
