"""The record of what was done: one line per action, appended, never rewritten."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rove.action import AnyAction
from rove.errors import RoveError, unwritable


@dataclass
class Entry:
    """What is known of one action so far."""

    action: str
    arguments: dict[str, Any]
    tab: str | None = None
    url: str | None = None
    decision: str = "undecided"
    outcome: str = "unfinished"
    error: str | None = None
    began: float = field(default_factory=time.time)
    seconds: float = 0.0


class Journal:
    """Appends to `sessions/<name>.jsonl`, readable by its owner only."""

    def __init__(self, folder: Path, session: str) -> None:
        self._path = folder / f"{session}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise unwritable(folder, error) from error
        self._session = session

    @contextmanager
    def entry(self, action: AnyAction) -> Generator[Entry]:
        """An entry that is written when the action is over, however it ended."""
        entry = Entry(action.verb, action.arguments)
        began = time.monotonic()
        try:
            yield entry
            entry.outcome = "done"
        except RoveError as error:
            entry.outcome, entry.error = error.code, error.message
            raise
        except BaseException as error:
            entry.outcome, entry.error = "broken off", type(error).__name__
            raise
        finally:
            entry.seconds = round(time.monotonic() - began, 4)
            self._append(entry)

    def _append(self, entry: Entry) -> None:
        line = json.dumps({"session": self._session, **vars(entry)}, ensure_ascii=False) + "\n"
        # One write call with O_APPEND: lines of two processes never mix.
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)
