"""Responses of servers, as rove, h11 and httptools read them.

The proxy reads them as leniently as browsers do, and forwards a head that it has written anew. The browser must read
exactly the responses that the proxy read, or a server could answer the request after the one that it was sent.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.fuzz.targets.http_readers import HttpMessage, Reading, h11_responses, httptools_responses
from tests.fuzz.targets.http_requests import consumed, content_of, pieces_of

from rove.guard.network.byte_stream import LENIENT_HEAD_END
from rove.guard.network.http_messages import Malformed, ProxyRequest, Response, UntilClosed, read_request, read_response

LINES = (
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200\r\n",
    b"HTTP/1.0 200 OK\r\n",
    b"HTTP/1.1 204 No Content\r\n",
    b"HTTP/1.1 304 Not Modified\r\n",
    b"HTTP/1.1 404 Not Found\n",
    b"HTTP/1.1 100 Continue\r\n",
    b"HTTP/1.1 103 Early Hints\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\n",
    b"HTTP/1.1 407 Login\r\n",
    b"HTTP/1.1 205 Reset Content\r\n",
    b"HTTP/1.1 999 Odd\r\n",
)
HEADERS = (
    b"Content-Length: 5\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length:5\n",
    b"Content-Length: 05\r\n",
    b"Content-Length: 5\r\nContent-Length: 5\r\n",
    b"Content-Length: 5, 5\r\n",
    b"Content-Length : 5\r\n",
    b"Content-Length: +5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: CHUNKED \r\n",
    b"Transfer-Encoding:\tchunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding : chunked\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    b"Transfer-Encoding:\r\n chunked\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive\r\n",
    b"Connection: Content-Length\r\n",
    b"Connection: Transfer-Encoding, X\r\n",
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
    b"X-Folded: a\r\n b\r\n",
    b"X-Latin: \xe9\r\n",
    b"Rove-Refused: loopback\r\n",
    b"no colon\r\n",
    b": no name\r\n",
    b" starts with a space\r\n",
)
BODIES = (
    b"",
    b"hello",
    b"hello",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"3;name=value\r\nabc\r\n0\r\nX-Trailer: a\r\n\r\n",
    b"005 \r\nhello\r\n00\r\n\r\n",
    b"5\r\nhel",
)
REQUEST_HEADS = {
    "GET": b"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "HEAD": b"HEAD http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "upgrade": b"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
}
_CHUNK_LINE = "Spaces and extensions behind the size of a chunk. Browsers ignore them, and so does h11."


@dataclass
class AnsweredStream:
    """The responses that the proxy reads in a server's bytes, and what it forwards of them."""

    messages: list[HttpMessage] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)  # of the requests that have been sent, one after the other
    forwarded: bytes = b""
    is_refused: bool = False

    @property
    def is_complete(self) -> bool:
        return self.messages[-1].is_complete and not self.messages[-1].start[0].startswith("1")


class HttpResponses:
    """The proxy's parser of responses, and of the bodies that follow them."""

    name = "http_responses"
    tokens = (*LINES, *HEADERS, *BODIES, b"\r\n\r\n", b"\n\n", b"\r\n ")
    accepted: Mapping[str, str] = {
        "httptools refuses the line of a chunk": _CHUNK_LINE,
        "httptools reads a response before a refused one differently": _CHUNK_LINE,
    }

    def generate(self, choose: random.Random) -> bytes:
        return b"".join(_response(choose) for _ in range(choose.choice((1, 1, 2, 3))))

    def check(self, data: bytes) -> set[str]:
        differences = set[str]()
        for kind, head in REQUEST_HEADS.items():
            request = read_request(head)
            whole = answered(data, request, [len(data)])
            _check_pieces(data, request, whole)
            # httptools has no way to say that a response answers another method than GET.
            readers = ("h11", "httptools") if kind == "GET" else ("h11",)
            differences |= set(_differences(whole, kind == "upgrade", readers))
        return differences


def _response(choose: random.Random) -> bytes:
    headers = [choose.choice(HEADERS) for _ in range(choose.randrange(4))]
    end = b"\n" if choose.random() < 0.05 else b"\r\n"
    return choose.choice(LINES) + b"".join(headers) + end + choose.choice(BODIES)


def answered(data: bytes, request: ProxyRequest, lengths: list[int]) -> AnsweredStream:
    """Parse a server's bytes as the proxy does: requests are sent until one closes the connection."""
    stream = AnsweredStream(methods=[request.method])
    while end := LENIENT_HEAD_END.search(data):
        try:
            response = read_response(data[: end.end()], request)
        except Malformed:
            stream.is_refused = True
            break
        data = _forward(response, data[end.end() :], stream, lengths)
        message = stream.messages[-1]
        if not message.is_complete or response.closes_connection or response.status == 101:
            break
        if response.status >= 200:
            stream.methods.append(request.method)
    return stream


def _forward(response: Response, data: bytes, stream: AnsweredStream, lengths: list[int]) -> bytes:
    """Forward a response, and return the bytes after it."""
    taken, stream.is_refused = consumed(response.body, data, lengths)
    is_closed = isinstance(response.body, UntilClosed)
    stream.forwarded += response.head + response.body.as_sent(taken) + (response.body.end if is_closed else b"")
    content = b"" if stream.is_refused else content_of(response.body, taken)
    is_complete = response.body.is_done or is_closed
    stream.messages.append(HttpMessage((str(response.status),), [], content, is_complete and not stream.is_refused))
    return data[len(taken) :]


def _check_pieces(data: bytes, request: ProxyRequest, whole: AnsweredStream) -> None:
    """Bodies that arrive in pieces end where they end when they arrive at once."""
    cut = answered(data, request, pieces_of(data))
    assert cut.is_refused == whole.is_refused, "in pieces, it is refused or accepted differently"
    if not whole.is_refused:
        assert cut.forwarded == whole.forwarded, "in pieces, it ends elsewhere"


def _differences(stream: AnsweredStream, upgrades: bool, readers: Iterable[str]) -> Iterator[str]:
    """Yield how a browser could read what the proxy forwards differently from what it has read."""
    if stream.is_refused or not stream.messages:  # the proxy resets the browser's connection, or answers itself
        return
    expected = [message.facts for message in stream.messages]
    for name in readers:
        reading = _read(name, stream, upgrades)
        if reading.error is None and [message.facts for message in reading.messages] != expected:
            yield f"{name} reads the response differently"
        elif reading.error is not None and stream.is_complete:
            yield f"{name} {_refusal(reading.error)}"
        finished = [message.facts for message in reading.messages if message.is_complete]
        if reading.error is not None and finished != expected[: len(finished)]:
            yield f"{name} reads a response before a refused one differently"


def _refusal(error: str) -> str:
    """Return what is refused. httptools has a message for each character that it expects in the line of a chunk."""
    if " chunk " in error and " chunk header" not in error:
        return "refuses the line of a chunk"
    return f"refuses the response: {error.partition(': bytearray')[0]}"


def _read(name: str, stream: AnsweredStream, upgrades: bool) -> Reading:
    if name == "httptools":
        return httptools_responses(stream.forwarded)
    return h11_responses(stream.forwarded, stream.methods, upgrades)
