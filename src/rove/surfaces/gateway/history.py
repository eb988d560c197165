"""The record of a session, read for clients. The journal is that record: there is no other."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.engine.journal import EARLIER
from rove.errors import NotOpen
from rove.ledger.files import LedgerFiles, names
from rove.ledger.reader import recent
from rove.owned_names import without_mark


def read_entries(folder: Path, session: str, after: int, limit: int, last: bool) -> tuple[list[dict[str, Any]], bool]:
    """Return entries after a number, or the last ones, each with its number; and whether there are more."""
    if session not in names(folder):
        named = without_mark(session)
        raise NotOpen(f"There is no record of a session {named}.", hint="List the sessions with sessions.list.")
    count = limit if last else sys.maxsize
    links = [link for link in recent(LedgerFiles(folder, session), count, lambda _: True).links if link.seq > after]
    attached = {each["sha256"]: each for link in links for each in link.facts.get("attachments", ())}
    return [{"number": link.seq, **_whole(link.facts, attached)} for link in links[:limit]], len(links) > limit


def _whole(facts: Mapping[str, Any], attached: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with the attachments that the entries of its actions have."""
    earlier = [attached[digest] for digest in facts.get(EARLIER, ()) if digest in attached]
    return {**facts, "attachments": [*earlier, *facts["attachments"]]} if earlier else dict(facts)


def recorded(folder: Path) -> list[str]:
    """Return the names of the sessions that have a record, the newest first."""
    return sorted(names(folder), key=lambda name: _last_change(LedgerFiles(folder, name).current), reverse=True)


def _last_change(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
