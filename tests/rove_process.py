"""Real `rove mcp` processes with a home folder of their own, and checks of what they leave behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.processes import browser_of, eventually, marked, run_folders, watchdogs
from tests.site import OWN_SITES, Site

ROVE = str(Path(sys.executable).parent / "rove")
# How long cleaning up may take after the last process has ended.
PATIENCE = 20.0
# For starting and ending on a busy machine, which the tests do not measure.
LONG_TIMEOUT = 60.0
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class RoveHome:
    """A ROVE_HOME and a temporary folder for the processes of one test, so that it finds what they leave behind."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "h"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *prefix: str, **settings: str) -> subprocess.Popen[bytes]:
        """Start a server, with settings named as in the environment: `LIMITS_IDLE="5"`."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
        own = {"HOME": str(self.home), "ALLOW_HOST": ",".join(OWN_SITES), **settings}
        environment |= {f"ROVE_{name}": value for name, value in own.items()}
        process = subprocess.Popen(
            [*prefix, ROVE, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, "TMPDIR": str(self.temporary)},
        )
        self.processes.append(process)
        return process

    def pid_of(self, name: str, server: subprocess.Popen[bytes]) -> int:
        """Return the process id of the server (`rove`), its `watchdog` or its browser."""
        if name == "rove":
            return server.pid
        if name == "watchdog":
            return watchdogs(self.home)[0]
        return browser_of(self.home)

    def is_clean(self) -> bool:
        return not (marked(self.home) or watchdogs(self.home) or run_folders(self.home) or self._temporary_files())

    def assert_clean(self) -> None:
        if not eventually(self.is_clean, PATIENCE):
            left = (marked(self.home), watchdogs(self.home), run_folders(self.home), self._temporary_files())
            text = "left behind: processes {}, watchdogs {}, run folders {}, temporary files {}"
            raise AssertionError(text.format(*left))

    def kill_all(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        for pid in [*marked(self.home), *watchdogs(self.home)]:
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL)

    def _temporary_files(self) -> list[Path]:
        return list(self.temporary.iterdir())


@contextmanager
def temporary_rove_home() -> Generator[RoveHome]:
    """Yield a home folder; kill its processes and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    rove_home = RoveHome(folder)
    try:
        yield rove_home
    finally:
        rove_home.kill_all()
        shutil.rmtree(folder, ignore_errors=True)


def call(process: subprocess.Popen[bytes], name: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its answer."""
    send_call(process, name, **arguments)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def start_with_page(rove_home: RoveHome, site: Site, *prefix: str, **settings: str) -> subprocess.Popen[bytes]:
    """Start a server, and open a page in its browser."""
    process = rove_home.start(*prefix, **settings)
    answer = call(process, "browser_navigate", url=site.page("/", "<title>Page</title><input>"))
    assert not answer["result"].get("isError"), answer
    assert run_folders(rove_home.home)
    assert marked(rove_home.home)
    return process


def close_input(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, as a client does when it has finished."""
    assert process.stdin is not None
    process.stdin.close()


def send_call(process: subprocess.Popen[bytes], name: str, /, **arguments: Any) -> None:
    """Call a tool without waiting for its answer."""
    params = {"name": name, "arguments": arguments, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def assert_exits(process: subprocess.Popen[bytes]) -> None:
    assert eventually(lambda: process.poll() is not None, LONG_TIMEOUT)
