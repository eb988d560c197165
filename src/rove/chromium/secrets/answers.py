"""Removes secrets from what rove's script answers, before any of it is cut, compared or searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.browser.network.withholding import TextRedactor


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
        return {key: _replace_texts(item, replace) for key, item in value.items()}
    return value
