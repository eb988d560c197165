"""The numbers of a tab's frames, which the refs of aria snapshots begin with."""

from __future__ import annotations

EMPTY = ("", "about:blank")


class FrameOrder:
    """Numbers frames in the order in which they were attached; the main frame is 0 at first.

    The main frame gets another number with each document after its first, so that no ref is given twice.
    """

    def __init__(self, main_frame: str) -> None:
        self._main = main_frame
        self._numbers = {main_frame: 0}
        self._count = 1
        self._url = ""

    def note_document(self, frame: str, url: str) -> None:
        """Note that a frame shows another document."""
        if frame == self._main:
            if self._url not in EMPTY:
                self._numbers[self._main] = self._take()
            self._url = url

    def number(self, frame: str) -> int:
        """Return the number of a frame."""
        if frame not in self._numbers:
            self._numbers[frame] = self._take()
        return self._numbers[frame]

    def _take(self) -> int:
        self._count += 1
        return self._count - 1

    def prefix(self, frame: str) -> str:
        """Return what the refs of a frame begin with: `f2`, nothing for the frame 0."""
        number = self.number(frame)
        return f"f{number}" if number else ""
