"""What an action on videos may ask of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rove.page_text import Own


@dataclass(frozen=True)
class VideoFacts:
    """A video file. `withheld`: seconds in which pages were shown that may not be recorded; `problem`: why it ended."""

    path: Own
    seconds: float = 0.0
    width: int = 0
    height: int = 0
    size: int = 0
    withheld: float = 0.0
    problem: Own = Own("")

    def __str__(self) -> str:
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 100_000 else f"{self.size / 1000:.0f} kB"
        facts = f"{self.seconds:.1f} s, {self.width} x {self.height}, {size}"
        withheld = f" For {self.withheld:.1f} s it shows a grey picture, as a person drove or the page may not be read."
        return f"{self.path} ({facts}).{withheld if self.withheld else ''}{f' {self.problem}' if self.problem else ''}"


class VideoDesk(Protocol):
    """Starts and ends the videos of one session."""

    async def start_video(self, name: str | None, tab: str | None, /) -> Own:
        """Record a tab, or whichever is current; return the path of the file."""
        ...

    async def stop_videos(self) -> tuple[VideoFacts, ...]:
        """End the videos that are being recorded, and return those that have ended since the last call too."""
        ...
