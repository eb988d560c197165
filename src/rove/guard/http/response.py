"""Answers: a server's, rebuilt so that there is one way to read them, and the guard's own."""

from __future__ import annotations

import re

from rove.guard.hosts.refusal import Refusal
from rove.guard.http.body_framing import BodyFraming, Chunked, FixedLength, UntilClosed
from rove.guard.http.headers import HOP_BY_HOP, Headers, written
from rove.guard.http.request import ProxyRequest
from rove.guard.proxy.connection_errors import Failure, Malformed
from rove.proxy_headers import FAILURE_HEADER, PREFIX, REFUSED_HEADER
from rove.record import dataclass

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"

# Written by the guard alone: a server that says so itself is not believed.
_OUR_MARK = PREFIX.encode()
_LINE = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9][0-9])(?: ([\t\x20-\x7e\x80-\xff]*))?")
_LINE_END = re.compile(rb"\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")


@dataclass(frozen=True)
class Response:
    """An answer that was understood, and its head as it goes on."""

    status: int
    head: bytes
    body: BodyFraming
    is_last: bool  # the server will say no more on this connection

    @property
    def ends_by_closing(self) -> bool:
        return isinstance(self.body, UntilClosed)


@dataclass(frozen=True)
class ProxyResponse:
    """An answer of the guard's own, with the one header that says why."""

    status: str
    text: str
    mark: tuple[str, str]

    def written(self, *, with_body: bool, is_last: bool) -> bytes:
        body = f"rove: {self.text}\n".encode()
        end = "Connection: close\r\n" if is_last else ""
        head = (
            f"HTTP/1.1 {self.status}\r\n{self.mark[0]}: {self.mark[1]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\n{end}\r\n"
        )
        return head.encode("ascii") + (body if with_body else b"")


def read_response(head: bytes, request: ProxyRequest) -> Response:
    """Careless servers are understood as browsers understand them; raises Malformed where the end is in doubt."""
    first, *lines = _lines(head.rstrip(b"\r\n"))
    line = _LINE.fullmatch(first)
    # A server that asks for a proxy's password would make the browser ask a person for one.
    if line is None or line[2] == b"407":
        raise Malformed("the answer is not one of HTTP/1")
    status, is_old = int(line[2]), line[1] == b"0"
    if status == 101 and not request.wants_upgrade:
        raise Malformed("the server changes to what nobody asked for")
    headers = Headers(lines, is_strict=False)
    options = headers.options
    coding = b"" if is_old else headers.coding.replace(b"identity", b"")
    body = _body(request, status, coding, headers)
    is_last = b"close" in options or isinstance(body, UntilClosed) or (is_old and b"keep-alive" not in options)
    kept = _forwarded(headers, options, coding, status)
    if status >= 200 and (request.is_last or isinstance(body, UntilClosed)):
        kept.append(b"Connection: close")
    return Response(status, written(b"HTTP/1.1 %d %b" % (status, line[3] or b""), kept), body, is_last)


def refusal_response(refusal: Refusal) -> ProxyResponse:
    """What a client reads that asked for something forbidden."""
    return ProxyResponse("403 Forbidden", f"{refusal.message} {refusal.hint}", (REFUSED_HEADER, refusal.rule))


def failure_response(kind: Failure) -> ProxyResponse:
    """What a client reads when a server that it may talk to cannot be talked to."""
    status = "504 Gateway Timeout" if kind is Failure.TIMEOUT else "502 Bad Gateway"
    return ProxyResponse(status, f"The server cannot be talked to ({kind}).", (FAILURE_HEADER, kind))


def unreadable_response() -> ProxyResponse:
    """What a client reads whose request is not understood."""
    return ProxyResponse("400 Bad Request", "This is not a request to a proxy.", (FAILURE_HEADER, Failure.MALFORMED))


def _lines(head: bytes) -> list[bytes]:
    lines = head.split(b"\r\n")
    if b"\n" in head.replace(b"\r\n", b"") or b"\n " in head or b"\n\t" in head:  # bare ends, or folded lines
        lines = _LINE_END.split(_FOLD.sub(b" ", head))
    return lines


def _body(request: ProxyRequest, status: int, coding: bytes, headers: Headers) -> BodyFraming:
    if status < 200 or status in (204, 304) or request.method == "HEAD":
        return FixedLength(0)
    if coding:
        if coding != b"chunked":
            raise Malformed("the transfer coding is not understood")
        return Chunked()
    return UntilClosed() if headers.length is None else FixedLength(headers.length)


def _forwarded(headers: Headers, options: frozenset[bytes], coding: bytes, status: int) -> list[bytes]:
    dropped = {*HOP_BY_HOP, *options} - {b"content-length", b"transfer-encoding"}
    dropped |= {b"content-length"} if coding else {b"transfer-encoding"}  # beside chunks a length means nothing
    if status == 101:
        dropped -= {b"connection", b"upgrade"}
    if status < 200 or status == 204:  # no body, whatever it says
        dropped |= {b"content-length", b"transfer-encoding"}
    return [line for key, line in headers.lines if key not in dropped and not key.startswith(_OUR_MARK)]
