"""What an action changed on the page is in its entry, shortened and without secrets."""

from __future__ import annotations

import json
from pathlib import Path

from tests.redactor import Redactor

from rove.actions.input import Click
from rove.engine.journal import MOST_CHANGES, Journal

SECRET = "hunter2"


async def test_changes_are_shortened_after_secrets_are_removed(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine", redactor=Redactor())
    before = "x" * (MOST_CHANGES - 3)
    async with journal.entry(Click("e1")) as entry:
        entry.changes = before + SECRET + "y" * 100
    await journal.close()
    (line,) = (tmp_path / "mine.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["changes"] == before + "***…"
