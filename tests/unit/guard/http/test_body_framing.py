"""The end of a body is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.guard.network.http_messages import BodyFraming, Chunked, FixedLength, Malformed, UntilClosed


def consumed_by(body: BodyFraming, pieces: list[bytes]) -> int:
    """Feed the pieces to a body, and return how many of their bytes belong to it."""
    consumed = 0
    for piece in pieces:
        while piece and not body.is_done:
            count = body.consume(piece)
            assert count, "a call without progress"
            consumed, piece = consumed + count, piece[count:]
    return consumed


def test_one_call_does_a_bounded_amount_of_work() -> None:
    data = b"1\r\nx\r\n" * 40000 + b"0\r\n\r\n"
    body = Chunked()
    assert 0 < body.consume(data) <= 500 * 6
    assert consumed_by(Chunked(), [data]) == len(data)


@pytest.mark.parametrize(
    "message",
    [
        b"0\r\n\r\n",
        b"5\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhe\r\no\r\nA\r\n0123456789\r\n0\r\n\r\n",
        b"5;ext=1\r\nhello\r\n0;last\r\nTrailer: yes\r\nMore: no\r\n\r\n",
        b"005 \r\nhello\r\n000\r\n\r\n",
        b"2\r\n\r\n\r\n0\r\n\r\n",
    ],
)
def test_the_end_of_chunks_is_found_however_they_are_split(message: bytes) -> None:
    after = b"GET / HTTP/1.1\r\n"
    for size in range(1, len(message) + len(after) + 1):
        data = message + after
        body = Chunked()
        assert consumed_by(body, [data[at : at + size] for at in range(0, len(data), size)]) == len(message)
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
def test_ambiguous_chunks_are_refused(bad: bytes) -> None:
    for size in (1, 2, 3, len(bad)):
        with pytest.raises(Malformed):
            body = Chunked()
            consumed_by(body, [bad[at : at + size] for at in range(0, len(bad), size)])
            assert body.is_done, "neither refused nor ended"


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.integers(1, 20))
def test_any_valid_chunks_are_consumed_completely(chunks: list[bytes], size: int) -> None:
    message = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    data, body = message + b"next", Chunked()
    assert consumed_by(body, [data[at : at + size] for at in range(0, len(data), size)]) == len(message)
    assert body.is_done


def test_a_body_of_fixed_length_consumes_no_more_than_its_length() -> None:
    body = FixedLength(5)
    assert consumed_by(body, [b"he", b"llo, and more"]) == 5
    assert body.is_done
    assert FixedLength(0).is_done


def test_a_body_that_ends_with_its_connection_consumes_everything() -> None:
    body = UntilClosed()
    assert consumed_by(body, [b"x" * 10, b"y"]) == 11
    assert not body.is_done
    assert body.ends_with_connection
