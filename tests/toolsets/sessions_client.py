"""A client of a server with the toolset `sessions`, in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp_types import ToolListChangedNotification
from tests.mcp_clients import ROVE, ToolCaller, environment
from tests.surfaces.approving_clients import ACCEPT, Person

from rove.browser.shared.watchdog import processes_of

LEGACY, NEWEST = "legacy", "2026-07-28"


class Server(ToolCaller):
    """A client of a server process, the questions to its user, and what it was told."""

    def __init__(self, home: Path, person: Person) -> None:
        self.home = home
        self.workspace = home / "workspace"
        self.person = person
        self.changes = 0

    async def __call__(self, message: object) -> None:
        self.changes += isinstance(message, ToolListChangedNotification)

    async def names(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def read(self, session: str, **arguments: Any) -> str:
        """Return what was extracted, without the lines around it."""
        lines = (await self.text("browser_extract_content", session=session, **arguments)).splitlines()
        start = next(index for index, line in enumerate(lines) if line.startswith("<untrusted"))
        end = next(index for index, line in enumerate(lines) if line.startswith("</untrusted"))
        return "\n".join(lines[start + 1 : end])

    def browsers(self) -> list[int]:
        """Return the ids of the browser processes that are running."""
        return [pid for pid in self.processes("--user-data-dir") if "--type=" not in _command_line(pid)]

    def processes(self, flag: str) -> list[int]:
        """Return the ids of the processes that were started with a flag."""
        runs = self.home / "run"
        pids = [pid for folder in runs.iterdir() for pid in processes_of(folder)] if runs.exists() else []
        return [pid for pid in pids if flag in _command_line(pid)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@asynccontextmanager
async def served(
    home: Path, mode: str = LEGACY, person: Person | None = None, *flags: str, **more: str
) -> AsyncGenerator[Server]:
    own = home / "named"
    own.mkdir(exist_ok=True)
    server = Server(own, person or Person(ACCEPT))
    command = ["mcp", "--toolset", "sessions", "--deadlines-action", "30", *flags]
    parameters = StdioServerParameters(command=ROVE, args=command, env={**environment(own), **more})
    asking = server.person if person is None or person.answers else None
    async with Client(
        parameters, mode=mode, read_timeout_seconds=60, elicitation_callback=asking, message_handler=server
    ) as server.client:
        yield server
