"""The application that the server runs: WebSocket, page, MCP, health and metrics."""

from __future__ import annotations

import mimetypes
from functools import cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from rove.surfaces.gateway.access import AccessCheck, SafeHeaders
from rove.surfaces.gateway.connection import Connection
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.numbers.metrics import CONTENT_TYPE
from rove.surfaces.gateway.tokens import Scope
from rove.surfaces.mcp.http.access import places_of
from rove.version import VERSION

WEB = Path(__file__).parent / "web"
mimetypes.add_type("text/javascript", ".js")


def create_app(gateway: Gateway) -> ASGIApp:
    """Return the application of a gateway."""
    access = Middleware(AccessCheck, places=places_of(gateway.settings))
    routes = [
        WebSocketRoute("/", _socket),
        WebSocketRoute("/ws", _socket),
        Route("/healthz", _health),
        Route("/metrics", _metrics),
        Route("/mcp", gateway.mcp),
        Route("/{path:path}", _page),
    ]
    app = Starlette(routes=routes, middleware=[access])
    app.state.gateway = gateway
    return SafeHeaders(app)


async def _socket(socket: WebSocket) -> None:
    await Connection(socket.app.state.gateway, socket).serve()


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": VERSION})


async def _metrics(request: Request) -> Response:
    gateway: Gateway = request.app.state.gateway
    token = gateway.tokens.find(bearer_token(request.headers.get("authorization", "")))
    if token is None or not token.allows(Scope.VIEW_ALL):
        return PlainTextResponse(
            "A bearer token with the scope `view:all` is needed.\n", 401, {"WWW-Authenticate": "Bearer"}
        )
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


def bearer_token(header: str) -> str:
    """Return the token in an Authorization header; empty if there is none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def _page(request: Request) -> Response:
    """Serve a file of the page. Every other path is unknown: nothing outside that folder can be named."""
    path = request.path_params["path"] or "index.html"
    file = _files().get(path)
    return FileResponse(file) if file else PlainTextResponse("Not found\n", 404)


@cache
def _files() -> dict[str, Path]:
    return {path.relative_to(WEB).as_posix(): path for path in WEB.rglob("*") if path.is_file()}
