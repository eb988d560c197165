"""Everything that one server holds: the sessions, their records, and what its clients do with them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from base64 import b64encode
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from rove.engine.client_sessions import ServedSessions
from rove.engine.journal import EARLIER
from rove.engine.session_interface import ServedSession
from rove.engine.sessions import Sessions
from rove.errors import NotOpen, RoveError
from rove.guard.cleaning import visible
from rove.owned_names import is_named_by, mark_in, mark_of, without_mark
from rove.settings.tree import Settings
from rove.storage.ledger import LedgerFiles, names, recent
from rove.surfaces.approvers import appointed
from rove.surfaces.gateway.approvals import ApprovalInbox, targets_before_leaving
from rove.surfaces.gateway.chat.chats import Chats
from rove.surfaces.gateway.events import Events
from rove.surfaces.gateway.live_view import LiveViews, SessionObserver, StepPictures, handoff_facts
from rove.surfaces.gateway.metrics import Metrics
from rove.surfaces.gateway.tokens import Scope, Token, Tokens
from rove.surfaces.gateway.tools.registration import registered_tools
from rove.surfaces.gateway.tools.tool import Tools
from rove.surfaces.mcp.http_endpoint import browser_endpoint
from rove.tasks import BackgroundTasks
from rove.toolsets.toolset import toolset_from
from rove.version import VERSION

log = logging.getLogger(__name__)
PROTOCOL = 1
FOLDER = "gateway"
STOP_SECONDS = 8.0
# With these codes connections of WebSocket clients are closed.
GOING_AWAY, UNAUTHORIZED = 1001, 4401
TOKEN_ENDED = "the token was revoked or has expired"
MakeSessions = Callable[[Settings, SessionObserver], ServedSessions]


def read_entries(folder: Path, session: str, after: int, limit: int, last: bool) -> tuple[list[dict[str, Any]], bool]:
    """Return entries after a number, or the last ones, each with its number; and whether there are more."""
    if session not in names(folder):
        named = without_mark(session)
        raise NotOpen(f"There is no record of a session {named}.", hint="List the sessions with sessions.list.")
    count = limit if last else sys.maxsize
    links = [link for link in recent(LedgerFiles(folder, session), count, lambda _: True).links if link.seq > after]
    attached = {each["sha256"]: each for link in links for each in link.facts.get("attachments", ())}
    return [{"number": link.seq, **_whole(link.facts, attached)} for link in links[:limit]], len(links) > limit


def _whole(facts: Mapping[str, Any], attached: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with the attachments that the entries of its actions have."""
    earlier = [attached[digest] for digest in facts.get(EARLIER, ()) if digest in attached]
    return {**facts, "attachments": [*earlier, *facts["attachments"]]} if earlier else dict(facts)


def recorded(folder: Path) -> list[str]:
    """Return the names of the sessions that have a record, the newest first."""
    return sorted(names(folder), key=lambda name: _last_change(LedgerFiles(folder, name).current), reverse=True)


