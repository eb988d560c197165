"""The open sessions as a table for people, or as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rove.render.cleaning import one_line

NONE_OPEN = "No session is open. `rove open URL` opens one.\n"


def sessions_table(sessions: Sequence[Mapping[str, Any]], as_json: bool) -> str:
    """Return a line for each tab, under the name of its session."""
    if as_json:
        return json.dumps(list(sessions), ensure_ascii=False) + "\n"
    rows = [(session["session"], tab) for session in sessions for tab in session["tabs"] or [None]]
    width = max((len(name) for name, _ in rows), default=0)
    return "".join(f"{name:<{width}}  {_tab(tab)}\n" for name, tab in rows) or NONE_OPEN


def _tab(tab: Mapping[str, Any] | None) -> str:
    if tab is None:
        return "no tab"
    return f"{'*' if tab['is_current'] else ' '} {tab['id']:<4} {one_line(tab['url'], 100)}"
