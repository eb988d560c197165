"""Reading the events of a compressed trace."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from rove.browser import tracing
from rove.browser.tracing import DamagedTrace, events_in


def trace(events: list[dict[str, object]], rest: str = ',"metadata":{"a":[1]}') -> bytes:
    return gzip.compress(f'{{"traceEvents":[{json.dumps(events)[1:-1]}]{rest}}}'.encode())


def test_events_are_read_whatever_the_pieces_they_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    # Random text does not compress, so that pieces of a few bytes cut events and characters in two.
    events: list[dict[str, object]] = [{"name": "é„]}[{", "n": n, "x": os.urandom(20).hex()} for n in range(300)]
    for size in (7, 1000, 2**18):
        monkeypatch.setattr(tracing, "PIECE_BYTES", size)
        assert list(events_in(trace(events))) == events
    assert list(events_in(trace([]))) == []


CUT = gzip.compress(b'{"traceEvents":[{"a":1},{"b"')


@pytest.mark.parametrize("data", [b"no gzip", gzip.compress(b'{"other":[]}'), CUT], ids=["text", "json", "cut"])
def test_what_is_no_trace_or_only_a_part_of_one_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedTrace):
        list(events_in(data))
