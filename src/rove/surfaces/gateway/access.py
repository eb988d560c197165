"""Who may talk to the server at all: the Host and Origin of a request, and how much one client may send."""

from __future__ import annotations

import time
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class AccessCheck:
    """Refuses requests whose Host or Origin is not the server's own, against DNS rebinding and other sites' pages."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        """`hosts`: names under which the server is reached; without a port, any port. `origins`: further origins."""
        self._app = app
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            # For a WebSocket, uvicorn sends this as the answer to the handshake.
            await PlainTextResponse(refusal, 403)(scope, receive, send)

    def refusal(self, headers: Headers) -> str | None:
        """Return why a request is refused, and the flag that would allow it; None if it is not."""
        host = headers.get("host", "").lower()
        if not self._is_known(host):
            return f"The Host header {host[:200]!r} is not allowed. Start rove with --serve-allowed-hosts NAME.\n"
        origin = headers.get("origin")
        if origin is None or origin.lower() in self._origins or self._is_known(_host_of(origin)):
            return None
        return f"The Origin {origin[:200]!r} is not allowed. Start rove with --serve-allowed-origins ORIGIN.\n"

    def _is_known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if _has_port(host) else host
        return bool(host) and (host in self._hosts or name in self._hosts)


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class RateLimit:
    """Allows so many requests a second, and a burst of twice as many."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = float(per_second * 2)
        self._at = time.monotonic()
        # How many were refused, less those that were allowed since.
        self.refused = 0

    def allows(self) -> bool:
        """Count one request; return whether it is within the limit."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_second, self._per_second * 2.0)
        self._at = now
        if self._left < 1:
            self.refused += 1
            return False
        self._left -= 1
        self.refused = max(0, self.refused - 1)
        return True