def _last_change(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class ConnectedClient(Protocol):
    """A client that is connected now."""

    token: Token

    async def close(self, code: int = GOING_AWAY, reason: str = "the server is stopping") -> None:
        """End the connection and say why."""


class Gateway:
    """The sessions of one server, its clients, its chats, and the requests that wait for a person."""

    def __init__(
        self,
        settings: Settings,
        demo_site: str | None = None,
        sessions: ServedSessions | None = None,
        make_sessions: MakeSessions | None = None,
    ) -> None:
        """`demo_site`: address of the built-in site, which the scripted model visits.

        `sessions`: sessions that another surface has opened and closes; it tells `observer` what happens in them.
        `make_sessions`: makes sessions of its own that do not run in this process.
        """
        self.settings = settings
        self.demo_site = demo_site
        self.url = ""
        self.tokens = Tokens(settings.home_folder / FOLDER)
        self.events = Events()
        self.metrics = Metrics()
        self.approvals = ApprovalInbox(self.events, settings.deadlines.approval, self.link_to_approval)
        self._clients: set[ConnectedClient] = set()
        self.pictures = StepPictures(settings.home_folder / FOLDER / "pictures")
        self.observer = SessionObserver(self.events, self.metrics, self.pictures, self.is_watched)
        self._owns_sessions = sessions is None
        self.sessions = sessions or (make_sessions or _of_this_process)(settings, self.observer)
        toolset = toolset_from(settings)
        self.tools = Tools(registered_tools(settings), self.events, self.approvals, self.sessions, toolset.access)
        self.chats = Chats(self.tools, self.events, self.sessions, settings, demo_site)
        self.live = LiveViews(self.sessions)
        self.mcp = browser_endpoint(self.sessions, toolset, self.tokens, self.approvals)
        self.observer.facts = self.session_facts
        self.observer.take_picture = self.picture
        self.observer.on_closed = self.approvals.forget
        self.approvals.illustrate = self._illustrate
        self.approvals.on_decided = self._record_decision
        self._tasks = BackgroundTasks("the gateway", expected=(RoveError,))
        self._add_metrics()

    async def __aenter__(self) -> Self:
        if self._owns_sessions:
            await self.sessions.__aenter__()
        return self

    async def close_clients(self) -> None:
        """Tell every client that the server stops."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*(client.close() for client in [*self._clients]))
        except TimeoutError:
            log.warning("%d client(s) did not take the news that the server stops", len(self._clients))
        await self.mcp.close()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the chats and close the sessions."""
        await self.chats.close()
        await self.live.close()
        await self._tasks.finish(1.0)
        await self._tasks.close()
        await self.observer.close()
        if self._owns_sessions:
            await self.sessions.close()

    def session_of(self, owner: str | None, name: str | None) -> ServedSession:
        """Return a session by its full name, or an owner's default one, which it need not open. Raises NotOpen."""
        if name is None or is_named_by(name, owner):
            return self.sessions.owned_by(owner).session(name)
        return self.sessions.session(name)

    def is_watched(self, session: str) -> bool:
        """Whether a client is connected that sees a session."""
        return any(client.token.reaches(session, Scope.VIEW) for client in self._clients)

    def session_facts(self, name: str) -> dict[str, Any]:
        """Return what clients are shown of an open session. Raises NotOpen."""
        session = self.sessions.session(name)
        facts = session.describe()
        return {
            "sessionKey": facts.pop("session"),
            "openedBy": self.tokens.label_of(mark_in(name)),
            "idleSeconds": facts.pop("idle_seconds"),
            "driver": session.control.state.as_dict(),
            "handoffs": [handoff_facts(request) for request in session.control.handoffs],
            **facts,
        }

    async def close_session(self, name: str) -> str:
        """Close a session and end its chat."""
        await self.chats.forget(name)
        return await self.sessions.close_session(name)

    async def picture(self, session: str, tab: str | None) -> bytes:
        """Return a picture of a tab now."""
        return await self.sessions.session(session).picture(tab)

    async def _illustrate(self, session: str, request: dict[str, Any]) -> None:
        """Add a picture of the page to an approval request, and where its elements are, if there is a page to show."""
        tab = request.get("tab")
        with contextlib.suppress(RoveError):
            data = await self.picture(session, tab)
            request["picture"] = {"mimeType": "image/jpeg", "data": b64encode(data).decode("ascii")}
            for element in request.get("elements", ()):
                element["box"] = await self.sessions.session(session).element_box(element["ref"], tab)
            if "elements" not in request:
                request["elements"] = await self._elements_of_call(session, request["details"], tab)

    async def _elements_of_call(self, session: str, details: dict[str, Any], tab: str | None) -> list[dict[str, Any]]:
        """Return the elements that a call of a tool names, as far as the page shows them now."""
        found: list[dict[str, Any]] = []
        for target in targets_before_leaving(details):
            with contextlib.suppress(RoveError):  # it may exist only after the actions before it
                ref, line, box = await self.sessions.session(session).locate(target, tab)
                found.append({"argument": "selector", "ref": ref, "line": visible(line), "box": box})
        return found

    async def history(self, name: str, after: int, limit: int, last: bool) -> tuple[list[dict[str, Any]], bool]:
        """Return entries of a session's record, each with its number, and whether there are more."""
        return await asyncio.to_thread(read_entries, self.settings.journal_folder, name, after, limit, last)

    def is_full(self, token: Token) -> bool:
        """Whether no more clients may connect with a token. None has all places, and the owner always finds one."""
        most, own = self.settings.serve.connections, sum(client.token.id == token.id for client in self._clients)
        if token.owner is None:
            return own >= most
        return len(self._clients) >= most or own >= max(most // 2, 1)

    @contextlib.contextmanager
    def connected(self, client: ConnectedClient) -> Generator[None]:
        """Count a client among those that are connected."""
        self._clients.add(client)
        try:
            yield
        finally:
            self._clients.discard(client)

    async def end_token(self, name: str) -> None:
        """End the connections of a token that was revoked, by its id."""
        ended = [client for client in self._clients if client.token.id == name]
        await asyncio.gather(*(client.close(UNAUTHORIZED, TOKEN_ENDED) for client in ended))
        await self.mcp.end_token(name)

    def greeting(self, token: Token) -> dict[str, Any]:
        """Return the first message to a client that has authenticated."""
        data = {
            "version": VERSION,
            "protocol": PROTOCOL,
            "scopes": token.describe()["scopes"],
            "mark": mark_of(token.owner),
            "lastEventId": self.events.now(),
            "model": {"name": self.chats.model.name, "isScripted": self.chats.model.is_scripted},
            "hasCluster": self.sessions.cluster_control is not None,
        }
        return {"event": "hello", "data": data}

    def link(self, token: str) -> str:
        """Return the address of the page with a token, in the fragment, which browsers send to no server."""
        return f"{self.url}/#token={token}"

    def link_to_approval(self, name: str) -> str:
        return f"{self.url}/#/approvals/{name}"

    def _record_decision(self, session: str, facts: dict[str, Any]) -> None:
        """Write who decided what into the session's record, and count it."""
        self.metrics.count_decision(str(facts["decision"]))
        try:
            journal = self.sessions.session(session).journal
        except RoveError:
            return  # the session is closed, and its record with it
        self._tasks.start(journal.record("approval", facts))

    def _add_metrics(self) -> None:
        watch = self.metrics.watch
        watch("rove_sessions", "Sessions that are open.", lambda: len(self.sessions.sessions()))
        watch("rove_clients", "WebSocket clients that are connected.", lambda: len(self._clients))
        watch("rove_approvals_waiting", "Requests that wait for a person.", lambda: len(self.approvals.pending))
        self.metrics.watch_cluster(self._cluster_status)

    def _cluster_status(self) -> dict[str, Any] | None:
        control = self.sessions.cluster_control
        return control.status() if control is not None else None


def _of_this_process(settings: Settings, observer: SessionObserver) -> ServedSessions:
    return Sessions(settings, approver=appointed(settings), people=observer, watcher=observer)
