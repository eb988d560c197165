"""Mutations of bytes: a few changes of the kinds that parsers disagree on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

_MAX_BYTES = 20_000
_ODD_BYTES = b"\x00\x01\t\n\x0b\x0c\r \x7f\x80\x85\xa0\xff:;,=\"'\\/#?@%[]{}-+_.0xX"

Mutation = Callable[[bytearray, random.Random], None]


def mutated(data: bytes, choose: random.Random, tokens: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Return the input after one to six random changes."""
    changed = bytearray(data[:_MAX_BYTES])
    for _ in range(choose.choice((1, 1, 1, 2, 3, 6))):
        kind = choose.randrange(len(_MUTATIONS) + 3)
        if kind < len(_MUTATIONS):
            _MUTATIONS[kind](changed, choose)
        elif kind < len(_MUTATIONS) + 2 and tokens:
            _insert(changed, choose, choose.choice(tokens))
        elif others:
            _splice(changed, choose, choose.choice(others))
    return bytes(changed[:_MAX_BYTES])


def _place(data: bytearray, choose: random.Random) -> int:
    return choose.randint(0, len(data))


def _range(data: bytearray, choose: random.Random) -> slice:
    start = _place(data, choose)
    return slice(start, min(len(data), start + choose.choice((1, 1, 2, 4, 8, 16, 64))))


def _insert(data: bytearray, choose: random.Random, piece: bytes) -> None:
    place = _place(data, choose)
    data[place:place] = piece


def _splice(data: bytearray, choose: random.Random, other: bytes) -> None:
    """Put the end of another input behind the start of this one."""
    data[_place(data, choose) :] = other[choose.randint(0, len(other)) :]


def _flip_bit(data: bytearray, choose: random.Random) -> None:
    if data:
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)


def _odd_byte(data: bytearray, choose: random.Random) -> None:
    place = _place(data, choose)
    data[place : place + choose.randrange(2)] = bytes([choose.choice(_ODD_BYTES)])


def _delete(data: bytearray, choose: random.Random) -> None:
    del data[_range(data, choose)]


def _repeat(data: bytearray, choose: random.Random) -> None:
    _insert(data, choose, bytes(data[_range(data, choose)]) * choose.choice((1, 1, 2, 20)))


def _repeat_line(data: bytearray, choose: random.Random) -> None:
    lines = data.splitlines(keepends=True)
    if lines:
        lines.insert(choose.randint(0, len(lines)), choose.choice(lines))
        data[:] = b"".join(lines)


def _drop_line(data: bytearray, choose: random.Random) -> None:
    lines = data.splitlines(keepends=True)
    if lines:
        del lines[choose.randrange(len(lines))]
        data[:] = b"".join(lines)


def _swap_case(data: bytearray, choose: random.Random) -> None:
    part = _range(data, choose)
    data[part] = data[part].swapcase()


def _change_line_end(data: bytearray, choose: random.Random) -> None:
    ends = [place for place in range(len(data)) if data[place] in b"\r\n"]
    if ends:
        place = choose.choice(ends)
        data[place : place + 1] = choose.choice((b"", b"\r", b"\n", b"\r\n", b"\r\r\n", b"\r\n ", b"\x0b"))


def _change_number(data: bytearray, choose: random.Random) -> None:
    digits = [place for place in range(len(data)) if 0x30 <= data[place] <= 0x39]
    if digits:
        place = choose.choice(digits)
        number = choose.choice((b"0", b"1", b"9", b"00", b"-1", b"+1", b"1e3", b"65536", b"4294967296", b"9" * 25))
        data[place : place + 1] = number


_MUTATIONS: tuple[Mutation, ...] = (
    _flip_bit,
    _odd_byte,
    _odd_byte,
    _delete,
    _repeat,
    _repeat_line,
    _drop_line,
    _swap_case,
    _change_line_end,
    _change_number,
)
