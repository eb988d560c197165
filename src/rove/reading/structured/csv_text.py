"""Rows as CSV, in which no cell is a formula for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Spreadsheets take a text that begins with one of these for a formula.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d[\d.,\s%]*")


def csv_text(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as CSV with a line of headers. Lists and objects are written as JSON."""
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow([_cell(name) for name in columns])
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return output.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _harmless(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else _harmless(json.dumps(value, ensure_ascii=False))


def _harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; numbers stay as they are."""
    is_formula = _FORMULA.match(text.lstrip(" ")) is not None and _NUMBER.fullmatch(text) is None
    return f"'{text}" if is_formula else text
