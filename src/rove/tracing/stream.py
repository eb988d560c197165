"""Reading the events of a trace one by one, from the compressed JSON that the browser has sent."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

PIECE_BYTES = 2**18
# What stands between events: white space and commas.
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
BEGINNING = '"traceEvents":['
Event = dict[str, Any]


class DamagedTrace(Exception):
    """What the browser sent is not a trace."""


def events_in(compressed: bytes) -> Iterator[Event]:
    """Yield the events of a gzipped trace. No more than a piece of it is in memory as text."""
    text, is_in_list = "", False
    for piece in _pieces(compressed):
        text += piece
        if not is_in_list:
            _, found, rest = text.partition(BEGINNING)
            if not found:
                continue
            text, is_in_list = rest, True
        at = 0
        while (following := _BETWEEN.match(text, at)) is not None:
            at = following.end()
            if text.startswith("]", at):
                return
            try:
                event, at = _DECODER.raw_decode(text, at)
            except json.JSONDecodeError:
                break  # the rest of it is in the next piece
            if isinstance(event, dict):
                yield event
        text = text[at:]
    if not is_in_list or text.strip():
        raise DamagedTrace("The trace ends in the middle of an event.")


def _pieces(compressed: bytes) -> Iterator[str]:
    inflating = zlib.decompressobj(zlib.MAX_WBITS | 16)
    decoding = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        for start in range(0, len(compressed), PIECE_BYTES):
            rest = compressed[start : start + PIECE_BYTES]
            while rest:
                yield decoding.decode(inflating.decompress(rest, PIECE_BYTES * 4))
                rest = inflating.unconsumed_tail
    except zlib.error as error:
        raise DamagedTrace("The trace cannot be unpacked.") from error
