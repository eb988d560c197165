"""G1: a server reads only the requests that were checked: what servers disagree on is refused or rewritten."""

from __future__ import annotations

import pytest

from rove.guard.network.byte_stream import STRICT_HEAD_END
from rove.guard.network.http_messages import Chunked, Malformed, read_request, read_response

GET = b"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
POST = b"POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def received(data: bytes) -> None:
    """Read a request and its body as the proxy does."""
    end = STRICT_HEAD_END.search(data)
    assert end is not None
    request = read_request(data[: end.end()])
    request.body.consume(data[end.end() :])


@pytest.mark.parametrize(
    "data",
    [
        GET + UPGRADE + b"Content-Length: 5\r\n\r\nhello",
        GET + UPGRADE + CHUNKED + b"\r\n0\r\n\r\n",
        POST + UPGRADE + b"\r\n",
        POST + b"Transfer-Encoding:\r\nContent-Length: 5\r\n\r\nhello",
        POST + b"Transfer-Encoding: \t\r\n\r\n",
        POST + CHUNKED + b"\r\n5;a=b\r\nhello\r\n0\r\n\r\n",
        POST + CHUNKED + b"\r\n5 \r\nhello\r\n0\r\n\r\n",
        POST + CHUNKED + b"\r\n0\r\nHost: b.example\r\n\r\n",
        POST + CHUNKED + b"\r\n0\r\nContent-Length: 5\r\n\r\n",
        # Not the end of a line yet, so all of it would be forwarded.
        POST + CHUNKED + b"\r\n0\r\rGET / HTTP/1.1\rHost: b.example\r\r",
    ],
)
def test_a_request_that_servers_read_differently_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        received(data)


def test_lengths_and_hosts_are_forwarded_without_odd_spaces() -> None:
    request = read_request(
        b"POST http://a.example/ HTTP/1.1\r\nHost:\ta.example \r\nTransfer-Encoding:\tchunked\t\r\n\r\n"
    )
    assert request.head == b"POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert b"\r\nContent-Length: 5\r\n" in read_request(POST + b"Content-Length:5\t\r\n\r\n").head


@pytest.mark.parametrize(
    ("head", "forwarded"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", b"Content-Length: 5"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\tCHUNKED \r\nContent-Length: 5\r\n\r\n",
            b"Transfer-Encoding: chunked",
        ),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 005\r\n\r\n", b"Content-Length: 5"),
    ],
)
def test_a_response_has_one_plain_length(head: bytes, forwarded: bytes) -> None:
    response = read_response(head, read_request(GET + b"\r\n"))
    assert response.head.split(b"\r\n")[1:] == [forwarded, b"", b""]


def test_a_trailer_of_a_response_declares_no_length() -> None:
    with pytest.raises(Malformed):
        Chunked().consume(b"0\r\nContent-Length: 5\r\n\r\n")
