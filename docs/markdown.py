"""Rows, lists and docstrings as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def listed(words: Sequence[str] | Mapping[str, Any], last: str = "and") -> str:
    *first, final = [f"`{word}`" for word in words]
    return f"{', '.join(first)} {last} {final}" if first else final


def doc(thing: Any) -> str:
    return " ".join(thing.__doc__.split())
