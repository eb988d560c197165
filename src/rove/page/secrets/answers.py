"""Removes secrets from what rove's script answers, before any of it is cut, compared or searched."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rove.browser.network.withholding import TextRedactor

# Columns of a snapshot that are numbers of rove's own, as text, and the one that has a number before each text.
NUMBERS = frozenset({"depths", "flags", "refs", "starts", "children"})
PLACED = "hrefs"
_NUMBERS = re.compile(r"[-0-9 ]*")


def redacted_answer(answer: Any, redactor: TextRedactor) -> Any:
    """Return a JSON value in which every text is free of secrets, also of those that are spread over several."""
    if not redactor.names or answer is None or isinstance(answer, bool | int | float):
        return answer
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    _replace_texts(answer, collect)
    clear = redactor.redact_all(texts)
    if clear == texts:
        return answer
    remaining = iter(clear)
    return _replace_texts(answer, lambda _: next(remaining))


def _replace_texts(value: Any, replace: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [_replace_texts(item, replace) for item in value]
    if isinstance(value, dict):
        return {key: _replace_item(key, item, replace) for key, item in value.items()}
    return value


def _replace_item(key: str, item: Any, replace: Callable[[str], str]) -> Any:
    if isinstance(item, str) and key in NUMBERS and _NUMBERS.fullmatch(item):
        return item
    if isinstance(item, str) and key == PLACED:
        return (
            "\n".join(f"{place} {replace(text)}" for place, text in map(_divided, item.split("\n"))) if item else item
        )
    return _replace_texts(item, replace)


def _divided(entry: str) -> tuple[str, str]:
    place, _, text = entry.partition(" ")
    return place, text
