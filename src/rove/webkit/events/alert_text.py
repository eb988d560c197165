"""The kind of a dialog and its default, which `scripts/page_world.js` writes ahead of the message."""

from __future__ import annotations

from rove.browser.scripts import NONCE

_FIRST_MARK = 0xFE00
_MARKS_PER_UNIT = 4
_END = "\u2060"
_KINDS = ("alert", "confirm", "prompt")


def read_alert(text: str) -> tuple[str, str, str] | None:
    """Return the kind, the message and the default of a dialog; None if rove's script was not there to write them."""
    marks, found, message = text.partition(_END)
    units = [marks[start : start + _MARKS_PER_UNIT] for start in range(0, len(marks), _MARKS_PER_UNIT)]
    if not found or any(not 0 <= ord(mark) - _FIRST_MARK < 16 for mark in marks):
        return None
    told = "".join(chr(int("".join(f"{ord(mark) - _FIRST_MARK:x}" for mark in unit), 16)) for unit in units)
    kind, preset = told.removeprefix(NONCE)[:1], told[len(NONCE) + 1 :]
    if not told.startswith(NONCE) or kind not in ("0", "1", "2"):
        return None
    return _KINDS[int(kind)], message, preset
