"""Connections of handshake revisions, which live between requests, and the default session of each client."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
import secrets
import time

from rove.surfaces.mcp.exchange import Client
from rove.surfaces.mcp.protocol import McpConnection
from rove.surfaces.mcp.server import McpServer
from rove.validation.pattern import pattern

MAX_CONNECTIONS = 1000
MAX_OF_ONE_OWNER = 100
LONGEST_NAME = 32
_OTHER_CHARACTERS = pattern(r"[^a-z0-9]+", re.ASCII)


class OpenConnection:
    """One client between `initialize` and its end, with the id that it sends with each request."""

    def __init__(self, server: McpServer, client: Client) -> None:
        self.id = secrets.token_urlsafe(24)
        self.protocol = McpConnection(server, client)
        self.last_used = time.monotonic()
        # Whether the client listens for messages that belong to no request.
        self.is_listening = False
        self.over = asyncio.Event()

    @property
    def idle_seconds(self) -> float:
        is_used = self.is_listening or self.protocol.is_busy
        return 0.0 if is_used else time.monotonic() - self.last_used


class TooManyConnections(Exception):
    """There are as many connections as are allowed."""


class Connections:
    """The open connections. One that is idle for too long is forgotten."""

    def __init__(self, server: McpServer, idle_limit: float) -> None:
        self._server = server
        self._idle_limit = idle_limit
        self._open: dict[str, OpenConnection] = {}

    async def open(self, owner: str, client_name: str, chosen_session: str | None) -> OpenConnection:
        """Open a connection. Its default session is one that no other open connection has, unless it is chosen."""
        await self._close_idle()
        owned = [each for each in self._open.values() if each.protocol.client.owner == owner]
        if len(owned) >= MAX_OF_ONE_OWNER or len(self._open) >= MAX_CONNECTIONS:
            raise TooManyConnections
        taken = {each.protocol.client.session for each in owned}
        names = (default_session(owner, client_name, number) for number in itertools.count(1))
        session = chosen_session or next(name for name in names if name not in taken)
        opened = OpenConnection(self._server, Client(owner, session))
        self._open[opened.id] = opened
        return opened

    def find(self, name: str, owner: str) -> OpenConnection | None:
        """Return a connection of this owner; None if it is another's, closed or unknown."""
        found = self._open.get(name)
        if found is None or found.protocol.client.owner != owner:
            return None
        found.last_used = time.monotonic()
        return found

    async def close(self, connection: OpenConnection) -> None:
        """End a connection and what it runs. Its sessions stay."""
        self._open.pop(connection.id, None)
        connection.over.set()
        await connection.protocol.close()

    async def close_all(self) -> None:
        for connection in [*self._open.values()]:
            await self.close(connection)

    async def _close_idle(self) -> None:
        for connection in [each for each in self._open.values() if each.idle_seconds > self._idle_limit]:
            await self.close(connection)


def default_session(owner: str, client_name: str, number: int = 1) -> str:
    """Return the name of a client's default session. It is always the same, also after a restart of the server.

    `number`: for further clients of the same token and name, while an earlier one is connected.
    """
    readable = _OTHER_CHARACTERS.sub("-", client_name.lower())[:LONGEST_NAME].strip("-") or "mcp"
    digest = hashlib.sha256(f"{owner}\0{client_name}".encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{readable}-{digest}" + (f"-{number}" if number > 1 else "")
