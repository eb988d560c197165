"""A session that runs on a node, as the surfaces of the server use it: its driver and its live view."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from rove.action import Action, AnyAction
from rove.advice import NO_NAMES, Names
from rove.browser.input_event import InputEvent
from rove.browser.page_data import Box
from rove.browser.sessions import WindowChoice
from rove.cluster.sessions.messages import Opening, SavedSession, SessionFacts
from rove.cluster.sessions.node_links import NodeLinks
from rove.cluster.sessions.remote_run import RemoteRun, SessionFiles
from rove.engine.gate import Gate
from rove.engine.journal import Journal
from rove.engine.live_view import LiveFrame
from rove.engine.logins import SessionLogin
from rove.engine.people import DriverState, HandoffRequest, Lease
from rove.engine.run_request import Report, ignore_progress
from rove.engine.session_errors import session_closed
from rove.errors import BrowserUnavailable, NodeLost, NotOpen, RoveError
from rove.guard.policy import Approver, Place
from rove.outcome import Outcome, Result, ViewKind
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.snapshot.tree import Snapshot
from rove.storage.state import BrowserState
from rove.tasks import BackgroundTasks, Interrupted, Signal, race

AGENT = DriverState("agent", None, False)

# Seconds until a node that has ended a view is asked for another.
RETRY_SECONDS = 0.5
R = TypeVar("R", bound=Result)
# Seconds that a call waits for a node, when the one before was lost.
READY_SECONDS = 30.0


class RemoteControl:
    """The control of one session. `call` reaches its node; `update` keeps what that answers."""

    def __init__(
        self, call: Callable[..., Awaitable[tuple[Any, SessionFacts]]], update: Callable[[SessionFacts], None]
    ) -> None:
        self._call = call
        self._update = update
        self.state: DriverState = AGENT
        self.lease: Lease | None = None
        self.handoffs: tuple[HandoffRequest, ...] = ()

    def note(self, facts: SessionFacts) -> None:
        """Keep what a node has told."""
        self.state, self.lease, self.handoffs = facts.driver, facts.lease, facts.handoffs

    async def take(self, person: str, /) -> Lease:
        lease: Lease = await self._do("take", person)
        return lease

    async def release(self, lease: Lease, /) -> None:
        await self._do("release", lease)

    async def pause(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("pause", person)

    async def resume(self, person: str | None = None, /) -> None:
        self._hold(False)
        await self._do("resume", person)

    async def step(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("step", person)

    async def stop(self, person: str | None = None, /) -> None:
        self._hold(True)
        await self._do("stop", person)

    async def decline(self, handoff: str, reason: str = "", /) -> bool:
        return bool(await self._do("decline", handoff, reason))

    def _hold(self, is_paused: bool) -> None:
        """Note it at once: if the node is lost meanwhile, the session is opened elsewhere as the person wanted it."""
        self.state = replace(self.state, is_paused=is_paused)

    async def _do(self, what: str, *arguments: Any) -> Any:
        result, facts = await self._call("control", what, *arguments)
        self._update(facts)
        return result


class ViewedSession(Protocol):
    """A session as its view sees it."""

    @property
    def name(self) -> str: ...
    @property
    def changed(self) -> Signal: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def live_node(self) -> str | None:
        """The node that it is open on; None while it has none."""
        ...


OpenStream = Callable[[str, str], AsyncGenerator[LiveFrame]]
Acknowledge = Callable[[str, str, int], Awaitable[object]]


class RemoteView:
    """Frames of a tab, numbered across nodes. `open_stream` and `acknowledge` reach a view on a node by its id."""

    def __init__(self, session: ViewedSession, open_stream: OpenStream, acknowledge: Acknowledge) -> None:
        self._session = session
        self._open_stream = open_stream
        self._acknowledge = acknowledge
        self._node: str | None = None
        self._view = ""
        self._frames: AsyncGenerator[LiveFrame] | None = None
        self._first = self._last = 0
        self._closed = asyncio.Event()
        self._tasks = BackgroundTasks(f"the view of {session.name}", expected=(NodeLost, NotOpen))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        await self._drop_stream()
        await self._tasks.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LiveFrame:
        while not (self._closed.is_set() or self._session.is_closed):
            if (frame := await self._next()) is not None:
                self._last = self._first + frame.id
                return replace(frame, id=self._last)
        raise StopAsyncIteration

    def acknowledge(self, frame: int) -> None:
        """Note that the viewer has shown a frame, and can take another."""
        if self._node is not None and frame > self._first:
            self._tasks.start(self._tell(self._node, self._view, frame - self._first))

    async def _tell(self, node: str, view: str, frame: int) -> None:
        await self._acknowledge(node, view, frame)

    def close(self) -> None:
        """End the view."""
        self._closed.set()

    async def _next(self) -> LiveFrame | None:
        """Return the next frame; None after a change of the session, or when its node has ended the view."""
        changed = self._session.changed.wait()
        frames = await self._follow()
        waiting = asyncio.Future[None]() if frames is None else anext(frames)
        ends = (self._closed.wait(), changed) if frames is None else (self._closed.wait(),)
        if frames is not None:
            changed.close()
        try:
            return await race(waiting, *ends)
        except Interrupted:
            return None
        except (NodeLost, NotOpen, StopAsyncIteration):
            await self._drop_stream()
            await self._pause()
            return None

    async def _pause(self) -> None:
        """Wait until the session is told to be elsewhere, or a moment."""
        with contextlib.suppress(TimeoutError, Interrupted):
            async with asyncio.timeout(RETRY_SECONDS):
                await race(self._session.changed.wait(), self._closed.wait())

    async def _follow(self) -> AsyncGenerator[LiveFrame] | None:
        """Return the frames of the node that the session is on now."""
        node = self._session.live_node
        if node != self._node or self._frames is None:
            await self._drop_stream()
            if node is not None:
                self._node, self._view, self._first = node, os.urandom(8).hex(), self._last
                self._frames = self._open_stream(node, self._view)
        return self._frames

    async def _drop_stream(self) -> None:
        frames, self._frames, self._node = self._frames, None, None
        if frames is not None:
            with contextlib.suppress(NodeLost, NotOpen):
                await frames.aclose()


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
