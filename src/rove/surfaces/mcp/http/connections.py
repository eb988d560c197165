"""Connections of handshake revisions, which live between requests, and the default session of each client."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Generator

from rove.surfaces.mcp.exchange import Client
from rove.surfaces.mcp.http.access import Caller, may_approve
from rove.surfaces.mcp.messages import Message
from rove.surfaces.mcp.protocol import McpConnection
from rove.surfaces.mcp.server import McpServer
from rove.validation.pattern import pattern

MAX_OF_ONE_TOKEN = 100
# Seconds without a request after which a client that does not listen is taken to have left without saying so.
LEFT_SECONDS = 60.0
LONGEST_NAME = 32
EndSession = Callable[[Client], Awaitable[None]]
_OTHER_CHARACTERS = pattern(r"[^a-z0-9]+", re.ASCII)


class OpenConnection:
    """One client between `initialize` and its end, with the id that it sends with each request."""

    def __init__(self, server: McpServer, caller: str, client: Client, has_own_session: bool = False) -> None:
        """`caller`: the id of the token that it was opened with."""
        self.caller = caller
        self.has_own_session = has_own_session
        self.id = secrets.token_urlsafe(24)
        self.protocol = McpConnection(server, client)
        self.last_used = time.monotonic()
        # Whether the client listens for messages that belong to no request, and whether it ever did.
        self.is_listening = False
        self.has_listened = False
        self.over = asyncio.Event()

    @contextlib.contextmanager
    def listening(self) -> Generator[asyncio.Queue[Message]]:
        """Yield the messages that belong to no request, while the client listens for them."""
        self.is_listening = self.has_listened = True
        messages: asyncio.Queue[Message] = asyncio.Queue()
        self.protocol.stream = messages.put
        try:
            yield messages
        finally:
            self.is_listening = False
            self.protocol.stream = None
            self.last_used = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        is_used = self.is_listening or self.protocol.is_busy
        return 0.0 if is_used else time.monotonic() - self.last_used

    @property
    def has_left(self) -> bool:
        """Whether its client seems to have gone: it listens no more, or has been silent for long."""
        return self.idle_seconds > (0.0 if self.has_listened else LEFT_SECONDS)


class TooManyConnections(Exception):
    """A token has as many connections as are allowed, and uses all of them."""


class Connections:
    """The open connections. One that is idle for too long is forgotten."""

    def __init__(self, server: McpServer, idle_limit: float, end_session: EndSession | None = None) -> None:
        """`end_session`: closes the default session of a connection that has ended, which no other connection has."""
        self._server = server
        self._idle_limit = idle_limit
        self._end_session = end_session
        self._open: dict[str, OpenConnection] = {}

    async def open(
        self,
        caller: Caller,
        client_name: str,
        chosen_session: str | None,
    ) -> OpenConnection:
        """Open a connection. Its default session is one that no other connected client has, unless it is chosen."""
        await self._close_idle()
        await self._make_room(caller.id)
        taken = {each.protocol.client.session for each in self._of(caller.id) if not each.has_left}
        names = (default_session(caller.id, client_name, number) for number in itertools.count(1))
        session = chosen_session or next(name for name in names if name not in taken)
        has_own_session = self._end_session is not None and chosen_session is None
        if has_own_session:
            session = f"{session}-{secrets.token_hex(4)}"
        client = Client(caller.owner, session, may_approve(caller))
        opened = OpenConnection(self._server, caller.id, client, has_own_session)
        self._open[opened.id] = opened
        return opened

    def _of(self, caller: str) -> list[OpenConnection]:
        return [each for each in self._open.values() if each.caller == caller]

    async def _make_room(self, caller: str) -> None:
        """Forget the connection that was unused for longest if there are too many: its client opens another."""
        owned = self._of(caller)
        if len(owned) < MAX_OF_ONE_TOKEN:
            return
        oldest = max(owned, key=lambda each: each.idle_seconds)
        if not oldest.idle_seconds:
            raise TooManyConnections
        await self.close(oldest)

    def find(self, name: str, caller: str) -> OpenConnection | None:
        """Return a connection of the token with this id; None if it is another's, closed or unknown."""
        found = self._open.get(name)
        if found is None or found.caller != caller:
            return None
        found.last_used = time.monotonic()
        return found

    async def close(self, connection: OpenConnection) -> None:
        """End a connection and what it runs. Its sessions stay, but for one that is its own."""
        self._open.pop(connection.id, None)
        connection.over.set()
        await connection.protocol.close()
        if self._end_session is not None and connection.has_own_session:
            await self._end_session(connection.protocol.client)

    async def close_of(self, caller: str) -> None:
        """End the connections of the token with this id."""
        for connection in self._of(caller):
            await self.close(connection)

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
