"""Where a body ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from rove.guard.http.body_framing import BodyFraming, Chunked, FixedLength, UntilClosed
from rove.guard.http.http_errors import Malformed


def fed(body: BodyFraming, pieces: list[bytes]) -> int:
    """How many bytes of all the pieces the body took."""
    taken = 0
    for piece in pieces:
        if body.is_done:
            break
        taken += body.consume(piece)
    return taken


@pytest.mark.parametrize(
    "whole",
    [
        b"0\r\n\r\n",
        b"5\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhe\r\no\r\nA\r\n0123456789\r\n0\r\n\r\n",
        b"5;ext=1\r\nhello\r\n0;last\r\nTrailer: yes\r\nMore: no\r\n\r\n",
        b"005 \r\nhello\r\n000\r\n\r\n",
        b"2\r\n\r\n\r\n0\r\n\r\n",
    ],
)
def test_chunks_end_where_they_end_however_they_arrive(whole: bytes) -> None:
    after = b"GET / HTTP/1.1\r\n"
    for size in range(1, len(whole) + len(after) + 1):
        data = whole + after
        body = Chunked()
        assert fed(body, [data[at : at + size] for at in range(0, len(data), size)]) == len(whole)
        assert body.is_done


@pytest.mark.parametrize(
    "bad",
    [
        b"\r\nhello\r\n0\r\n\r\n",
        b"x\r\nhello\r\n",
        b"-1\r\nhello\r\n",
        b"+5\r\nhello\r\n",
        b"0x5\r\nhello\r\n",
        b" 5\r\nhello\r\n",
        b"5\nhello\r\n0\r\n\r\n",
        b"5\r\nhello\n0\r\n\r\n",
        b"5\r\nhelloo\r\n0\r\n\r\n",
        b"5\r\nhell\r\n0\r\n\r\n",
        b"5;a\nb\r\nhello\r\n",
        b"5;a\rb\r\nhello\r\n0\r\n\r\n",
        b"5;a\x00\r\nhello\r\n0\r\n\r\n",
        b"5 x\r\nhello\r\n0\r\n\r\n",
        b"ffffffffffffffffff\r\nhello\r\n",
        b"0\r\nTrailer\r\n\r\n",
        b"0\r\n folded\r\n\r\n",
        b"0\r\nTrailer: a\nOther: b\r\n\r\n",
        b"0\n\n",
        b"5" + b" " * 20000,
        b"0\r\n" + b"A: b\r\n" * 10000,
    ],
)
def test_chunks_that_two_could_read_in_two_ways_are_refused(bad: bytes) -> None:
    for size in (1, 2, 3, len(bad)):
        with pytest.raises(Malformed):
            body = Chunked()
            fed(body, [bad[at : at + size] for at in range(0, len(bad), size)])
            assert body.is_done, "neither refused nor ended"


@given(some.lists(some.binary(min_size=1, max_size=50), max_size=8), some.integers(1, 20))
def test_any_chunks_are_counted_right(chunks: list[bytes], size: int) -> None:
    whole = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    data, body = whole + b"next", Chunked()
    assert fed(body, [data[at : at + size] for at in range(0, len(data), size)]) == len(whole)
    assert body.is_done


def test_a_counted_body_takes_no_more_than_its_own() -> None:
    body = FixedLength(5)
    assert fed(body, [b"he", b"llo, and more"]) == 5
    assert body.is_done
    assert FixedLength(0).is_done


def test_a_body_that_ends_with_its_connection_takes_everything() -> None:
    body = UntilClosed()
    assert fed(body, [b"x" * 10, b"y"]) == 11
    assert not body.is_done
    assert body.ends_with_connection
