"""Everything that one server holds: the sessions, and what its clients do with them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Generator
from types import TracebackType
from typing import Any, Protocol, Self

from rove.engine.sessions.sessions import Sessions
from rove.settings.tree import Settings
from rove.surfaces.approvers import appointed
from rove.surfaces.gateway.approvals import ApprovalInbox
from rove.surfaces.gateway.events import Events
from rove.surfaces.gateway.history import read_entries
from rove.surfaces.gateway.metrics import Metrics
from rove.surfaces.gateway.tokens import Token, Tokens
from rove.version import VERSION

log = logging.getLogger(__name__)
PROTOCOL = 1
FOLDER = "gateway"
STOP_SECONDS = 8.0


class ConnectedClient(Protocol):
    """A client that is connected now."""

    async def close(self) -> None:
        """Tell it that the server stops, and end the connection."""


class Gateway:
    """The sessions of one server, its clients, its chats, and the requests that wait for a person."""

    def __init__(self, settings: Settings, demo_site: str | None = None) -> None:
        """`demo_site`: address of the built-in site, which the scripted model visits."""
        self.settings = settings
        self.demo_site = demo_site
        self.url = ""
        self.tokens = Tokens(settings.home_folder / FOLDER)
        self.events = Events()
        self.metrics = Metrics()
        self.approvals = ApprovalInbox(self.events, settings.deadlines.approval, self.link_to_approval)
        self.sessions = Sessions(settings, approver=appointed(settings))
        self._clients: set[ConnectedClient] = set()
        self._add_metrics()

    async def __aenter__(self) -> Self:
        await self.sessions.__aenter__()
        return self

    async def close_clients(self) -> None:
        """Tell every client that the server stops."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*(client.close() for client in [*self._clients]))
        except TimeoutError:
            log.warning("%d client(s) did not take the news that the server stops", len(self._clients))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the chats and close the sessions."""
        await self.sessions.close()

    def session_facts(self, name: str) -> dict[str, Any]:
        """Return what clients are shown of an open session. Raises NotOpen."""
        facts = self.sessions.session(name).describe()
        return {"sessionKey": facts.pop("session"), "idleSeconds": facts.pop("idle_seconds"), **facts}

    def tell_session(self, event: str, name: str) -> None:
        """Tell every client how a session is now."""
        self.events.publish(event, self.session_facts(name), name)

    async def close_session(self, name: str) -> str:
        """Close a session and end what waits for it."""
        closed = await self.sessions.close_session(name)
        self.approvals.forget(closed)
        self.events.publish("session.closed", {}, closed)
        return closed

    async def history(self, name: str, after: int, limit: int, last: bool) -> tuple[list[dict[str, Any]], bool]:
        """Return entries of a session's record, each with its number, and whether there are more."""
        return await asyncio.to_thread(read_entries, self.settings.journal_folder, name, after, limit, last)

    @property
    def is_full(self) -> bool:
        """Whether no more clients may connect."""
        return len(self._clients) >= self.settings.serve.connections

    @contextlib.contextmanager
    def connected(self, client: ConnectedClient) -> Generator[None]:
        """Count a client among those that are connected."""
        self._clients.add(client)
        try:
            yield
        finally:
            self._clients.discard(client)

    def greeting(self, token: Token) -> dict[str, Any]:
        """Return the first message to a client that has authenticated."""
        data = {
            "version": VERSION,
            "protocol": PROTOCOL,
            "scopes": token.describe()["scopes"],
            "lastEventId": self.events.last,
        }
        return {"event": "hello", "data": data}

    def link(self, token: str) -> str:
        """Return the address of the page with a token, in the fragment, which browsers send to no server."""
        return f"{self.url}/#token={token}"

    def link_to_approval(self, name: str) -> str:
        return f"{self.url}/#/approvals/{name}"

    def _add_metrics(self) -> None:
        watch = self.metrics.watch
        watch("rove_sessions", "Sessions that are open.", lambda: len(self.sessions.sessions()))
        watch("rove_clients", "WebSocket clients that are connected.", lambda: len(self._clients))
        watch("rove_approvals_waiting", "Requests that wait for a person.", lambda: len(self.approvals.pending))
