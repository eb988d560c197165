"""Files of the workspace that views refer to: snapshots and console messages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from rove.browser.page_data import LEVELS, ConsoleMessage
from rove.outcome import moment
from rove.page_text import Own
from rove.views.console_line import console_line
from rove.views.page_view import WrittenLines
from rove.workspace import Workspace

FOLDER = ".playwright-mcp"
LEAST_LEVEL = "info"


def stamp(at: float) -> str:
    """Format a time for the name of a file: 2026-01-31T12-30-00-000Z."""
    return moment(at).removesuffix("+00:00").replace(":", "-").replace(".", "-") + "Z"


async def save_snapshot(workspace: Path, text: str) -> str:
    """Write a snapshot to a new file; return its path."""
    return str(await Workspace(workspace).save(FOLDER, f"page-{stamp(time.time())}.yml", text.encode()))


class ConsoleFile:
    """The console messages of a tab's document, in a file that grows."""

    def __init__(self) -> None:
        self._loaded = 0.0
        self._path: Path | None = None
        self._lines = 0
        self._told: set[tuple[float, str]] = set()

    async def write(
        self, workspace: Path, loaded: float, messages: list[ConsoleMessage], redact: Callable[[str], str]
    ) -> WrittenLines | None:
        """Add the messages that are not in the file yet, without secrets; another document gets another file."""
        if loaded != self._loaded:
            self._loaded, self._path, self._lines, self._told = loaded, None, 0, set()
        fresh = [
            message for message in messages if (message.at, message.text) not in self._told and _is_written(message)
        ]
        if not fresh:
            return None
        self._told |= {(message.at, message.text) for message in fresh}
        text = redact("".join(_written(each, loaded) for each in fresh))
        first, self._lines = self._lines + 1, self._lines + text.count("\n")
        if self._path is None:
            self._path = await Workspace(workspace).save(FOLDER, f"console-{stamp(loaded)}.log", text.encode())
        else:
            await asyncio.to_thread(Workspace(workspace).append, self._path, text.encode())
        return WrittenLines(Own(self._path), first, self._lines)


def _written(message: ConsoleMessage, loaded: float) -> str:
    line = console_line(message.kind, message.level, message.text, message.location)
    return f"[{round((message.at - loaded) * 1000):>8}ms] {line}\n"


def _is_written(message: ConsoleMessage) -> bool:
    return LEVELS.index(message.level) >= LEVELS.index(LEAST_LEVEL)
