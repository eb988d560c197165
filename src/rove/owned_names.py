"""Names of what belongs to one client of a server: `shop~1f0c2ab34d56` is the session `shop` of that client alone.

The mark behind a name says whose it is, also in the names of journals, files and events, and after a restart. What the
person who runs the server opens has no mark. A client that names something always means its own, so that a name of
another client is for it a name that was never used.
"""

from __future__ import annotations

import re
from hashlib import sha256

from rove.patterns import pattern

SIGN = "~"
DIGITS = 12
_MARKED = pattern(r".+(~[0-9a-f]{12})", re.DOTALL)


def mark_of(owner: str | None) -> str:
    """Return what ends the names of an owner: nothing for the person who runs the server."""
    return "" if owner is None else f"{SIGN}{sha256(owner.encode()).hexdigest()[:DIGITS]}"


def mark_in(name: str) -> str:
    """Return the mark at the end of a name: nothing if it belongs to the person who runs the server."""
    found = _MARKED.fullmatch(name)
    return found[1] if found else ""


def own_name(name: str, owner: str | None) -> str:
    """Return the full name of what an owner calls by this name. It may give the mark itself, or leave it out."""
    mark = mark_of(owner)
    return name if name.endswith(mark) else name + mark


def is_named_by(name: str, owner: str | None) -> bool:
    """Whether a full name is one that this owner has given."""
    return mark_in(name) == mark_of(owner)


def without_mark(name: str) -> str:
    """Return a full name as its owner has given it."""
    return name.removesuffix(mark_in(name))
