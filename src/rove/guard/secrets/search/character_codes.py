"""Runs of numbers that may be the codes of characters: hexadecimal, decimal and octal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# As kinds: hexadecimal digits are `h`, separators `s`, the `x` and `\` before a code `p`, and all else is `o`.
_HEX_KINDS = bytes(
    ord("h")
    if code in b"0123456789abcdef"
    else ord("s")
    if code in b" \t\n\r\f\v:,.;_-"
    else ord("p")
    if code in b"x\\"
    else ord("o")
    for code in range(256)
)
# Each pattern begins with fixed characters, by which the regex engine skips most of a text.
_RUN = re.compile(rb"hhhhhhhhhhh*")
_PAIRS = re.compile(rb"hhs{1,2}(?:(?:[hp]p)?hhs{1,2}){3,}(?:[hp]p)?hh")
_DECIMAL_KINDS = bytes(
    ord("d") if code in b"0123456789" else ord("s") if code in b" \t\n\r\f\v,;" else ord("o") for code in range(256)
)
_NUMBERS = re.compile(rb"dds{1,2}(?:d{2,3}s{1,2}){3,}d{2,3}")
_OCTAL = re.compile(rb"\\[0-7]{2,3}(?:\\[0-7]{2,3}){4,}")


def codes(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield each run of codes in a text of lower case: its start, its end, and what it may stand for."""
    kinds = text.translate(_HEX_KINDS)
    for match in _RUN.finditer(kinds):
        yield from _hexadecimal(text, *match.span())
    for match in _PAIRS.finditer(kinds):
        yield from _hexadecimal(text, *match.span())
    for match in _NUMBERS.finditer(text.translate(_DECIMAL_KINDS)):
        start = match.start() - (text[match.start() - 1 : match.start()].isdigit())
        yield from _numbers(start, match.end(), re.findall(rb"[0-9]+", text[start : match.end()]))
    for match in _OCTAL.finditer(text) if b"\\" in text else ():
        yield from _numbers(match.start(), match.end(), re.findall(rb"[0-7]+", match[0]))


def _hexadecimal(text: bytes, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    digits = re.sub(rb"0x|\\x|[^0-9a-f]", b"", text[start:end]).decode()
    for offset in (0, 1):
        pairs = digits[offset : offset + (len(digits) - offset) // 2 * 2]
        yield start, end, bytes.fromhex(pairs).decode("latin-1").replace("\0", "")


def _numbers(start: int, end: int, numbers: Sequence[bytes]) -> Iterator[tuple[int, int, str]]:
    yield start, end, "".join(chr(int(number)) for number in numbers)
    if not any(digit in number for number in numbers for digit in b"89"):
        yield start, end, "".join(chr(int(number, 8)) for number in numbers)
