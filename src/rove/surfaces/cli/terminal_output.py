"""Colours on terminals that want them, and a bar that shows how far something is."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
WIDTH = 30
# Redrawing at every chunk would keep a fast download waiting for a slow terminal.
REDRAWN_AFTER = 0.1


class Palette:
    """Paints words, or leaves them as they are."""

    def __init__(self, is_used: bool) -> None:
        self.is_used = is_used

    def paint(self, text: str, style: str) -> str:
        return f"\033[{_CODES[style]}m{text}\033[0m" if self.is_used and text else text


PLAIN = Palette(False)


def palette_for(stream: TextIO, environment: Mapping[str, str] | None = None) -> Palette:
    """Return colours for a terminal, unless the user wants none (https://no-color.org)."""
    variables = os.environ if environment is None else environment
    wants_none = bool(variables.get("NO_COLOR")) or variables.get("TERM") == "dumb"
    return Palette(stream.isatty() and not wants_none)


def bar(have: int, length: int) -> str:
    """Return a bar that is filled as far as the work is done."""
    filled = WIDTH * min(have, length) // length
    return "█" * filled + "░" * (WIDTH - filled)


class ProgressBar:
    """Draws one line again and again, and ends it when everything is there."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._drawn = 0.0
        self._began: tuple[float, int] | None = None

    def __call__(self, have: int, length: int | None) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = (now, have)
        is_complete = have == length
        if is_complete or now - self._drawn >= REDRAWN_AFTER:
            self._drawn = now
            self._terminal.write(f"\r{self._line(have, length, now)}\033[K{chr(10) if is_complete else ''}")
            self._terminal.flush()

    def _line(self, have: int, length: int | None, now: float) -> str:
        assert self._began is not None
        began, already = self._began
        speed = f"{(have - already) / 2**20 / max(now - began, 0.001):.1f} MB/s"
        if not length:
            return f"  {have / 2**20:.0f} MB  {speed}"
        return (
            f"  {bar(have, length)} {100 * have // length:3} %  {have / 2**20:.0f} of {length / 2**20:.0f} MB  {speed}"
        )
