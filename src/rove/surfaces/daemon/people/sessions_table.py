"""The open sessions as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rove.render.cleaning import one_line
from rove.surfaces.colours import Palette

NONE_OPEN = "No session is open. `rove open URL` opens one.\n"


def sessions_table(sessions: Sequence[Mapping[str, Any]], palette: Palette) -> str:
    """Return a line for each tab, under the name of its session."""
    rows = [(one_line(session["session"]), tab) for session in sessions for tab in session["tabs"] or [None]]
    width = max((len(name) for name, _ in rows), default=0)
    lines = (f"{palette.paint(name.ljust(width), 'bold')}  {_tab(tab, palette)}\n" for name, tab in rows)
    return "".join(lines) or NONE_OPEN


def _tab(tab: Mapping[str, Any] | None, palette: Palette) -> str:
    if tab is None:
        return "no tab"
    mark = palette.paint("*", "green") if tab["is_current"] else " "
    return f"{mark} {tab['id']:<4} {one_line(tab['url'], 100)}"
