"""Removes secret values from text, also where they are encoded."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from rove.guard.wrapping.invisible import without_invisible

# A shorter value would be found inside unrelated words.
MIN_LENGTH = 4
# Long texts are truncated, possibly inside a value. Of a long value, a prefix of this length is removed as well.
PREFIX_LENGTH = 8
LONG_VALUE_LENGTH = 16

# Characters that a browser does not percent-encode in a URI component, a form, a query and a path.
_COMPONENT = "!'()*~"
_FORM = "*"
_QUERY = "!$%&'()*+,/:;=?@[\\]^`{|}~"
_PATH = "!$%&'()*+,/:;=@[\\]|~"


class EncodedForm(NamedTuple):
    """One encoded form of a secret, in lower case, and the label that replaces it."""

    text: str
    label: str


class Redaction:
    """Replaces the values of secrets, in all of their encoded forms, with their names."""

    def __init__(self, values: Mapping[str, str]) -> None:
        names = {_lower(text): name for name, value in values.items() for text in encoded_forms(value)}
        # Longest first, because one form may contain another.
        longest_first = sorted(names, key=len, reverse=True)
        self._forms = [EncodedForm(text, f"[secret {names[text]}]") for text in longest_first]
        self._long_forms = [form for form in self._forms if len(form.text) >= LONG_VALUE_LENGTH]

    def __call__(self, text: str) -> str:
        redacted = self._redacted(text)
        # Output drops invisible characters. A value that contains some here would then be complete again.
        visible = without_invisible(redacted)
        redacted_visible = redacted if visible == redacted else self._redacted(visible)
        return redacted if redacted_visible == visible else redacted_visible

    def _redacted(self, text: str) -> str:
        for form in self._forms:
            text = _replaced(text, form.text, form)
        # Prefixes come after complete values: otherwise the rest of a complete value would stay readable.
        for form in self._long_forms:
            text = _replaced(text, form.text[:PREFIX_LENGTH], form)
        return text


def encoded_forms(value: str) -> Iterator[str]:
    """Yield a value as it is written in plain text, JSON, URLs, HTML and base64."""
    yield value
    yield " ".join(value.split())  # as pages render white space
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote_plus(value, safe=_FORM, errors="replace")
    for safe in ("", _COMPONENT, _QUERY, _PATH):
        yield quote(value, safe=safe, errors="replace")
    yield html.escape(value)
    yield html.escape(value, quote=False)
    yield value.replace("&", "&amp;").replace('"', "&quot;")
    yield html.escape(value, quote=False).replace('"', "&quot;")
    yield from _base64(value.encode("utf-8", "replace"))


def _base64(value: bytes) -> Iterator[str]:
    """Yield the base64 characters that encode the value at each of the three possible offsets.

    Characters at the edges are left out, because they also depend on the neighbouring bytes.
    """
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode("ascii")
        first = -(-offset * 8 // 6)
        last = (offset + len(value)) * 8 // 6
        if last - first > MIN_LENGTH:
            yield encoded[first:last]
            yield encoded[first:last].replace("+", "-").replace("/", "_")


def _replaced(text: str, prefix: str, form: EncodedForm) -> str:
    """Replace each part of the text that starts with the prefix, as far as it agrees with the form, ignoring case."""
    lowered = _lower(text)
    at = lowered.find(prefix)
    if at < 0:
        return text
    pieces: list[str] = []
    done = 0
    while at >= 0:
        pieces += [text[done:at], form.label]
        done = at + _common_prefix_length(lowered[at : at + len(form.text)], form.text)
        at = lowered.find(prefix, done)
    return "".join([*pieces, text[done:]])


def _common_prefix_length(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _lower(text: str) -> str:
    """Return the text in lower case, character by character, so that positions stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
