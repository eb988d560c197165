"""A request as a proxy is sent it, read so strictly that no server behind could read it differently."""

from __future__ import annotations

import re

from rove.guard.hosts.urls import Endpoint, endpoint_of
from rove.guard.http.body_framing import BodyFraming, Chunked, FixedLength
from rove.guard.http.headers import HOP_BY_HOP, Headers, written
from rove.guard.proxy.connection_errors import Malformed
from rove.record import dataclass

_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,40}) ([\x21-\x7e]+) HTTP/1\.([01])")
_ABSOLUTE = re.compile(rb"http://([^/?#@\\]+)(/[^#]*)?(\?[^#]*)?", re.IGNORECASE)
# What decides on a message's meaning cannot be declared to be of one connection.
_NEVER_DROPPED = frozenset({b"host", b"content-length", b"transfer-encoding"})


@dataclass(frozen=True)
class ProxyRequest:
    """A request that was understood, and its head as it goes on."""

    method: str
    endpoint: Endpoint
    head: bytes
    body: BodyFraming
    is_last: bool = False  # the client will ask no more on this connection
    wants_upgrade: bool = False

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"


def read_request(head: bytes) -> ProxyRequest:
    """Raises Malformed on anything that two servers could take for two things."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    line = _LINE.fullmatch(first)
    if line is None:
        raise Malformed("the request line is not one of HTTP/1")
    headers = Headers(lines, is_strict=True)
    if line[1] == b"CONNECT":
        return _tunnel(line[2], headers)
    if line[3] == b"0":
        raise Malformed("HTTP/1.0 is not spoken here")
    return _plain(line[1], line[2], headers)


def _tunnel(target: bytes, headers: Headers) -> ProxyRequest:
    endpoint = endpoint_of(target.decode("ascii"))
    hosts = [endpoint_of(host.decode("latin-1"), 443) for host in headers.values(b"host")]
    if endpoint is None or len(hosts) > 1 or any(host is None or host.host != endpoint.host for host in hosts):
        raise Malformed("the tunnel's end is not one host and one port")
    if headers.values(b"transfer-encoding") or headers.values(b"content-length"):
        raise Malformed("a request for a tunnel has no body")
    return ProxyRequest("CONNECT", endpoint, b"", FixedLength(0))


def _plain(method: bytes, target: bytes, headers: Headers) -> ProxyRequest:
    absolute = _ABSOLUTE.fullmatch(target)
    endpoint = endpoint_of(absolute[1].decode("ascii"), 80) if absolute else None
    if absolute is None or endpoint is None:
        raise Malformed("the address is not a whole http: one")
    hosts = headers.values(b"host")
    if len(hosts) != 1 or endpoint_of(hosts[0].decode("latin-1"), 80) != endpoint:
        raise Malformed("the Host header is missing, doubled, or another than the address")
    options = headers.options
    if options & _NEVER_DROPPED:
        raise Malformed("Connection names a header that belongs to the message")
    upgrade = b"upgrade" in options and any(value.lower() == b"websocket" for value in headers.values(b"upgrade"))
    path = (absolute[2] or b"/") + (absolute[3] or b"")
    return ProxyRequest(
        method.decode("ascii"),
        endpoint,
        written(b"%b %b HTTP/1.1" % (method, path), _forwarded(headers, options, upgrade)),
        _body(headers),
        is_last=b"close" in options,
        wants_upgrade=upgrade,
    )


def _body(headers: Headers) -> BodyFraming:
    coding, lengths = headers.coding, headers.values(b"content-length")
    if len(lengths) > 1 or (lengths and coding):
        raise Malformed("the length is given in two ways")
    if coding not in (b"", b"chunked"):
        raise Malformed("the transfer coding is not understood")
    return Chunked() if coding else FixedLength(headers.length or 0)


def _forwarded(headers: Headers, options: frozenset[bytes], upgrade: bool) -> list[bytes]:
    """With `Connection` where the client's `Proxy-Connection` stood: what a server would see without a proxy."""
    ours = b"Connection: " + (b"Upgrade" if upgrade else b"close" if b"close" in options else b"keep-alive")
    kept: list[bytes] = []
    for key, line in headers.lines:
        if key in (b"connection", b"proxy-connection"):
            if ours:
                kept.append(ours)
            ours = b""
        elif (key not in HOP_BY_HOP and key not in options) or (upgrade and key == b"upgrade"):
            kept.append(line)
    return kept
