"""Attaching to a browser that a person runs: its processes stay, and nothing is left of rove."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest
from tests.browser.attachment.tabs import WARNING
from tests.person import Person
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow


async def test_processes_of_the_persons_browser_are_not_measured_or_killed(
    session: Session, sessions: Sessions
) -> None:
    await session.tabs()
    browser = sessions._browsers.shared.current
    assert browser is not None
    assert browser.memory_in_use() is None
    assert not browser.kill_largest_page()
    assert not sessions.session().is_idle


async def test_nothing_is_left_in_the_run_folder(attached: Settings) -> None:
    async with Sessions(attached) as sessions:
        await Session(sessions, None).tabs()
        assert len(list((attached.home_folder / "run").iterdir())) == 1
    assert list((attached.home_folder / "run").iterdir()) == []


class Server:
    """`rove mcp --attach` as a process of its own."""

    def __init__(self, settings: Settings) -> None:
        words = ["mcp", "--attach", str(settings.attach), "--allow-host", settings.allow_host[0]]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rove", *words, "--home", str(settings.home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._asked = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test"}})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self._asked += 1
        question = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._asked:
                return answer

    def call(self, tool: str, **arguments: Any) -> str:
        text: str = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["content"][0]["text"]
        return text

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def server(attached: Settings) -> Generator[Server]:
    server = Server(attached)
    yield server
    server.close()


def test_after_the_client_disconnects_the_browser_has_only_the_persons_tabs(
    server: Server, person: Person, mine: str
) -> None:
    assert WARNING in server.call("browser_navigate", url=mine)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=mine, session="beside")
    assert person.tabs == [mine] * 3
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(30) == 0
    person.until_tabs_are(mine)
    assert person.is_running


def test_the_browser_keeps_running_when_rove_is_killed(
    server: Server, person: Person, attached: Settings, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    server.call("browser_navigate", url=other)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=other, session="beside")
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    # The tabs of a named session are closed with it; a tab in the person's context stays open.
    person.until_tabs_are(mine, other)
    assert person.is_running
    person.open(site.page("/next", "<h1>Next</h1>"))
    again = Server(attached)
    try:
        assert site.url("/next") in again.call("browser_tabs")
        assert len(list((attached.home_folder / "run").iterdir())) == 1, "what was left behind is swept"
    finally:
        again.close()
