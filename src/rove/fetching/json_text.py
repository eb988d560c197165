"""JSON as data, and whether the data says all that the text does."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def parse_json(text: str) -> Any:
    """Return JSON data; None if the text is none or is nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def survives_parsing(text: str) -> bool:
    """Whether valid JSON has neither numbers that Python rounds nor objects with a name twice."""
    try:
        json.loads(text, parse_float=_exact, object_pairs_hook=_unique)
    except _Lossy:
        return False
    return True


class _Lossy(Exception):
    """Data that would differ from the text."""


def _exact(number: str) -> float:
    value = float(number)
    if Decimal(repr(value)) != Decimal(number):
        raise _Lossy
    return value


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _Lossy
