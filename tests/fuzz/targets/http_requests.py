"""Requests to the proxy, as rove, h11 and httptools read them.

The proxy forwards a head that it has written anew, and the body as it came. A server must read exactly the requests
that were checked: the same number, with the same targets, hosts and bodies.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.fuzz.targets.http_readers import HttpMessage, Reading, h11_requests, httptools_requests

from rove.guard.network.byte_stream import STRICT_HEAD_END
from rove.guard.network.http_messages import BodyFraming, Chunked, Malformed, ProxyRequest, read_request
from rove.guard.network.urls import endpoint_of

HOSTS = (
    "a.example",
    "b.example",
    "A.EXAMPLE",
    "a.example.",
    "a.example:80",
    "a.example:8080",
    "[2606:4700::1]",
    "1.1.1.1",
)
PATHS = ("", "/", "/path?query", "?query", "//b.example/", "/a%20b", "/;x", "/http://b.example/", "/#fragment", "/\\")
METHODS = ("GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "CONNECT", "TRACE", "PATCH")
FRAMINGS = (
    b"",
    b"",
    b"Content-Length: 5\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 05\r\n",
    b"content-length:5 \r\n",
    b"Content-Length: 5, 5\r\n",
    b"Content-Length: 5\r\nContent-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"transfer-encoding:\tCHUNKED\t\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
)
HEADERS = (
    b"Connection: close\r\n",
    b"Connection: keep-alive, X-Private\r\n",
    b"Proxy-Connection: keep-alive\r\n",
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
    b"Connection: Content-Length\r\n",
    b"Connection: Host\r\n",
    b"Expect: 100-continue\r\n",
    b"X-Private: a\r\n",
    b"TE: trailers\r\n",
    b"Cookie: a=b; c=\xe9\r\n",
    b"X-Empty:\r\n",
    b"Keep-Alive: 5\r\n",
    b"Trailer: Host\r\n",
)
READERS: dict[str, Callable[[bytes], Reading]] = {"h11": h11_requests, "httptools": httptools_requests}
BODIES = (
    b"",
    b"hello",
    b"hello",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"3;name=value\r\nabc\r\n0\r\nX-Trailer: a\r\n\r\n",
    b"005\r\nhello\r\n00\r\n\r\n",
    b"a \r\n0123456789\r\n0\r\n\r\n",
    b"5\r\nhel",
)
_METHODS = "httptools knows a list of methods; the proxy forwards any, and a server that does not know one refuses it."
_INCOMPLETE = "The proxy refuses a chunk's size when its line is complete, and then resets the connection."


@dataclass
class ProxiedStream:
    """The requests of a client that the proxy accepts, what it forwards of them, and why it stops."""

    requests: list[ProxyRequest] = field(default_factory=list)
    messages: list[HttpMessage] = field(default_factory=list)
    forwarded: bytes = b""
    rest: bytes = b""
    is_refused: bool = False

    @property
    def is_complete(self) -> bool:
        return self.messages[-1].is_complete


class HttpRequests:
    """The proxy's parser of requests, and of the bodies that follow them."""

    name = "http_requests"
    tokens = (
        *FRAMINGS,
        *HEADERS,
        *BODIES,
        b" HTTP/1.1\r\n",
        b" HTTP/1.0\r\n",
        b"Host: b.example\r\n",
        b"\r\n\r\n",
        b"\r\n ",
    )
    accepted: Mapping[str, str] = {
        "httptools refuses the forwarded request: Invalid method encountered": _METHODS,
        "httptools refuses the received request: Invalid method encountered": _METHODS,
        "httptools refuses the forwarded request: Expected space after method": _METHODS,
        "httptools refuses the received request: Expected space after method": _METHODS,
        "httptools refuses the received request: Request has invalid `Transfer-Encoding`": "A tab behind `chunked`. "
        "The proxy forwards the header without it.",
        "httptools reads the received request differently": "httptools takes every `Upgrade` for one. The proxy "
        "forwards only that to WebSocket, which has no body, and drops the others.",
        "h11 refuses the forwarded request before it is complete": _INCOMPLETE,
        "httptools refuses the forwarded request before it is complete": _INCOMPLETE,
        "h11 refuses the received request before it is complete": _INCOMPLETE,
        "httptools refuses the received request before it is complete": _INCOMPLETE,
    }

    def generate(self, choose: random.Random) -> bytes:
        return b"".join(_request(choose) for _ in range(choose.choice((1, 1, 1, 2, 3))))

    def check(self, data: bytes) -> set[str]:
        whole = proxied(data, [len(data)])
        _check_pieces(data, whole)
        differences = set(_forwarded_differences(whole))
        if whole.messages and not whole.is_refused:
            differences |= set(_received_differences(data[: len(data) - len(whole.rest)], whole))
        return differences


