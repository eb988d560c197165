"""No orphan, ever: whoever dies, in whatever order, nothing is left running and no folder behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import browser_of, eventually, keepers, marked, pages_of, run_folders
from tests.site import Site

ROVE = str(Path(sys.executable).parent / "rove")
# From the last death until nothing is left.
PATIENCE = 5.0
# For what is not measured: starting and ending on a busy machine.
LONG = 60.0
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

# A client that starts a server, hands our calls through, and can be killed.
CLIENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    server.stdin.write(line)
    server.stdin.flush()
    sys.stdout.buffer.write(server.stdout.readline())
    sys.stdout.buffer.flush()
"""


class House:
    """A ROVE_HOME and a temporary folder of its own, so that whatever is left behind is left in here."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "h"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *prefix: str) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
        process = subprocess.Popen(
            [*prefix, ROVE, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, "ROVE_HOME": str(self.home), "TMPDIR": str(self.temporary)},
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
            os.kill(pid, signal.SIGKILL)

    def _scraps(self) -> list[Path]:
        return list(self.temporary.iterdir())


@pytest.fixture
def house() -> Generator[House]:
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    made = House(folder)
    yield made
    made.end()
    shutil.rmtree(folder, ignore_errors=True)


def call(process: subprocess.Popen[bytes], name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and wait for the answer."""
    begin(process, name, **arguments)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def used(house: House, site: Site, *prefix: str) -> subprocess.Popen[bytes]:
    """A server that has a browser with a page in it."""
    process = house.start(*prefix)
    answer = call(process, "browser_navigate", url=site.page("/", "<title>Page</title><input>"))
    assert not answer["result"].get("isError"), answer
    assert run_folders(house.home)
    assert marked(house.home)
    return process


def leave(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, as a client that has finished does."""
    assert process.stdin is not None
    process.stdin.close()


def begin(process: subprocess.Popen[bytes], name: str, **arguments: Any) -> None:
    """Call a tool and do not wait."""
    params = {"name": name, "arguments": arguments, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def ended(process: subprocess.Popen[bytes]) -> None:
    assert eventually(lambda: process.poll() is not None, LONG)


ORDERS = [
    ("rove",),
    ("browser",),
    ("keeper",),
    ("rove", "browser"),
    ("browser", "rove"),
    ("keeper", "browser"),
    ("keeper", "rove"),
    ("rove", "keeper"),
    ("keeper", "browser", "rove"),
]
every_order = pytest.mark.parametrize("order", ORDERS, ids=" then ".join)


def kill_in(order: tuple[str, ...], house: House, site: Site) -> None:
    server = used(house, site)
    doomed = [house.member(name, server) for name in order]
    for pid in doomed:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # the death of the one before was the death of this one
    if "rove" not in order:
        leave(server)
    ended(server)
    if {"rove", "keeper"} <= set(order):
        # Nobody was left to clear up; the next start does.
        again = used(house, site)
        leave(again)
        ended(again)
    house.assert_clean()


@every_order
def test_nothing_is_left_when_they_are_killed(order: tuple[str, ...], house: House, site: Site) -> None:
    kill_in(order, house, site)


@pytest.mark.slow
@pytest.mark.parametrize("round_number", range(20))
@every_order
def test_nothing_is_left_in_twenty_rounds(order: tuple[str, ...], round_number: int, house: House, site: Site) -> None:
    kill_in(order, house, site)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_the_server_and_all_that_it_started(number: signal.Signals, house: House, site: Site) -> None:
    server = used(house, site)
    server.send_signal(number)
    ended(server)
    assert server.returncode == 0
    house.assert_clean()


def test_a_client_that_closes_the_pipe_ends_the_server(house: House, site: Site) -> None:
    server = used(house, site)
    leave(server)
    ended(server)
    assert server.returncode == 0
    house.assert_clean()


def test_a_client_that_is_killed_ends_the_server(house: House, site: Site) -> None:
    client = used(house, site, sys.executable, "-c", CLIENT)
    client.kill()
    client.wait()
    house.assert_clean()


def test_a_client_that_is_killed_in_the_middle_of_a_call_ends_the_server(house: House, site: Site) -> None:
    server = used(house, site)
    begin(server, "browser_wait", text="Never", timeout=60)
    leave(server)
    ended(server)
    house.assert_clean()


@pytest.mark.parametrize("last", ["rove", "client"])
def test_35_a_page_s_process_that_is_stopped_is_not_left(last: str, house: House, site: Site) -> None:
    server = used(house, site)
    for pid in pages_of(house.home):
        os.kill(pid, signal.SIGSTOP)
    if last == "rove":
        server.kill()
    else:
        leave(server)
    ended(server)
    house.assert_clean()


def test_a_server_that_was_never_used_leaves_nothing(house: House) -> None:
    server = house.start()
    assert eventually(lambda: bool(marked(house.home)), LONG)
    server.kill()
    ended(server)
    house.assert_clean()


def test_a_server_that_is_killed_while_its_browser_starts_leaves_nothing(house: House, site: Site) -> None:
    server = house.start()
    begin(server, "browser_navigate", url=site.page("/", "<p>Page</p>"))
    assert eventually(lambda: len(marked(house.home)) > 1, LONG)
    server.kill()
    ended(server)
    house.assert_clean()


def test_a_browser_that_dies_is_replaced_and_both_are_cleared_away(house: House, site: Site) -> None:
    server = used(house, site)
    os.kill(browser_of(house.home), signal.SIGKILL)
    url = site.url("/")
    assert eventually(lambda: not call(server, "browser_navigate", url=url)["result"].get("isError"), LONG)
    assert len(run_folders(house.home)) == 1
    leave(server)
    ended(server)
    house.assert_clean()


def test_the_folder_of_a_server_that_still_lives_is_not_swept(house: House, site: Site) -> None:
    first = used(house, site)
    second = used(house, site)
    assert len(run_folders(house.home)) == 2
    answer = call(first, "browser_extract", target="input", mode="html")
    assert not answer["result"].get("isError")
    for server in (first, second):
        leave(server)
        ended(server)
    house.assert_clean()
