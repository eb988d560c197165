"""Responses are parsed as browsers parse them, and rewritten unambiguously."""

from __future__ import annotations

import pytest

from rove.guard.network.http_messages import (
    Chunked,
    FixedLength,
    Malformed,
    ProxyRequest,
    UntilClosed,
    failure_response,
    read_response,
    refusal_response,
)
from rove.guard.network.refusal import Failure, Refusal, RefusalReason
from rove.guard.network.urls import Endpoint


def request(method: str = "GET", *, closes_connection: bool = False) -> ProxyRequest:
    return ProxyRequest(method, Endpoint("example.com", 80), b"", FixedLength(0), closes_connection=closes_connection)


def test_a_response_is_rewritten() -> None:
    response = read_response(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
        b"Content-Length: 5\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
        request(),
    )
    assert response.head == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
    )
    assert not response.closes_connection
    assert isinstance(response.body, FixedLength)


def test_a_sloppy_response_is_repaired() -> None:
    response = read_response(
        b"HTTP/1.1 200\nContent-Length : 5\nX-Fold: a\n  b\nNonsense\nX-Ctl: a\x00b\n: empty\nX-Fine: yes\n\n",
        request(),
    )
    assert response.head == b"HTTP/1.1 200 \r\nContent-Length: 5\r\nX-Fold: a b\r\nX-Fine: yes\r\n\r\n"


def test_the_length_of_a_chunked_response_is_dropped() -> None:
    response = read_response(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: Chunked\r\n\r\n", request())
    assert isinstance(response.body, Chunked)
    assert b"Content-Length" not in response.head
    assert b"Transfer-Encoding" in response.head


def test_a_body_without_a_length_ends_with_the_connection_and_is_forwarded_in_chunks() -> None:
    response = read_response(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", request())
    assert isinstance(response.body, UntilClosed)
    assert response.closes_connection
    assert response.head == b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    sent = [response.body.as_sent(data) for data in (b"", b"0123456789abcdef")]
    assert b"".join([*sent, response.body.end]) == b"10\r\n0123456789abcdef\r\n0\r\n\r\n"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 100), ("GET", 103)])
def test_some_responses_have_no_body_whatever_their_headers_say(method: str, status: int) -> None:
    response = read_response(b"HTTP/1.1 %d X\r\nContent-Length: 5\r\n\r\n" % status, request(method))
    assert response.body.is_done


@pytest.mark.parametrize("status", [100, 204])
def test_the_length_of_a_response_without_a_body_is_dropped(status: int) -> None:
    assert b"Length" not in read_response(b"HTTP/1.1 %d X\r\nContent-Length: 5\r\n\r\n" % status, request()).head


def test_a_server_cannot_set_the_headers_of_the_proxy() -> None:
    response = read_response(b"HTTP/1.1 403 No\r\nX-Rove-Refused: loopback\r\nContent-Length: 0\r\n\r\n", request())
    assert b"rove" not in response.head.lower()


def test_http_1_0_closes_the_connection_unless_it_says_keep_alive() -> None:
    assert read_response(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", request()).closes_connection
    assert not read_response(
        b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n", request()
    ).closes_connection
    assert read_response(
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n", request()
    ).closes_connection


def test_a_client_that_closes_the_connection_gets_connection_close() -> None:
    response = read_response(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", request(closes_connection=True))
    assert b"Connection: close" in response.head


@pytest.mark.parametrize(
    "head",
    [
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 000 OK\r\n\r\n",
        b"<html>\r\n\r\n",
        b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_response_with_an_unclear_end_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        read_response(head, request())


def test_responses_of_the_proxy_say_why() -> None:
    refused = refusal_response(Refusal("localhost", 80, RefusalReason.LOCAL_NAME)).to_bytes(with_body=True, close=False)
    assert refused.startswith(b"HTTP/1.1 403 ")
    assert b"\r\nx-rove-refused: local-name\r\n" in refused
    assert b"--allow-host localhost:80" in refused.partition(b"\r\n\r\n")[2]
    failed = failure_response(Failure.TIMEOUT).to_bytes(with_body=False, close=True)
    assert failed.startswith(b"HTTP/1.1 504 ")
    assert b"\r\nx-rove-failure: timeout\r\n" in failed
    assert failed.endswith(b"Connection: close\r\n\r\n")