def _request(choose: random.Random) -> bytes:
    method, host = choose.choice(METHODS), choose.choice(HOSTS)
    sent_host = host if choose.random() < 0.85 else choose.choice(HOSTS)
    target = f"{host}:443" if method == "CONNECT" else f"http://{host}{choose.choice(PATHS)}"
    headers = [choose.choice(HEADERS) for _ in range(choose.randrange(4))]
    if method != "CONNECT":
        headers.append(choose.choice(FRAMINGS))
    headers.append(f"Host: {sent_host}\r\n".encode())
    choose.shuffle(headers)
    body = choose.choice(BODIES) if choose.random() < 0.7 else b""
    return f"{method} {target} HTTP/1.1\r\n".encode() + b"".join(headers) + b"\r\n" + body


def pieces_of(data: bytes) -> list[int]:
    """Return random lengths of pieces; the same input is always cut at the same places."""
    choose, lengths = random.Random(zlib.crc32(data)), list[int]()
    while sum(lengths) < len(data):
        lengths.append(choose.choice((1, 1, 2, 3, 7, 40, 500)))
    return lengths


def proxied(data: bytes, lengths: list[int]) -> ProxiedStream:
    """Parse a client's bytes as the proxy does, with bodies in pieces of these lengths."""
    stream = ProxiedStream(rest=data)
    while (end := STRICT_HEAD_END.search(stream.rest)) and not stream.is_refused:
        try:
            request = read_request(stream.rest[: end.end()])
        except Malformed:
            stream.is_refused = True
            break
        stream.requests.append(request)
        if request.is_tunnel:
            break
        stream.rest = stream.rest[end.end() :]
        # After a request to upgrade, the server's answer decides on what follows.
        if not _forward(request, stream, lengths) or request.closes_connection or request.wants_upgrade:
            break
    return stream


def _forward(request: ProxyRequest, stream: ProxiedStream, lengths: list[int]) -> bool:
    """Forward one request, and return whether its body is complete."""
    body, stream.is_refused = consumed(request.body, stream.rest, lengths)
    stream.rest = stream.rest[len(body) :]
    stream.forwarded += request.head + body
    content = content_of(request.body, body) if not stream.is_refused else b""
    stream.messages.append(_message(request, content))
    return request.body.is_done


def _message(request: ProxyRequest, content: bytes) -> HttpMessage:
    path = request.head.split(b" ")[1].decode("ascii")
    lines = (line.partition(b":") for line in request.head.split(b"\r\n")[1:])
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")) for name, _, value in lines]
    return HttpMessage((request.method, path), headers, content, request.body.is_done)


def consumed(body: BodyFraming, data: bytes, lengths: list[int]) -> tuple[bytes, bool]:
    """Return the bytes of the data that belong to a body, and whether it is malformed."""
    taken, start = b"", 0
    for piece in _cut(data, lengths):
        if body.is_done:
            break
        try:
            taken += piece[: body.consume(piece)]
        except Malformed:
            return taken, True
        start += len(piece)
    return taken, False


def _cut(data: bytes, lengths: list[int]) -> Iterator[bytes]:
    start = 0
    for length in lengths:
        yield data[start : start + length]
        start += length
    yield data[start:]


def content_of(framing: BodyFraming, body: bytes) -> bytes:
    """Return a body without its chunks, read as simply as possible: the proxy has checked its form."""
    if not isinstance(framing, Chunked):
        return body
    content = b""
    while b"\r\n" in body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        if not length:
            break
        content, body = content + body[:length], body[length + 2 :]
    return content


def _check_pieces(data: bytes, whole: ProxiedStream) -> None:
    """Bodies that arrive in pieces end where they end when they arrive at once."""
    lengths = pieces_of(data)
    cut = proxied(data, lengths)
    assert cut.is_refused == whole.is_refused, "in pieces, it is refused or accepted differently"
    if not whole.is_refused:
        assert (cut.forwarded, cut.rest) == (whole.forwarded, whole.rest), "in pieces, it ends elsewhere"


def _forwarded_differences(stream: ProxiedStream) -> Iterator[str]:
    """Yield how servers read what the proxy forwards differently from what it has checked."""
    if stream.is_refused:  # the proxy resets the server's connection
        return
    for message, request in zip(stream.messages, stream.requests, strict=False):
        endpoint = endpoint_of(message.values("host")[0], 80)
        assert endpoint == request.endpoint, "the forwarded Host is not the host that was checked"
    yield from _differences("forwarded", stream.forwarded, stream, lambda message: message.facts)


def _received_differences(data: bytes, stream: ProxiedStream) -> Iterator[str]:
    """Yield how other parsers read the client's bytes differently, as far as the proxy has accepted them."""
    yield from _differences("received", data, stream, lambda message: (message.body, message.is_complete))


def _differences(
    which: str, data: bytes, stream: ProxiedStream, facts: Callable[[HttpMessage], object]
) -> Iterator[str]:
    expected = [facts(message) for message in stream.messages]
    for name, read in READERS.items():
        reading = read(data)
        if reading.error is None:
            if [facts(message) for message in reading.messages] != expected:
                yield f"{name} reads the {which} request differently"
            continue
        accepted = [facts(message) for message in reading.messages if message.is_complete]
        if which == "forwarded" and accepted != expected[: len(accepted)]:
            yield f"{name} reads a forwarded request before a refused one differently"
        reason = reading.error.partition(": bytearray")[0]
        yield f"{name} refuses the {which} request" + (
            f": {reason}" if stream.is_complete else " before it is complete"
        )
