"""Who may talk to the server at all: the Host and Origin of a request, and how much one client may send."""

from __future__ import annotations

import time

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rove.surfaces.mcp.http.access import Places


class AccessCheck:
    """Refuses requests whose Host or Origin is not the server's own, against DNS rebinding and other sites' pages."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._places.refusal(Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            # For a WebSocket, uvicorn sends this as the answer to the handshake.
            await PlainTextResponse(refusal, 403)(scope, receive, send)


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
