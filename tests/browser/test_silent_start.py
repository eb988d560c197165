"""A browser that starts and says nothing, or refuses: told of in time, and nothing left of it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from tests.processes import eventually, run_folders

from rove.chromium.browser import launch
from rove.chromium.process.browser_process import BrowserProcess
from rove.chromium.process.discovery import Installation
from rove.chromium.process.launch_arguments import Sandbox
from rove.chromium.process.watchdog import processes_of
from rove.errors import BrowserUnavailable
from rove.settings import Deadlines, Settings

MUTE = "#!/bin/sh\nexec sleep 300\n"
# Takes what it is told, and answers that there are contexts but no pages.
PAGELESS = """#!/bin/sh
printf '{"id":1,"result":{}}\\0{"id":2,"result":{"browserContextId":"C1"}}\\0' >&4
printf '{"id":3,"error":{"code":-32000,"message":"no pages"}}\\0' >&4
exec sleep 300
"""


def fake(folder: Path, script: str) -> Installation:
    program = folder / "chromium"
    program.write_text(script)
    program.chmod(0o755)
    return Installation(str(program), "test", headless_only=True)


@pytest.mark.parametrize(
    ("script", "makes_page"),
    [(MUTE, False), (MUTE, True), (PAGELESS, True)],
    ids=["mute", "mute to whoever asks ahead", "without pages"],
)
async def test_it_is_given_up_in_time(tmp_path: Path, script: str, makes_page: bool) -> None:
    process = BrowserProcess(tmp_path / "run", fake(tmp_path, script), Sandbox(False, "test"), True, makes_page)
    folder = process.folder.path
    settings = Settings(home=tmp_path, deadlines=Deadlines(launch=0.5))
    began = time.monotonic()
    async with asyncio.timeout(20):
        with pytest.raises(BrowserUnavailable):
            await launch(settings, process)
    assert time.monotonic() - began < 10
    assert processes_of(folder) == []
    assert eventually(lambda: run_folders(tmp_path) == [], 5)


async def test_one_that_nobody_waits_for_any_more_is_ended_too(tmp_path: Path) -> None:
    process = BrowserProcess(tmp_path / "run", fake(tmp_path, MUTE), Sandbox(False, "test"), True, makes_page=True)
    launching = asyncio.ensure_future(launch(Settings(home=tmp_path), process))
    await asyncio.sleep(0)
    launching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await launching
    assert not process.is_running
    assert run_folders(tmp_path) == []
