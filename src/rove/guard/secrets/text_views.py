"""Other readings of a text: escapes decoded, separators left out, single letters joined, hex digits as characters.

Each reading keeps for every character the span of the original text that it stands for.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, repeat
from typing import NamedTuple, Protocol

from rove.guard.wrapping.invisible import INVISIBLE

# Nested encodings, such as a URL in the query of a URL.
MAX_ROUNDS = 4
_ESCAPE = re.compile(
    r"(?:%[0-9a-fA-F]{2})+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});?"
    r"|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}|\\[0-9a-fA-F]{2,6} ?|\\[nrtbf\"'\\/]"
    r"|=[0-9A-F]{2}"
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
# A letter or digit that stands alone, such as each of "h u n t e r" or of elements with one letter each.
_SINGLE = re.compile(r"(?<![^\W_])[^\W_](?![^\W_])")
_LETTER = re.compile(r"[^\W_]")
_TAG = re.compile(r"<[^<>]{1,300}>")
# Fewer tags do not set five letters apart.
MIN_TAGS = 4
_CHUNK = 2000
_SEPARATORS = re.compile(r"[\W_]+")
_HEX = re.compile(
    r"(?<![0-9a-fA-F])[0-9a-fA-F]{10,}"
    r"|(?<![0-9a-zA-Z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,.;_-]{1,2}){4,}(?:0x|\\x)?[0-9a-fA-F]{2}"
)
_CODES = re.compile(r"(?<![0-9])(?:[0-9]{2,3}[\s,;]{1,2}){4,}[0-9]{2,3}")


class Reading(Protocol):
    """A reading of a text, and where its characters are in the text."""

    @property
    def text(self) -> str: ...
    def span(self, start: int, end: int, /) -> tuple[int, int]: ...


class View(NamedTuple):
    """A reading of a text. The character at index i stands for `starts[i]` up to `ends[i]` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self.starts[start], self.ends[end - 1]

    def then(self, inner: View) -> View:
        """Return a reading of this reading."""
        starts = [self.starts[at] for at in inner.starts]
        return View(inner.text, starts, [self.ends[at - 1] for at in inner.ends])


def _selected(text: str, places: Sequence[int]) -> View:
    return View("".join([text[at] for at in places]), places, [at + 1 for at in places])


def escaped_windows(text: str, reach: int) -> Iterator[tuple[int, str]]:
    """Yield each piece of a text with escapes, and so many characters around it, with its position."""
    start = end = -1
    for match in _ESCAPE.finditer(text) if any(sign in text for sign in "%\\&=") else ():
        if start >= 0 and match.start() - end > 2 * reach:
            yield start, text[start : end + reach]
            start = -1
        start, end = max(match.start() - reach, 0) if start < 0 else start, match.end()
    if start >= 0:
        yield start, text[start : end + reach]


def visible(text: str) -> View | None:
    """Return the text without characters that show nothing; None if there are none."""
    if text.isascii() or not INVISIBLE.search(text):
        return None
    return _selected(text, [at for at, character in enumerate(text) if not INVISIBLE.match(character)])


def decoded(text: str) -> View:
    """Return the text with its escapes decoded, also where they are nested."""
    view = _decoded_once(text)
    for _ in range(MAX_ROUNDS - 1):
        again = _decoded_once(view.text)
        if again.text == view.text:
            break
        view = view.then(again)
    return view


def _decoded_once(text: str) -> View:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def copy(first: int, last: int) -> None:
        pieces.append(text[first:last])
        starts.extend(range(first, last))
        ends.extend(range(first + 1, last + 1))

    done = 0
    for match in _ESCAPE.finditer(text):
        copy(done, match.start())
        at = match.start()
        for character, size in _characters(match[0]) or zip(match[0], repeat(1)):
            pieces.append(character)
            starts.extend([at] * len(character))
            at += size
            ends.extend([at] * len(character))
        done = match.end()
    copy(done, len(text))
    return View("".join(pieces), starts, ends)


def _characters(escape: str) -> list[tuple[str, int]] | None:
    """Return the characters of an escape, each with the length of what it is written as; None if it is no escape."""
    if escape[0] in "%=":
        return _bytes(bytes.fromhex(escape.replace(escape[0], "")))
    if escape[0] == "&":
        character = html.unescape(escape if escape.endswith(";") else escape + ";")
        return [(character, len(escape))] if len(character) <= 2 else None
    if len(escape) == 2:
        return [(_CONTROLS.get(escape[1], escape[1]), 2)]
    number = int(re.sub(r"[^0-9a-fA-F]", "", escape[1:]), 16)
    return [(chr(number), len(escape))] if number < 0x110000 else None


def _bytes(data: bytes) -> list[tuple[str, int]]:
    try:
        return [(character, 3 * len(character.encode())) for character in data.decode("utf-8")]
    except UnicodeDecodeError:
        return [(character, 3) for character in data.decode("latin-1")]


def squeezed_text(text: str) -> str:
    """Return only the letters and digits of a text."""
    return _SEPARATORS.sub("", text)


class Squeezed:
    """The same as `squeezed_text`, with positions that are computed only where they are asked for."""

    def __init__(self, text: str) -> None:
        self._original = text
        pieces = [squeezed_text(text[at : at + _CHUNK]) for at in range(0, len(text), _CHUNK)]
        self.text = "".join(pieces)
        # How many characters are before each chunk of the original.
        self._before = [0, *accumulate(map(len, pieces))]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        chunk = bisect_right(self._before, at) - 1
        letters = _LETTER.finditer(self._original, chunk * _CHUNK, (chunk + 1) * _CHUNK)
        return next(islice(letters, at - self._before[chunk], None)).start()


def without_tags(text: str) -> View | None:
    """Return the text without HTML tags; None if it has few."""
    tags = [match.span() for match in _TAG.finditer(text)] if "<" in text else []
    if len(tags) < MIN_TAGS:
        return None
    edges = [0, *(edge for tag in tags for edge in tag), len(text)]
    return _selected(text, [at for start, end in zip(edges[::2], edges[1::2], strict=True) for at in range(start, end)])


def single_letters(text: str) -> View:
    """Return the letters and digits that stand alone."""
    return _selected(text, [match.start() for match in _SINGLE.finditer(text)])


def codes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each run of hex digits or of decimal character codes: its start, its end, and what it may stand for."""
    for match in _HEX.finditer(text):
        digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", match[0])
        for offset in (0, 1):
            pairs = digits[offset : offset + (len(digits) - offset) // 2 * 2]
            yield match.start(), match.end(), bytes.fromhex(pairs).decode("latin-1").replace("\0", "")
    for match in _CODES.finditer(text):
        numbers = [int(number) for number in re.findall(r"[0-9]+", match[0])]
        yield match.start(), match.end(), "".join(map(chr, numbers))
