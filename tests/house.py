"""A real `rove mcp` process with a home of its own, spoken to line by line, and a look at what it leaves behind."""

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

from tests.processes import browser_of, eventually, keepers, marked, run_folders
from tests.site import OWN_SITES, Site

ROVE = str(Path(sys.executable).parent / "rove")
# From the last death until nothing is left.
PATIENCE = 20.0
# For what is not measured: starting and ending on a busy machine.
LONG = 60.0
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class House:
    """A ROVE_HOME and a temporary folder of its own, so that whatever is left behind is left in here."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "h"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *prefix: str, **settings: str) -> subprocess.Popen[bytes]:
        """Start a server, with settings as in the environment: `LIMITS_IDLE="5"`."""
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

    def member(self, name: str, server: subprocess.Popen[bytes]) -> int:
        """The process id of one of those who may die."""
        if name == "rove":
            return server.pid
        if name == "keeper":
            return keepers(self.home)[0]
        return browser_of(self.home)

    def is_clean(self) -> bool:
        return not (marked(self.home) or keepers(self.home) or run_folders(self.home) or self._scraps())

    def assert_clean(self) -> None:
        if not eventually(self.is_clean, PATIENCE):
            left = (marked(self.home), keepers(self.home), run_folders(self.home), self._scraps())
            raise AssertionError("left behind: processes {}, keepers {}, run folders {}, scraps {}".format(*left))

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        for pid in [*marked(self.home), *keepers(self.home)]:
            with suppress(ProcessLookupError):  # gone meanwhile
                os.kill(pid, signal.SIGKILL)

    def _scraps(self) -> list[Path]:
        return list(self.temporary.iterdir())


@contextmanager
def housed() -> Generator[House]:
    """A house that is pulled down afterwards, whoever still lives in it."""
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    made = House(folder)
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(folder, ignore_errors=True)


def call(process: subprocess.Popen[bytes], name: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool and wait for the answer."""
    begin(process, name, **arguments)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def used(house: House, site: Site, *prefix: str, **settings: str) -> subprocess.Popen[bytes]:
    """A server that has a browser with a page in it."""
    process = house.start(*prefix, **settings)
    answer = call(process, "browser_navigate", url=site.page("/", "<title>Page</title><input>"))
    assert not answer["result"].get("isError"), answer
    assert run_folders(house.home)
    assert marked(house.home)
    return process


def leave(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, as a client that has finished does."""
    assert process.stdin is not None
    process.stdin.close()


def begin(process: subprocess.Popen[bytes], name: str, /, **arguments: Any) -> None:
    """Call a tool and do not wait."""
    params = {"name": name, "arguments": arguments, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def ended(process: subprocess.Popen[bytes]) -> None:
    assert eventually(lambda: process.poll() is not None, LONG)
