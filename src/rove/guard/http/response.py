"""Parses a server's responses and rewrites them unambiguously, and builds the responses of the proxy itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.guard.hosts.connection_errors import Failure
from rove.guard.hosts.refusal import Refusal
from rove.guard.http.body_framing import BodyFraming, Chunked, ClosedAsChunked, FixedLength
from rove.guard.http.headers import HOP_BY_HOP, Headers, head_bytes
from rove.guard.http.http_errors import Malformed
from rove.guard.http.request import ProxyRequest
from rove.proxy_headers import FAILURE_HEADER, PREFIX, REFUSED_HEADER
from rove.validation.record import dataclass

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"

# Only the proxy sets these headers. The same headers in a server's response are dropped.
_PROXY_HEADER_PREFIX = PREFIX.encode()
_LINE = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?")
_LINE_END = re.compile(rb"\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")


@dataclass(frozen=True)
class Response:
    """A parsed response of a server, with the head that is sent to the client."""

    status: int
    head: bytes
    body: BodyFraming
    closes_connection: bool  # the server sends no further response on this connection


@dataclass(frozen=True)
class ProxyResponse:
    """A response of the proxy itself, with one header that says why it was sent.

    A second one says the same to scripts in the document, for browsers that tell rove no headers. After a redirect from
    another origin these have only the date to tell by: one second after the beginning of time.
    """

    status: str
    text: str
    reason_header: tuple[str, str]

    def to_bytes(self, *, with_body: bool, close: bool) -> bytes:
        body = f"rove: {self.text}\n".encode()
        name, value = self.reason_header
        connection = "Connection: close\r\n" if close else ""
        head = (
            f"HTTP/1.1 {self.status}\r\n{name}: {value}\r\nServer-Timing: {name};desc={value}\r\n"
            "Content-Type: text/plain; charset=utf-8\r\nLast-Modified: Thu, 01 Jan 1970 00:00:01 GMT\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\n{connection}\r\n"
        )
        return head.encode("ascii") + (body if with_body else b"")


def read_response(head: bytes, request: ProxyRequest) -> Response:
    """Parse a response as leniently as browsers do. Raises Malformed if it is unclear where the response ends."""
    first, *lines = _split_lines(head.rstrip(b"\r\n"))
    line = _LINE.fullmatch(first)
    # On a 407 from a server, the browser would ask the user for the password of the proxy.
    if line is None or line[2] == b"407":
        raise Malformed("the status line is not valid HTTP/1, or the status is 407")
    status, is_http_1_0 = int(line[2]), line[1] == b"0"
    if status == 101 and not request.wants_upgrade:
        raise Malformed("the server switches protocols without being asked to")
    headers = Headers(lines, is_strict=False)
    options = headers.connection_options
    coding = b"" if is_http_1_0 else headers.transfer_coding.replace(b"identity", b"")
    body = _body(request, status, coding, headers)
    closes_connection = (
        b"close" in options or isinstance(body, ClosedAsChunked) or (is_http_1_0 and b"keep-alive" not in options)
    )
    kept = _forwarded_lines(headers, options, coding, status)
    if isinstance(body, ClosedAsChunked):
        kept.append(b"Transfer-Encoding: chunked")
    if status >= 200 and request.closes_connection:
        kept.append(b"Connection: close")
    return Response(status, head_bytes(b"HTTP/1.1 %d %b" % (status, line[3] or b""), kept), body, closes_connection)


def refusal_response(refusal: Refusal) -> ProxyResponse:
    """Return the response to a request that the rules forbid."""
    return ProxyResponse("403 Forbidden", f"{refusal.message} {refusal.hint}", (REFUSED_HEADER, refusal.reason))


def failure_response(kind: Failure) -> ProxyResponse:
    """Return the response to a request whose server cannot be reached."""
    status = "504 Gateway Timeout" if kind is Failure.TIMEOUT else "502 Bad Gateway"
    return ProxyResponse(status, f"The connection to the server failed ({kind}).", (FAILURE_HEADER, kind))


def unreadable_response() -> ProxyResponse:
    """Return the response to a request that cannot be parsed."""
    text = "This is not a valid request to a proxy."
    return ProxyResponse("400 Bad Request", text, (FAILURE_HEADER, Failure.MALFORMED))


def _split_lines(head: bytes) -> list[bytes]:
    lines = head.split(b"\r\n")
    if b"\n" in head.replace(b"\r\n", b"") or b"\n " in head or b"\n\t" in head:  # a bare LF, or a folded line
        lines = _LINE_END.split(_FOLD.sub(b" ", head))
    return lines


def _body(request: ProxyRequest, status: int, coding: bytes, headers: Headers) -> BodyFraming:
    if status < 200 or status == 204:  # these have no body, and are forwarded without headers that declare one
        return FixedLength(0)
    if coding not in (b"", b"chunked"):
        raise Malformed("the transfer coding is not supported")
    length = None if coding else headers.content_length
    if status == 304 or request.method == "HEAD":
        return FixedLength(0)
    if coding:
        return Chunked()
    return ClosedAsChunked() if length is None else FixedLength(length)


def _forwarded_lines(headers: Headers, options: frozenset[bytes], coding: bytes, status: int) -> list[bytes]:
    dropped = {*HOP_BY_HOP, *options} - {b"content-length", b"transfer-encoding"}
    if status == 101:
        dropped -= {b"connection", b"upgrade"}
    kept = [(key, line) for key, line in headers.lines if key not in dropped]
    return [line for line in _with_one_framing(kept, _framing(headers, coding, status)) if line]


def _with_one_framing(lines: list[tuple[bytes, bytes]], framing: dict[bytes, bytes]) -> Iterator[bytes]:
    """Yield the lines, with the header that says where the body ends once and in its plainest form."""
    for key, line in lines:
        if key in (b"content-length", b"transfer-encoding"):
            yield framing.pop(key, b"")
        elif not key.startswith(_PROXY_HEADER_PREFIX):
            yield line


def _framing(headers: Headers, coding: bytes, status: int) -> dict[bytes, bytes]:
    if status < 200 or status == 204:  # these have no body, whatever their headers say
        return {}
    if coding:  # a chunked body has no content length
        return {b"transfer-encoding": b"Transfer-Encoding: chunked"}
    length = headers.content_length
    return {} if length is None else {b"content-length": b"Content-Length: %d" % length}
