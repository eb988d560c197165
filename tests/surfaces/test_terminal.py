"""Approval at the terminal: a real server process with a pseudo-terminal."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.site import OWN_SITES, Site

ROVE = str(Path(sys.executable).parent / "rove")
PATIENCE = 30


class Server:
    """A `rove mcp` process with its pipes, and the other end of its terminal."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self._numbers = 0
        self.screen = ""

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await self.request("tools/call", {"name": tool, "arguments": arguments})

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._numbers += 1
        message = {"jsonrpc": "2.0", "id": self._numbers, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(self._process.stdout.readline(), PATIENCE))
        result: dict[str, Any] = answer["result"]
        return result

    async def wait_for_output(self, words: str) -> None:
        """Wait until the terminal shows these words after what was read before."""
        async with asyncio.timeout(PATIENCE):
            while words not in self.screen:
                self.screen += (await asyncio.to_thread(os.read, self._terminal, 4096)).decode()
        self.screen = self.screen.partition(words)[2]

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())


@contextlib.asynccontextmanager
async def serving(home: Path, *flags: str) -> AsyncGenerator[Server]:
    home.mkdir(exist_ok=True)
    policy = home / "policy.toml"
    policy.write_text('[[rule]]\ndecide = "ask"\naction = "click"\nquestion = "Shall it?"\n')
    ours, theirs = pty.openpty()

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = await asyncio.create_subprocess_exec(
        ROVE,
        *("mcp", "--approve", "terminal", *flags),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=own_terminal,
        env={**os.environ, "ROVE_ALLOW_HOST": ",".join(OWN_SITES), "ROVE_HOME": str(home)},
    )
    server = Server(process, ours)
    try:
        # The client could ask, but the owner chose the terminal.
        opening = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
        await server.request("initialize", opening)
        yield server
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), PATIENCE)
        # Only now, because a terminal that no process has open cannot be read from the other end.
        os.close(theirs)
        os.close(ours)


@pytest.fixture(scope="module")
async def server(home: Path) -> AsyncGenerator[Server]:
    async with serving(home / "tty") as made:
        yield made


PAGE = "<button onclick=\"fetch('/pressed')\">Brew</button>"


async def start_click(server: Server, site: Site) -> asyncio.Task[dict[str, Any]]:
    """Start a click that waits for approval at the terminal."""
    await server.call("browser_navigate", url=site.page("/", PAGE))
    start_click = asyncio.ensure_future(server.call("browser_click", target="button"))
    await server.wait_for_output('Element: button "Brew"')
    await server.wait_for_output("anything else is no: ")
    return start_click


@pytest.mark.parametrize("typed", ["y\n", "YES\n"])
async def test_a_yes_at_the_terminal_clicks_the_button(server: Server, site: Site, typed: str) -> None:
    pressed = await start_click(server, site)
    assert site.asked("/pressed") == []
    server.type(typed)
    assert "isError" not in await pressed
    await server.wait_for_output("rove: allowed")
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize("typed", ["\n", "n\n", "no\n", "yn\n", "maybe y\n", "\x04"])
async def test_any_other_answer_clicks_nothing(server: Server, site: Site, typed: str) -> None:
    pressed = await start_click(server, site)
    server.type(typed)
    assert (await pressed)["structuredContent"]["error"]["code"] == "denied"
    await server.wait_for_output("rove: denied")
    assert site.asked("/pressed") == []


async def test_input_typed_before_the_question_is_not_an_answer(server: Server, site: Site) -> None:
    server.type("y\ny\ny\n")
    pressed = await start_click(server, site)
    server.type("n\n")
    assert (await pressed)["isError"]
    assert site.asked("/pressed") == []


async def test_a_late_yes_does_not_answer_the_next_question(home: Path, site: Site) -> None:
    async with serving(home / "late-tty", "--deadlines-approval", "0.4") as server:
        pressed = await start_click(server, site)
        await server.wait_for_output("too late")
        assert (await pressed)["isError"]
        server.type("y\n")
        pressed = await start_click(server, site)
        await server.wait_for_output("too late")
        assert (await pressed)["isError"]
    assert site.asked("/pressed") == []


def test_without_a_terminal_the_server_does_not_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [ROVE, "mcp", "--approve", "terminal"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
        env={**os.environ, "ROVE_HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "terminal" in done.stderr
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []
