"""What is left when rove is killed while WebKit runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.processes import eventually, marked, watchdogs

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
