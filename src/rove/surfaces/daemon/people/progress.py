"""What a person at a terminal is told of a command that takes longer than a second."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType

from rove.render.cleaning import one_line
from rove.surfaces.daemon.reply import Reply

# Seconds before anything is shown, and between two updates.
INTERVAL = 1.0


class Progress:
    """A line that says what goes on and for how long, until there is an answer. Only where a person reads it."""

    def __init__(self, command: str, reply: Reply) -> None:
        self._text = command
        self._reply = reply
        self._began = time.monotonic()
        self._showing: asyncio.Task[None] | None = None

    def report(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Take what the engine tells of its progress."""
        part = f" ({100 * done / total:.0f} %)" if done is not None and total else ""
        self._text = message + part

    def __enter__(self) -> Progress:
        if self._reply.shows_progress:
            self._showing = asyncio.create_task(self._show())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._showing is not None:
            self._showing.cancel()

    async def _show(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            if not self._reply.is_asking:
                width = max(self._reply.columns - 10, 20)
                self._reply.send(progress=f"{one_line(self._text, width)}  {time.monotonic() - self._began:.0f} s")
