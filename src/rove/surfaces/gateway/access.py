"""Who may talk to the server at all, by the Host and Origin of a request."""

from __future__ import annotations

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
