"""The answer of one run as it grows: its text, told in small pieces, and the pictures that tools returned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rove.surfaces.gateway.tools.tool import ToolAttachment

# Text that arrives within this many seconds is told together: a model may send hundreds of pieces a second.
GATHER_SECONDS = 0.04
BETWEEN_PARTS = "\n\n"
# Most bytes of pictures that the end of a run repeats; each of them was told with its call already.
MOST_ATTACHED = 4 * 1024 * 1024
Tell = Callable[[str], None]


class Reply:
    """Gathers text and tells it with `tell`."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told: list[str] = []
        self._gathered = ""
        self._timer: asyncio.TimerHandle | None = None
        self._attachments: list[ToolAttachment] = []

    @property
    def text(self) -> str:
        """Everything that was told so far."""
        return "".join(self._told)

    def begin_part(self) -> None:
        """Set off the text that follows from that before it, such as that before a call of a tool."""
        self.flush()
        if self.text and not self.text.endswith("\n"):
            self._gathered = BETWEEN_PARTS

    def add(self, text: str) -> None:
        """Add text, which is told in a moment."""
        self._gathered += text
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER_SECONDS, self.flush)

    def flush(self) -> None:
        """Tell what has gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        gathered, self._gathered = self._gathered, ""
        if gathered:
            self._told.append(gathered)
            self._tell(gathered)

    def attach(self, attachments: tuple[ToolAttachment, ...]) -> None:
        """Keep the pictures and files of a call for the end of the run."""
        self._attachments += attachments

    def attached(self) -> tuple[list[ToolAttachment], int]:
        """Return the last pictures and files that have room at the end, and how many others there were."""
        room, kept = MOST_ATTACHED, list[ToolAttachment]()
        for attachment in reversed(self._attachments):
            room -= len(attachment.data)
            if room < 0:
                break
            kept.insert(0, attachment)
        return kept, len(self._attachments) - len(kept)
