"""Colours on terminals that want them. Imported by every surface that writes to one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


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
