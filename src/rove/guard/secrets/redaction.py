"""Takes secrets out of text, in whatever way they are spelled there."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from rove.guard.wrapping.invisible import without_invisible

# Shorter than this, a value would be found in words that have nothing to do with it.
SHORTEST = 4
# Of a long value, a beginning of this length tells too much already: texts are cut where they get too long.
BEGINNING = 8
LONG = 16

# Characters that a browser leaves as they are, in a component, in a form, in a query and in a path.
_COMPONENT = "!'()*~"
_FORM = "*"
_QUERY = "!$%&'()*+,/:;=?@[\\]^`{|}~"
_PATH = "!$%&'()*+,/:;=@[\\]|~"


class Form(NamedTuple):
    """One spelling of a secret, in lower case, and what is said in its place."""

    spelling: str
    label: str


class Redaction:
    """Replaces every spelling of every value by the secret's name."""

    def __init__(self, values: Mapping[str, str]) -> None:
        found = {_lower(spelling): name for name, value in values.items() for spelling in spellings(value)}
        # The longest first: a spelling may hold another.
        longest_first = sorted(found, key=len, reverse=True)
        self._forms = [Form(spelling, f"[secret {found[spelling]}]") for spelling in longest_first]
        self._long = [form for form in self._forms if len(form.spelling) >= LONG]

    def __call__(self, text: str) -> str:
        said = self._redacted(text)
        # What shows nothing is dropped on the way out, and would leave a value whole that was parted by it.
        bare = without_invisible(said)
        clear = said if bare == said else self._redacted(bare)
        return said if clear == bare else clear

    def _redacted(self, text: str) -> str:
        for form in self._forms:
            text = _replaced(text, form.spelling, form)
        # Only now the beginnings, since what is left of a whole one after its beginning could be read.
        for form in self._long:
            text = _replaced(text, form.spelling[:BEGINNING], form)
        return text


def spellings(value: str) -> Iterator[str]:
    """A value as it stands in plain text, JSON, addresses, HTML and base64."""
    yield value
    yield " ".join(value.split())  # as pages show it
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
    """What base64 makes of it wherever it begins in what is encoded, less the letters that its neighbours decide."""
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode("ascii")
        first = -(-offset * 8 // 6)
        last = (offset + len(value)) * 8 // 6
        if last - first > SHORTEST:
            yield encoded[first:last]
            yield encoded[first:last].replace("+", "-").replace("/", "_")


def _replaced(text: str, beginning: str, form: Form) -> str:
    """The text without whatever begins so and goes on as the form does, in capitals or not."""
    lowered = _lower(text)
    at = lowered.find(beginning)
    if at < 0:
        return text
    pieces: list[str] = []
    done = 0
    while at >= 0:
        pieces += [text[done:at], form.label]
        done = at + _alike(lowered[at : at + len(form.spelling)], form.spelling)
        at = lowered.find(beginning, done)
    return "".join([*pieces, text[done:]])


def _alike(one: str, other: str) -> int:
    """How many letters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _lower(text: str) -> str:
    """In lower case, letter by letter, so that places stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
