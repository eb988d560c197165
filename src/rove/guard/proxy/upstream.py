"""A proxy beyond ours, for networks that have no other way out.

It is given addresses, never names: what it looked up itself would be a second answer that nobody checked.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import field
from ipaddress import IPv4Address

from rove.errors import InvalidSettings
from rove.guard.hosts.refusal import IP
from rove.guard.hosts.urls import Endpoint, endpoint_of
from rove.guard.http.byte_stream import LENIENT_END, ByteStream
from rove.guard.proxy.connection_errors import Failure, Malformed, Unreachable
from rove.record import dataclass

_DEFAULT_PORTS = {"http": 80, "socks5": 1080}
_SOCKS_FAILURES = {3: Failure.UNREACHABLE, 4: Failure.UNREACHABLE, 5: Failure.REFUSED, 6: Failure.TIMEOUT}
_HTTP_FAILURES = {
    b"407": Failure.CREDENTIALS,
    b"502": Failure.UNREACHABLE,
    b"503": Failure.UNREACHABLE,
    b"504": Failure.TIMEOUT,
}
_BROKEN_OFF = (Failure.RESET, Failure.EMPTY, Failure.SHORT)
_ANONYMOUS, _PASSWORD = 0, 2


@dataclass(frozen=True)
class Upstream:
    """Where the other proxy is, what it speaks, and what it wants to hear first."""

    kind: str
    endpoint: Endpoint
    username: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, url: str) -> Upstream:
        """`http://host:port` or `socks5://host:port`, with `user:password@` where it wants that."""
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
                "The address of the upstream proxy cannot be read.",
                hint="Write http://host:port or socks5://host:port, with user:password@ before the host if need be.",
            )
        return cls(kind, endpoint, unquote(parsed.username), unquote(parsed.password))

    async def ask(self, stream: ByteStream, address: IP, port: int) -> None:
        """Have it connect this link to an address; raises Unreachable."""
        try:
            await (
                self._ask_socks(stream, address, port)
                if self.kind == "socks5"
                else self._ask_http(stream, address, port)
            )
        except Malformed as error:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy makes no sense") from error
        except Unreachable as error:
            if error.kind in _BROKEN_OFF:
                raise Unreachable(Failure.UPSTREAM, "the upstream proxy broke off") from error
            raise

    async def _ask_http(self, stream: ByteStream, address: IP, port: int) -> None:
        place = str(Endpoint(str(address), port))
        words = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self.username:
            token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            words.append(f"Proxy-Authorization: Basic {token}")
        stream.write(("\r\n".join(words) + "\r\n\r\n").encode())
        head = await stream.read_head(LENIENT_END)
        version, _, status = head[:12].partition(b" ")
        if not version.startswith(b"HTTP/1.") or not status.startswith(b"2"):
            raise Unreachable(_HTTP_FAILURES.get(status, Failure.UPSTREAM), "the upstream proxy said no")

    async def _ask_socks(self, stream: ByteStream, address: IP, port: int) -> None:
        way = _PASSWORD if self.username else _ANONYMOUS
        stream.write(bytes((5, 1, way)))
        version, wanted = await stream.read_exactly(2)
        if version != 5:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy does not speak SOCKS")
        if wanted != way:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy wants another kind of log-in")
        if way == _PASSWORD:
            await self._log_in(stream)
        kind = b"\x01" if isinstance(address, IPv4Address) else b"\x04"
        stream.write(b"\x05\x01\x00" + kind + address.packed + struct.pack("!H", port))
        version, reply, _, bound = await stream.read_exactly(4)
        if version != 5 or reply != 0:
            raise Unreachable(_SOCKS_FAILURES.get(reply, Failure.UPSTREAM), f"the upstream proxy said {reply}")
        length = {1: 4, 4: 16}.get(bound) or (await stream.read_exactly(1))[0]
        await stream.read_exactly(length + 2)

    async def _log_in(self, stream: ByteStream) -> None:
        name, word = self.username.encode()[:255], self.password.encode()[:255]
        stream.write(bytes((1, len(name))) + name + bytes((len(word),)) + word)
        if (await stream.read_exactly(2))[1] != 0:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy does not know us")
