"""Servers' answers: understood as browsers understand them, sent on in one way only."""

from __future__ import annotations

import pytest

from rove.guard.hosts.connection_errors import Failure
from rove.guard.hosts.refusal import Refusal, RefusalReason
from rove.guard.hosts.urls import Endpoint
from rove.guard.http.body_framing import Chunked, FixedLength, UntilClosed
from rove.guard.http.http_errors import Malformed
from rove.guard.http.request import ProxyRequest
from rove.guard.http.response import failure_response, read_response, refusal_response


def asked(method: str = "GET", *, closes_connection: bool = False) -> ProxyRequest:
    return ProxyRequest(method, Endpoint("example.com", 80), b"", FixedLength(0), closes_connection=closes_connection)


def test_an_answer_is_rebuilt() -> None:
    answer = read_response(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
        b"Content-Length: 5\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
        asked(),
    )
    assert answer.head == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
    )
    assert not answer.closes_connection
    assert isinstance(answer.body, FixedLength)


def test_a_careless_server_is_understood() -> None:
    answer = read_response(
        b"HTTP/1.1 200\nContent-Length : 5\nX-Fold: a\n  b\nNonsense\nX-Ctl: a\x00b\n: empty\nX-Fine: yes\n\n", asked()
    )
    assert answer.head == b"HTTP/1.1 200 \r\nContent-Length: 5\r\nX-Fold: a b\r\nX-Fine: yes\r\n\r\n"


def test_beside_chunks_a_length_is_not_believed() -> None:
    answer = read_response(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: Chunked\r\n\r\n", asked())
    assert isinstance(answer.body, Chunked)
    assert b"Content-Length" not in answer.head
    assert b"Transfer-Encoding" in answer.head


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    answer = read_response(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", asked())
    assert isinstance(answer.body, UntilClosed)
    assert answer.closes_connection
    assert answer.ends_by_closing
    assert answer.head == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 100), ("GET", 103)])
def test_some_answers_have_no_body_whatever_they_say(method: str, status: int) -> None:
    answer = read_response(b"HTTP/1.1 %d X\r\nContent-Length: 5\r\n\r\n" % status, asked(method))
    assert answer.body.is_done


@pytest.mark.parametrize("status", [100, 204])
def test_where_there_can_be_no_body_no_length_is_sent_on(status: int) -> None:
    assert b"Length" not in read_response(b"HTTP/1.1 %d X\r\nContent-Length: 5\r\n\r\n" % status, asked()).head


def test_a_server_cannot_speak_for_the_guard() -> None:
    answer = read_response(b"HTTP/1.1 403 No\r\nX-Rove-Refused: loopback\r\nContent-Length: 0\r\n\r\n", asked())
    assert b"rove" not in answer.head.lower()


def test_old_servers_close_unless_they_say_otherwise() -> None:
    assert read_response(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", asked()).closes_connection
    assert not read_response(
        b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n", asked()
    ).closes_connection
    assert read_response(
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n", asked()
    ).closes_connection


def test_a_client_that_wants_to_leave_is_told_so() -> None:
    answer = read_response(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", asked(closes_connection=True))
    assert b"Connection: close" in answer.head


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
def test_an_answer_whose_end_is_in_doubt_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        read_response(head, asked())


def test_our_own_answers_say_why() -> None:
    said = refusal_response(Refusal("localhost", 80, RefusalReason.LOCAL_NAME)).to_bytes(with_body=True, close=False)
    assert said.startswith(b"HTTP/1.1 403 ")
    assert b"\r\nx-rove-refused: local-name\r\n" in said
    assert b"--allow-host localhost:80" in said.partition(b"\r\n\r\n")[2]
    late = failure_response(Failure.TIMEOUT).to_bytes(with_body=False, close=True)
    assert late.startswith(b"HTTP/1.1 504 ")
    assert b"\r\nx-rove-failure: timeout\r\n" in late
    assert late.endswith(b"Connection: close\r\n\r\n")
