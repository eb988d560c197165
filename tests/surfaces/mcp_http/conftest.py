"""An endpoint over the sessions of the worker, and clients of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from tests.surfaces.mcp_http.serving import TOKENS, serving

from rove.engine.sessions import Sessions
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.http_access import Places
from rove.surfaces.mcp.http_endpoint import Limits, McpEndpoint
from rove.toolsets.toolset import catalogue_toolset

LIMITS = Limits(requests_at_once=20, requests_per_second=1000)
META = "io.modelcontextprotocol/"


@pytest.fixture(scope="module")
async def endpoint(sessions: Sessions) -> AsyncGenerator[str]:
    """The address of `/mcp` on a real server."""
    server = browser_server(sessions, catalogue_toolset(), has_headers=True)
    made = McpEndpoint(server, TOKENS, Places(("agents.example",), ("https://chat.example",)), LIMITS)
    async with serving(made) as url:
        yield f"{url}/mcp"
        await made.close()


@pytest.fixture(autouse=True)
async def _close_sessions(request: pytest.FixtureRequest) -> AsyncGenerator[None]:
    """Let a test begin without sessions, whatever tests of other modules have left to this worker, and end so."""
    if "endpoint" not in request.fixturenames:
        yield
        return
    sessions: Sessions = request.getfixturevalue("sessions")
    await _close_all(sessions)
    yield
    await _close_all(sessions)


async def _close_all(sessions: Sessions) -> None:
    for known in sessions.sessions():
        await sessions.close_session(known["session"])


class Http:
    """A client that sends exactly what a test says."""

    def __init__(self, url: str, client: httpx2.AsyncClient) -> None:
        self.url = url
        self.client = client

    async def send(self, method: str, body: Any = None, **headers: str | None) -> httpx2.Response:
        """Send a request of `anna`; a header of None is left out, and `_` stands for a dash."""
        own: dict[str, str | None] = {
            "authorization": "Bearer token-of-anna",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        kept = {name: value for name, value in own.items() if value is not None}
        content = body if isinstance(body, bytes | None) else httpx2.Request("POST", self.url, json=body).content
        return await self.client.request(method, self.url, content=content, headers=kept)

    async def open(self, **headers: str | None) -> str:
        """Open a connection of a handshake revision and return its id."""
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        answer = await self.send("POST", rpc("initialize", params), **headers)
        assert answer.status_code == 200
        name: str = answer.headers["mcp-session-id"]
        return name

    async def modern(self, method: str, params: dict[str, Any] | None = None, **headers: str | None) -> httpx2.Response:
        """Send a request of revision 2026-07-28 with the headers that belong to it, unless given otherwise."""
        meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
        whole = {"_meta": meta, **(params or {})}
        own: dict[str, str | None] = {"mcp_protocol_version": "2026-07-28", "mcp_method": method}
        if "name" in whole or "uri" in whole:
            own["mcp_name"] = whole.get("name") or whole.get("uri")
        return await self.send("POST", rpc(method, whole), **{**own, **headers})


def rpc(method: str, params: Any = None, identity: str | int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}}


@pytest.fixture
async def http(endpoint: str) -> AsyncGenerator[Http]:
    async with httpx2.AsyncClient(timeout=60) as client:
        yield Http(endpoint, client)
