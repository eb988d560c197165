"""Ledgers to write into, and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_writer import Ledger

LARGE = 1 << 30


def ledger_files(folder: Path) -> LedgerFiles:
    return LedgerFiles(folder, "mine")


def written(folder: Path, count: int, largest: int = LARGE, keep: int = 0) -> LedgerFiles:
    """Append `count` entries to the ledger of this folder, and return its files."""
    files = ledger_files(folder)
    ledger = Ledger(files, largest, keep)
    for number in range(count):
        ledger.append(fact(number))
    return files


def fact(number: int) -> dict[str, Any]:
    return {"session": "mine", "action": f"click e{number}"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
