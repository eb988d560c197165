"""MCP over HTTP: any body with any headers gets a response that is no server error, and ends."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping, MutableMapping
from typing import Any

from tests.fuzz.targets.mcp_messages import META, RAW, SECONDS, ServerWithoutBrowser, message
from tests.surfaces.mcp_http.serving import TOKENS

from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.http_access import Places
from rove.surfaces.mcp.http_endpoint import Limits, McpEndpoint
from rove.surfaces.mcp.messages import INTERNAL

METHODS = ("POST", "POST", "POST", "POST", "GET", "DELETE", "PUT", "HEAD", "OPTIONS")
HEADERS = (
    b"mcp-protocol-version: 2026-07-28",
    b"mcp-protocol-version: 2025-06-18",
    b"mcp-protocol-version: \xff",
    b"mcp-method: tools/call",
    b"mcp-method: ping",
    b"mcp-name: browser_click",
    b"mcp-name: =?base64?YnJvd3Nlcl9jbGljaw==?=",
    b"mcp-name: =?base64?=?=",
    b"mcp-param-session: a",
    b"mcp-session-id: x",
    b"accept: application/json",
    b"accept: text/event-stream;q=0",
    b"content-length: 99999999999999999999",
    b"content-length: \xb2",
    b"content-type: text/plain",
    b"origin: https://evil.example",
    b"host: evil.example",
    b"authorization: Bearer",
    b"last-event-id: \xff",
)


class McpHttpRequests(ServerWithoutBrowser):
    """The application at `/mcp`. An input is a request: a line, headers, an empty line and a body."""

    name = "mcp_http_requests"
    tokens = (*RAW, *(b"\r\n" + header for header in HEADERS), b"\r\n\r\n")
    accepted: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        server = browser_server(self.sessions, self.tools, has_headers=True)
        limits = Limits(requests_at_once=10**6, requests_per_second=10**6, body_bytes=100_000)
        self._endpoint = McpEndpoint(server, TOKENS, Places(("localhost",), ("https://chat.example",)), limits)

    def generate(self, choose: random.Random) -> bytes:
        content: Any = message(choose) if choose.random() < 0.9 else [message(choose)] * 2
        lines = [b"host: localhost", b"authorization: Bearer token-of-anna", b"content-type: application/json"]
        if choose.random() < 0.4 and isinstance(content, dict) and isinstance(content.get("params"), dict):
            content["params"]["_meta"] = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
            lines += [
                b"mcp-protocol-version: 2026-07-28",
                b"mcp-method: " + str(content.get("method")).encode("utf-8", "replace"),
            ]
        lines += [choose.choice(HEADERS) for _ in range(choose.choice((0, 0, 1, 3)))]
        query = choose.choice((b"", b"", b"?session=a", b"?session=%ff", b"?session=a&session=b"))
        return (
            choose.choice(METHODS).encode()
            + b" /mcp"
            + query
            + b"\r\n"
            + b"\r\n".join(lines)
            + b"\r\n\r\n"
            + json.dumps(content).encode()
        )

    def check(self, data: bytes) -> set[str]:
        self.loop.run_until_complete(asyncio.wait_for(self._check(data), SECONDS))
        return set()

    async def _check(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        sent = await self._respond(head.split(b"\r\n"), body)
        assert sent and sent[0]["type"] == "http.response.start", "no response"
        assert sent[0]["status"] < 500, f"status {sent[0]['status']}"
        content = b"".join(part.get("body", b"") for part in sent[1:])
        assert b'"code":%d' % INTERNAL not in content, content[:300].decode("utf-8", "replace")

    async def _respond(self, lines: list[bytes], body: bytes) -> list[MutableMapping[str, Any]]:
        """Call the application as a server does, whose client goes away once the response has begun to stream."""
        sent = list[MutableMapping[str, Any]]()
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> MutableMapping[str, Any]:
            if pending:
                return pending.pop()
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}

        async def send(part: MutableMapping[str, Any]) -> None:
            sent.append(part)

        await self._endpoint(_scope(lines), receive, send)
        return sent


def _scope(lines: list[bytes]) -> dict[str, Any]:
    method, _, target = lines[0].partition(b" ")
    path, _, query = target.partition(b"?")
    pairs = (line.partition(b":") for line in lines[1:] if b":" in line)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.decode("latin-1"),
        "scheme": "http",
        "path": path.decode("latin-1"),
        "query_string": query,
        "headers": [(name.strip().lower(), value.strip()) for name, _, value in pairs],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
