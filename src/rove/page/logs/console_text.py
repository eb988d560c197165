"""Texts of console messages: cut to a length, and the place in a script that wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rove.validation.pattern import pattern

MAX_LENGTH = 1000
MAX_URL_LENGTH = 300
_PLACEHOLDER = pattern(r"%[sdifoOc%]")


def source_location(frame: dict[str, Any]) -> str:
    """Return a location such as `https://example.com/app.js:12:5`; empty if it is unknown."""
    url = frame.get("url", "")
    if not url:
        return ""
    line = f":{frame['lineNumber'] + 1}" if "lineNumber" in frame else ""
    column = f":{frame['columnNumber'] + 1}" if "columnNumber" in frame else ""
    return _clean_url(url) + line + column


def truncate(text: str, longest: int = MAX_LENGTH) -> str:
    """Cut a text to so many characters and append its full length."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def _clean_url(url: str) -> str:
    # A script can choose its own name with `sourceURL`, including spaces and line breaks.
    clean = "".join(url.split())
    return clean if len(clean) <= MAX_URL_LENGTH else clean[: MAX_URL_LENGTH - 1] + "…"


def fill_placeholders(template: str, arguments: Iterable[str]) -> str:
    """Replace `%s`, `%d` and the like by the arguments; `%c`, which only sets a style, is left out."""
    rest = iter(arguments)

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(rest, None)
        if value is None:
            return match[0]
        return "" if match[0] == "%c" else value

    return " ".join([_PLACEHOLDER.sub(fill, template), *rest])
