"""A session that runs on a node, as the surfaces of the server use it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rove.action import Action, AnyAction
from rove.advice import NO_NAMES, Names
from rove.browser.input_event import InputEvent
from rove.browser.page_data import Box
from rove.browser.sessions import WindowChoice
from rove.cluster.sessions.messages import Opening, SessionFacts
from rove.cluster.sessions.saved_session import SavedSession
from rove.cluster.sessions.server.node_links import NodeLinks
from rove.cluster.sessions.server.remote_control import RemoteControl
from rove.cluster.sessions.server.remote_run import RemoteRun
from rove.cluster.sessions.server.remote_view import RemoteView
from rove.cluster.sessions.server.session_files import SessionFiles
from rove.engine.approval.gate import Gate
from rove.engine.journal import Journal
from rove.engine.logins.login import SessionLogin
from rove.engine.people.driver import Lease
from rove.engine.people.live_view import LiveFrame
from rove.engine.run.options import Report, ignore_progress
from rove.engine.served.refusals import session_closed
from rove.errors import BrowserUnavailable, NotOpen, RoveError
from rove.guard.policy.policy import Place
from rove.outcome import Outcome, Result
from rove.settings.tree import Settings
from rove.snapshot.tree import Snapshot
from rove.states.state import BrowserState
from rove.tasks import Interrupted, Signal, race
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.guard.policy.approval import Approver
    from rove.views.page_view import ViewKind

R = TypeVar("R", bound=Result)
# Seconds that a call waits for a node, when the one before was lost.
READY_SECONDS = 30.0


class Places(Protocol):
    """Where sessions are: placement and failover, as one session sees them."""

    async def place(self, session: RemoteSession, /) -> None:
        """Open a session that has no node on one. Raises LimitReached if there is no room."""

    def seek_node(self, session: str, /) -> None:
        """Open a session whose node was lost on another, unless that is being tried or the node may be back."""


@dataclass(frozen=True)
class Parts:
    """What a session is made of at the server."""

    settings: Settings
    gate: Gate
    journal: Journal
    links: NodeLinks
    places: Places
    login: SessionLogin
    window: WindowChoice
    # The actions that run now, by the ids of their calls, of all sessions.
    calls: dict[str, RemoteRun]


class RemoteSession:
    """A named session, whose pages are on a node. It has one from its first use on."""

    def __init__(self, name: str, owner: str | None, parts: Parts) -> None:
        self.name = name
        self.owner = owner
        self.opened = time.time()
        self.settings = parts.settings
        self.gate = parts.gate
        self.journal = parts.journal
        self.login = parts.login
        self.window = parts.window
        self.links = parts.links
        self.calls = parts.calls
        self._places = parts.places
        # Whether it was opened or used; a default session that was not has no slot.
        self.has_slot = False
        self.gives_way = False
        self.is_closed = False
        # Called with each action that a client asks for; it raises if the client may not do more.
        self.before_call: Callable[[AnyAction], object] = lambda action: None
        # Sent when it has another page, tab, driver or node.
        self.changed = Signal()
        self.control = RemoteControl(self._call, self.update)
        self.files = SessionFiles(parts.settings.workspace_folder, self._call)
        # The node that it was opened on last, and what that has told.
        self.node: str | None = None
        self.facts: SessionFacts | None = None
        self.last_used = time.monotonic()
        self.running_calls = 0
        self._hosts: list[str] = []
        self._placing = asyncio.Lock()
        # Set while calls may begin: not while the session is moved to another node.
        self._may_begin = asyncio.Event()
        self._may_begin.set()
        self._failure = ""

    async def run(
        self,
        action: Action[R],
        *,
        tab: str | None = None,
        timeout: float | None = None,
        report: Report = ignore_progress,
        quiet: bool = False,
        channel: Approver | None = None,
        names: Names = NO_NAMES,
        view: ViewKind | None = None,
    ) -> Outcome[R]:
        """Run an action on the session's node and return its outcome."""
        self.before_call(action)
        run = RemoteRun(self, action, tab, timeout, report, quiet, channel, names, view)
        outcome: Outcome[R] = await run.run()
        return outcome

    def let_give_way(self, may: bool) -> None:
        """Note it; pages on nodes do not give way."""
        self.gives_way = may

    @contextlib.asynccontextmanager
    async def calling(self) -> AsyncGenerator[str]:
        """Count a call, and yield the node that the session is on; it is not moved meanwhile."""
        await self._may_begin.wait()
        self.running_calls += 1
        self.last_used = time.monotonic()
        try:
            yield await self.ready()
        finally:
            self.running_calls -= 1
            self.last_used = time.monotonic()
            self.changed.send()

    async def ready(self) -> str:
        """Return the node that the session is on; open it on one if it has none, or has lost it."""
        try:
            async with asyncio.timeout(READY_SECONDS):
                while (node := await self._find_node()) is None:
                    pass
                return node
        except TimeoutError:
            raise self._without_node() from None

    def _without_node(self) -> BrowserUnavailable:
        """Return the error of a call that has waited for a node in vain."""
        message = f"The session {self.name} has lost its node, and no other has opened it yet."
        hint = "Call again in a few seconds."
        if not self.links.is_connected:
            message = f"The session {self.name} cannot be reached: the head of the cluster does not answer."
            hint = (
                "Call again later: when the cluster is back, the session is too, with its logins and at its last pages."
            )
        return BrowserUnavailable(message, hint=hint, retry_after=5)

    async def _find_node(self) -> str | None:
        """Return a node that answers; None after waiting for something to change."""
        self.refuse_if_closed()
        if self.facts is None:
            async with self._placing:
                if self.facts is None:
                    await self._places.place(self)
        if self._failure:
            reason, self._failure = self._failure, ""
            self._places.seek_node(self.name)
            raise BrowserUnavailable(
                f"The session {self.name} has lost its node, and could be opened on no other: {reason}",
                hint="Call again in a few seconds: it is tried once more.",
                retry_after=5,
            )
        if (node := self.live_node) is not None:
            return node
        changes = self.links.changed.wait(), self.changed.wait()
        self._places.seek_node(self.name)
        with contextlib.suppress(Interrupted):
            await race(*changes)
        return None

    @property
    def live_node(self) -> str | None:
        """The node that it is open on; None while it has none that answers."""
        return self.node if self.node is not None and self.links.is_live(self.node) else None

    # Opening it on nodes

    def opening(self, saved: SavedSession | None = None, reason: str = "") -> Opening:
        """Return how it is opened on a node: as at first, or as it was saved on another."""
        state, facts = self.control.state, self.facts
        if facts is not None and (saved is not None or facts.tabs):
            begins_with = SavedSession(self.login.begins_with)
            saved = (saved or begins_with).with_newer(facts.tabs, facts.current, facts.given)
        return Opening(
            self.name,
            self.owner,
            self.window,
            not self.has_slot,
            self.login.begins_with if saved is None else None,
            self.login.is_kept,
            self.login.label,
            saved,
            reason,
            tuple(self._hosts),
            state.is_paused,
            state.name if state.who == "person" else None,
            facts.typed if facts is not None else (),
        )

    async def open_on(self, node: str, opening: Opening) -> None:
        """Open it on a node. Raises RoveError."""
        facts: SessionFacts = await self.links.call(node, "open", opening)
        self.files.begin(facts.root)
        self.node = node
        self._failure = ""
        self.update(facts)

    def cannot_open(self, reason: str) -> None:
        """Let the next call fail with the reason why it is open on no node."""
        self._failure = reason
        self.changed.send()

    @contextlib.asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Let no call begin, and wait until none runs."""
        self._may_begin.clear()
        try:
            while self.running_calls or self.control.lease is not None:
                await self.changed.wait()
            yield
        finally:
            self._may_begin.set()

    def update(self, facts: SessionFacts) -> None:
        """Keep what the node has told, unless it has told newer facts on another way."""
        if self.facts is not None and self.facts.root == facts.root and self.facts.number > facts.number:
            return
        self.facts = facts
        self.has_slot = self.has_slot or facts.has_slot
        self.files.has_some = facts.has_files
        self.control.note(facts)
        self.changed.send()

    def end(self) -> None:
        """Note that it is closed: calls that wait end."""
        self.is_closed = True
        self._may_begin.set()
        self.changed.send()

    def refuse_if_closed(self) -> None:
        if self.is_closed:
            raise session_closed(self.name)

    # What surfaces ask

    async def start(self) -> None:
        self.update(await self._call("start"))

    def describe(self) -> dict[str, object]:
        idle = 0.0 if self.running_calls else round(time.monotonic() - self.last_used, 1)
        known = self.files.from_node(self.facts.described) if self.facts is not None else {"tabs": []}
        node = {"node": self.node} if self.node is not None else {}
        return {"session": self.name, **known, "idle_seconds": idle, **node}

    def may_read(self, url: str) -> bool:
        return self.gate.may_read(Place.of_page(self.name, None, url))

    async def allow_host(self, host: str) -> None:
        await self._call("allow_host", host)
        self._hosts.append(host)

    def watch(self, tab: str | None = None, max_width: int = 1280, quality: int = 60) -> RemoteView:
        def open_stream(node: str, view: str) -> AsyncGenerator[LiveFrame]:
            return self.links.stream(node, "frames", view, self.name, tab, max_width, quality)

        def acknowledge(node: str, view: str, frame: int) -> Any:
            return self.links.call(node, "acknowledge", view, frame)

        return RemoteView(self, open_stream, acknowledge)

    async def drive(self, lease: Lease, event: InputEvent, tab: str | None = None) -> None:
        self.last_used = time.monotonic()
        await self._call("drive", lease, event, tab)

    async def picture(self, tab: str | None = None, quality: int = 50) -> bytes:
        data: bytes = await self._show("picture", tab, quality)
        return data

    async def element_box(self, ref: str, tab: str | None = None) -> Box:
        box: Box = await self._show("element_box", ref, tab)
        return box

    async def locate(self, target: str, tab: str | None = None) -> tuple[str, str, Box]:
        found: tuple[str, str, Box] = await self._show("locate", target, tab)
        return found

    async def seen(self, tab: str | None = None) -> Snapshot | None:
        snapshot: Snapshot | None = await self._show("seen", tab)
        return snapshot

    async def read_state(self) -> BrowserState:
        state: BrowserState = await self._call("read_state")
        return state

    async def load_state(self, state: BrowserState, label: str) -> None:
        await self._call("load_state", state, label)

    async def _call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the session on its node."""
        return await self.links.call(await self.ready(), method, self.name, *arguments)

    async def _show(self, method: str, *arguments: Any) -> Any:
        """Ask for something to show; a session that is on no node has nothing, and is not opened for it."""
        if (node := self.live_node) is None:
            raise NotOpen(f"There is no tab open in session {self.name}.")
        try:
            return await self.links.call(node, method, self.name, *arguments)
        except RoveError as error:
            raise self.files.from_node(error) from None
