"""Parses requests to a proxy, strictly enough that no server can read the forwarded request differently."""

from __future__ import annotations

import re

from rove.guard.hosts.urls import Endpoint, endpoint_of
from rove.guard.http.body_framing import BodyFraming, FixedLength, PlainChunked
from rove.guard.http.headers import HOP_BY_HOP, Headers, head_bytes
from rove.guard.http.http_errors import Malformed
from rove.validation.record import dataclass

_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,40}) ([\x21-\x7e]+) HTTP/1\.([01])")
# WebKit asks for a WebSocket by its own address, other browsers by the http: one, or through a tunnel.
_ABSOLUTE = re.compile(rb"(?:http|(ws))://([^/?#@\\]+)(/[^#]*)?(\?[^#]*)?", re.IGNORECASE)
# Headers that belong to the message itself. `Connection` must not name them.
_NEVER_DROPPED = frozenset({b"host", b"content-length", b"transfer-encoding"})


@dataclass(frozen=True)
class ProxyRequest:
    """A parsed request, with the head that is sent to the server."""

    method: str
    endpoint: Endpoint
    head: bytes
    body: BodyFraming
    closes_connection: bool = False  # the client sends no further request on this connection
    wants_upgrade: bool = False

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"


def read_request(head: bytes) -> ProxyRequest:
    """Parse a request. Raises Malformed on anything that two servers could read in different ways."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    line = _LINE.fullmatch(first)
    if line is None:
        raise Malformed("the request line is not valid HTTP/1")
    headers = Headers(lines, is_strict=True)
    if line[1] == b"CONNECT":
        return _connect_request(line[2], headers)
    if line[3] == b"0":
        raise Malformed("HTTP/1.0 is not supported")
    return _absolute_request(line[1], line[2], headers)


def _connect_request(target: bytes, headers: Headers) -> ProxyRequest:
    endpoint = endpoint_of(target.decode("ascii"))
    hosts = [endpoint_of(host.decode("latin-1"), 443) for host in headers.values(b"host")]
    if endpoint is None or len(hosts) > 1 or any(host is None or host.host != endpoint.host for host in hosts):
        raise Malformed("the target of the tunnel is not one host and port")
    if headers.values(b"transfer-encoding") or headers.values(b"content-length"):
        raise Malformed("a CONNECT request must not have a body")
    return ProxyRequest("CONNECT", endpoint, b"", FixedLength(0))


def _absolute_request(method: bytes, target: bytes, headers: Headers) -> ProxyRequest:
    absolute = _ABSOLUTE.fullmatch(target)
    endpoint = endpoint_of(absolute[2].decode("ascii"), 80) if absolute else None
    if absolute is None or endpoint is None:
        raise Malformed("the target is not an absolute http: URL")
    hosts = headers.values(b"host")
    if len(hosts) != 1 or endpoint_of(hosts[0].decode("latin-1"), 80) != endpoint:
        raise Malformed("the Host header is missing, is repeated or differs from the target")
    options = headers.connection_options
    if options & _NEVER_DROPPED:
        raise Malformed("Connection names a header that belongs to the message")
    upgrade = b"upgrade" in options and any(value.lower() == b"websocket" for value in headers.values(b"upgrade"))
    path = (absolute[3] or b"/") + (absolute[4] or b"")
    body = _body(headers)
    if absolute[1] and not upgrade:
        raise Malformed("the target is that of a WebSocket, and the request is none")
    if upgrade and (method != b"GET" or not body.is_done):
        raise Malformed("servers disagree on whether a body follows a request to upgrade")
    return ProxyRequest(
        method.decode("ascii"),
        endpoint,
        head_bytes(b"%b %b HTTP/1.1" % (method, path), _forwarded_lines(headers, options, upgrade)),
        body,
        closes_connection=b"close" in options,
        wants_upgrade=upgrade,
    )


def _body(headers: Headers) -> BodyFraming:
    coding, lengths = headers.transfer_coding, headers.values(b"content-length")
    if len(lengths) > 1 or (lengths and coding):
        raise Malformed("the body length is given twice")
    if coding != b"chunked" and headers.values(b"transfer-encoding"):  # an empty one is given, too
        raise Malformed("the transfer coding is not supported")
    return PlainChunked() if coding else FixedLength(headers.content_length or 0)


def _forwarded_lines(headers: Headers, options: frozenset[bytes], upgrade: bool) -> list[bytes]:
    """Return the headers to forward, with `Connection` in place of `Proxy-Connection`, as without a proxy."""
    connection = b"Connection: " + (b"Upgrade" if upgrade else b"close" if b"close" in options else b"keep-alive")
    kept: list[bytes] = []
    for key, line in headers.lines:
        if key in (b"connection", b"proxy-connection"):
            if connection:
                kept.append(connection)
            connection = b""
        elif key in _NEVER_DROPPED:
            kept.append(_plain(line))
        elif (key not in HOP_BY_HOP and key not in options) or (upgrade and key == b"upgrade"):
            kept.append(line)
    return kept


def _plain(line: bytes) -> bytes:
    """Return a header with one space before its value and none behind it, so that no server reads a tab as a part."""
    name, _, value = line.partition(b":")
    return name + b": " + value.strip(b" \t")
