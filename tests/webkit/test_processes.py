"""What is left when rove is killed while WebKit runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes import eventually, marked, watchdogs

import rove
from rove.browser.webkit.install import require
from rove.browser.webkit.launch import decide_sandbox

PROGRAM = """
import asyncio, rove
async def main():
    async with rove.open(engine="webkit") as session:
        await session.evaluate("1")
        print("ready", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


def test_killing_rove_leaves_no_process_display_or_file(tmp_path: Path) -> None:
    displays = set(Path("/tmp").glob(".X*-lock"))
    environment = {"ROVE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    rove = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, env=environment)
    assert rove.stdout is not None
    assert rove.stdout.readline() == b"ready\n"
    assert len(marked(tmp_path)) >= 5, "a leader, a display, a driver, a browser and its processes"
    rove.send_signal(signal.SIGKILL)
    rove.wait()
    assert eventually(lambda: not [*marked(tmp_path), *watchdogs(tmp_path)], 20)
    assert list((tmp_path / "run").iterdir()) == []
    assert set(Path("/tmp").glob(".X*-lock")) <= displays


@pytest.mark.parametrize("setting", ["auto", "off"])
async def test_scripts_of_pages_run_in_the_sandbox_of_webkit_if_it_works_here(tmp_path: Path, setting: str) -> None:
    decided = decide_sandbox("auto", require()).on and setting == "auto"
    # The path is longer than a socket's may be.
    home = tmp_path / ("long" * 20)
    home.mkdir()
    (home / "config.toml").touch()
    async with rove.open(engine="webkit", home=home, sandbox=setting) as session:
        await session.evaluate("1")
        pages = [pid for pid in marked(home) if Path(f"/proc/{pid}/comm").read_text() == "WebKitWebProces\n"]
        assert pages
        for pid in pages:
            has_network = Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink()
            sees_files = Path(f"/proc/{pid}/root{home}/config.toml").exists()
            assert (has_network, sees_files) == (not decided, not decided)
    assert marked(home) == []
