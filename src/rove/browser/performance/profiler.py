"""Recording what a page does: a trace in the workspace, and a summary of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rove.errors import Unsupported
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.tracing.summary import TraceSummary


@dataclass(frozen=True)
class RecordedTrace:
    """A trace in the workspace, and what it says. `is_cut`: the recording was longer than the browser could keep."""

    path: Path
    size: int
    summary: TraceSummary
    is_cut: bool


class Profiler(Protocol):
    """Records one tab. Other tabs and sessions are not in what it writes."""

    @property
    def is_recording(self) -> bool: ...
    async def start(self) -> None:
        """Start to record; raise LimitReached if the browser records another tab, Unsupported if it cannot at all."""

    async def stop(self, name: str, /) -> RecordedTrace:
        """Stop, and write what was recorded to a file of this name; raise InvalidArguments if nothing is recorded."""
        ...

    async def discard(self) -> None:
        """Stop and keep nothing."""


class NoProfiler:
    """The profiler of an engine that records nothing."""

    is_recording = False

    async def start(self) -> None:
        raise _unsupported()

    async def stop(self, name: str) -> RecordedTrace:
        raise _unsupported()

    async def discard(self) -> None:
        """Do nothing: there is nothing to stop."""


def _unsupported() -> Unsupported:
    return Unsupported(
        "This browser engine gives no profile of a page to programs.",
        hint="Use {web_vitals}, or a session with the engine chromium.",
    )
