"""Connects through an upstream proxy, for networks that require one.

The upstream proxy receives addresses, never names: if it resolved a name itself, its answer would go unchecked.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import field
from ipaddress import IPv4Address

from rove.errors import InvalidSettings
from rove.guard.hosts.connection_errors import Failure, Unreachable
from rove.guard.hosts.refusal import IP
from rove.guard.hosts.urls import Endpoint, endpoint_of
from rove.guard.http.byte_stream import LENIENT_HEAD_END, ByteStream
from rove.guard.http.http_errors import Malformed
from rove.validation.record import dataclass

_DEFAULT_PORTS = {"http": 80, "socks5": 1080}
_SOCKS_FAILURES = {3: Failure.UNREACHABLE, 4: Failure.UNREACHABLE, 5: Failure.REFUSED, 6: Failure.TIMEOUT}
_HTTP_FAILURES = {
    b"407": Failure.CREDENTIALS,
    b"502": Failure.UNREACHABLE,
    b"503": Failure.UNREACHABLE,
    b"504": Failure.TIMEOUT,
}
_DISCONNECTS = (Failure.RESET, Failure.EMPTY, Failure.SHORT)
_NO_AUTHENTICATION, _USERNAME_PASSWORD = 0, 2


@dataclass(frozen=True)
class Upstream:
    """The protocol, endpoint and credentials of an upstream proxy."""

    kind: str
    endpoint: Endpoint
    username: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, url: str) -> Upstream:
        """Parse `http://host:port` or `socks5://host:port`, with `user:password@` before the host if needed."""
        from urllib.parse import unquote

        import ada_url

        try:
            parsed = ada_url.URL(url)
        except ValueError:
            parsed = ada_url.URL("unreadable:")
        kind = parsed.protocol.removesuffix(":")
        endpoint = endpoint_of(parsed.host, _DEFAULT_PORTS.get(kind, 0))
        if kind not in _DEFAULT_PORTS or endpoint is None or parsed.pathname.strip("/") or parsed.search:
            raise InvalidSettings(
                "The address of the upstream proxy is not valid.",
                hint="Write http://host:port or socks5://host:port, with user:password@ before the host if needed.",
            )
        return cls(kind, endpoint, unquote(parsed.username), unquote(parsed.password))

    async def connect(self, stream: ByteStream, address: IP, port: int) -> None:
        """Ask the upstream proxy to connect this stream to an address. Raises Unreachable."""
        try:
            await (
                self._connect_socks(stream, address, port)
                if self.kind == "socks5"
                else self._connect_http(stream, address, port)
            )
        except Malformed as error:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy sent an invalid response") from error
        except Unreachable as error:
            if error.kind in _DISCONNECTS:
                raise Unreachable(Failure.UPSTREAM, "the upstream proxy closed the connection") from error
            raise

    async def _connect_http(self, stream: ByteStream, address: IP, port: int) -> None:
        target = Endpoint(str(address), port)
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self.username:
            token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {token}")
        stream.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = await stream.read_head(LENIENT_HEAD_END)
        version, _, status = head[:12].partition(b" ")
        if not version.startswith(b"HTTP/1.") or not status.startswith(b"2"):
            raise Unreachable(_HTTP_FAILURES.get(status, Failure.UPSTREAM), "the upstream proxy refused")

    async def _connect_socks(self, stream: ByteStream, address: IP, port: int) -> None:
        await self._negotiate_socks(stream)
        kind = b"\x01" if isinstance(address, IPv4Address) else b"\x04"
        stream.write(b"\x05\x01\x00" + kind + address.packed + struct.pack("!H", port))
        version, reply, _, bound = await stream.read_exactly(4)
        if version != 5 or reply != 0:
            raise Unreachable(_SOCKS_FAILURES.get(reply, Failure.UPSTREAM), f"the upstream proxy replied {reply}")
        length = {1: 4, 4: 16}.get(bound) or (await stream.read_exactly(1))[0]
        await stream.read_exactly(length + 2)

    async def _negotiate_socks(self, stream: ByteStream) -> None:
        method = _USERNAME_PASSWORD if self.username else _NO_AUTHENTICATION
        stream.write(bytes((5, 1, method)))
        version, chosen = await stream.read_exactly(2)
        if version != 5:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy does not speak SOCKS 5")
        if chosen != method:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy requires another authentication method")
        if method == _USERNAME_PASSWORD:
            await self._authenticate(stream)

    async def _authenticate(self, stream: ByteStream) -> None:
        username, password = self.username.encode()[:255], self.password.encode()[:255]
        stream.write(bytes((1, len(username))) + username + bytes((len(password),)) + password)
        if (await stream.read_exactly(2))[1] != 0:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy rejected the username or password")
