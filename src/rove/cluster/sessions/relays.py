"""What the engine on a node needs of the server: its journal, its people, its sessions, its states, its log."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

from rove.browser.sessions import AS_SET, VideoDesk, WindowChoice
from rove.cluster.sessions.messages import Event
from rove.engine.journal import Unwritable
from rove.engine.people import HandoffEnd, HandoffRequest
from rove.errors import ClusterUnavailable, RoveError
from rove.guard.policy import ApprovalAnswer, ApprovalRequest
from rove.records import dataclass
from rove.storage.saved_states import StateFacts
from rove.storage.state import NO_LOGIN, BrowserState, LoginChoice

# Events that wait for a server that does not read. Beyond these the oldest are dropped.
MOST_EVENTS = 10_000

# The session whose call runs in the current task.
SESSION: contextvars.ContextVar[str] = contextvars.ContextVar("rove_session", default="")
LONGEST_LINE = 20_000


def server_gone() -> ClusterUnavailable:
    """Return the error for a question that no server will answer."""
    return ClusterUnavailable("The server of this session has gone.", hint="Call again once it is back.")


class Outbox:
    """Events in order. There is one reader at most; while there is none, questions are refused."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._more = asyncio.Event()
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._readers = 0

    def tell(self, *event: Any) -> None:
        """Send an event soon. Never waits."""
        self._events.append(event)
        self._more.set()

    async def ask(self, question: str, *arguments: Any) -> Any:
        """Return what the server answers. Raises the RoveError that it raised, or ClusterUnavailable if it has gone."""
        if not self._readers:
            raise server_gone()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.tell("question", number, question, arguments)
        try:
            return await answer
        except asyncio.CancelledError:
            self.tell("withdrawn", number)
            raise
        finally:
            self._asked.pop(number, None)

    def answer(self, number: int, value: Any, error: RoveError | None) -> None:
        """Pass on the server's answer. One that is not waited for any more is dropped."""
        waiting = self._asked.get(number)
        if waiting is None or waiting.done():
            return
        if error is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(value)

    async def read(self) -> AsyncGenerator[list[Event]]:
        """Yield events as they come, several at once if they do. When the reader goes, all questions are refused."""
        self._readers += 1
        try:
            while True:
                await self._more.wait()
                self._more.clear()
                events, self._events = [*self._events], deque(maxlen=MOST_EVENTS)
                yield events
        finally:
            self._readers -= 1
            if not self._readers:
                self.refuse_all()

    def refuse_all(self) -> None:
        """End every question: no answer means no."""
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(server_gone())


class RelayedLog(logging.Handler):
    """Sends what rove logs on the node."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__(logging.INFO)
        self._outbox = outbox

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(record, "node"):  # told by another node, where both are in one process
            return
        self._outbox.tell("log", record.name, record.levelno, self.format(record)[:LONGEST_LINE], SESSION.get())


@dataclass
class OpenedEntry:
    """The entry that the server opened in the journal before it sent an action; its line goes back with the outcome."""

    session: str
    number: int
    is_used: bool = False
    line: dict[str, Any] | None = None


# The action that runs in the current task.
OPENED: contextvars.ContextVar[OpenedEntry | None] = contextvars.ContextVar("rove_opened_entry", default=None)


class RelayedJournal:
    """The journal of one session, which the server keeps.

    An action's own entry costs no exchange: it was opened before, and its line goes back with the outcome. Entries of
    its steps, and of what people do, are begun and ended by a question each.
    """

    def __init__(self, session: str, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox

    async def begin(self, facts: dict[str, Any], /) -> int:
        opened = OPENED.get()
        if opened is not None and opened.session == self._session and not opened.is_used:
            opened.is_used = True
            return opened.number
        number: int = await self._ask("journal_begin", facts)
        return number

    async def end(self, number: int | None, facts: dict[str, Any], /) -> None:
        opened = OPENED.get()
        if opened is not None and opened.session == self._session and number == opened.number:
            opened.line = facts
            return
        await self._ask("journal_end", number, facts)

    async def close(self) -> None:
        """Do nothing: the server closes its files."""

    async def _ask(self, question: str, *arguments: Any) -> Any:
        try:
            return await self._outbox.ask(question, self._session, *arguments)
        except RoveError as error:
            raise Unwritable(None, error.message) from error


class RelayedApprover:
    """Asks the person of a call, or the one that the owner has set. Without a server the answer is no."""

    def __init__(self, outbox: Outbox, call: str | None) -> None:
        self._outbox = outbox
        self._call = call

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        answer = await self._outbox.ask("approve", self._call, request)
        return answer if isinstance(answer, ApprovalAnswer) else ApprovalAnswer.NO

    async def has_approved(self, request: ApprovalRequest) -> bool:
        """Whether the person has approved this as a part of the call that they were shown."""
        return self._call is not None and await self._outbox.ask("has_approved", self._call, request) is True


class RelayedPeople:
    """The people at the server who can take a session over."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def ask(self, request: HandoffRequest, /) -> None:
        await self._outbox.ask("hand_off", request)

    def end(self, request: HandoffRequest, outcome: HandoffEnd, /) -> None:
        self._outbox.tell("handoff_ended", request, outcome)


class RelayedWatcher:
    """Tells the server what happens in sessions. Steps are told by the journal, which the server keeps."""

    def __init__(self, outbox: Outbox, on_changed: Callable[[str], None]) -> None:
        self._outbox = outbox
        self._on_changed = on_changed

    def step_began(self, step: Mapping[str, Any], /) -> None: ...
    def step_ended(self, step: Mapping[str, Any], /) -> None: ...
    def session_opened(self, session: str, /) -> None: ...
    def session_closed(self, session: str, /) -> None:
        self._outbox.tell("closed", session)

    def session_changed(self, session: str, /) -> None:
        self._on_changed(session)

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        self._outbox.tell("refused", session, dict(refused))


class RelayedStates:
    """The saved states, which the server keeps."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    async def save(self, name: str) -> StateFacts:
        return await self._facts("save", name)

    async def load(self, name: str) -> StateFacts:
        return await self._facts("load", name)

    async def show(self, name: str) -> StateFacts:
        return await self._facts("show", name)

    async def import_(self, name: str, path: str) -> StateFacts:
        return await self._facts("import_", name, path)

    async def list(self) -> list[StateFacts]:
        found: list[StateFacts] = await self._ask("states", "list")
        return found

    async def delete(self, name: str) -> None:
        await self._ask("states", "delete", name)

    async def export(self, name: str) -> Path:
        return Path(await self._ask("states", "export", name))

    async def _facts(self, what: str, *arguments: str) -> StateFacts:
        facts: StateFacts = await self._ask("states", what, *arguments)
        return facts


class RelayedDirectory:
    """The sessions of one client, on whichever nodes they are: the server opens, lists and closes them."""

    def __init__(self, session: str, outbox: Outbox, captures: Callable[[], VideoDesk]) -> None:
        self._session = session
        self._outbox = outbox
        self._captures = captures

    @property
    def states(self) -> RelayedStates:
        return RelayedStates(self._ask)

    @property
    def captures(self) -> VideoDesk:
        return self._captures()

    async def open_session(self, name: str | None, login: LoginChoice = NO_LOGIN, window: WindowChoice = AS_SET) -> str:
        opened: str = await self._ask("open_session", name, login, window)
        return opened

    async def refuse_if_full(self, name: str | None) -> None:
        await self._ask("refuse_if_full", name)

    async def close_session(self, name: str | None) -> str:
        closed: str = await self._ask("close_session", name)
        return closed

    async def sessions(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = await self._ask("sessions")
        return listed

    async def _ask(self, what: str, *arguments: Any) -> Any:
        return await self._outbox.ask("directory", self._session, what, *arguments)


def login_writer(session: str, outbox: Outbox) -> Callable[[BrowserState, bool], None]:
    """Return what saves the state of a session at the server. It is called in a thread, and waits there."""
    loop = asyncio.get_running_loop()

    def write(state: BrowserState, is_final: bool) -> None:
        asking = outbox.ask("keep_login", session, state, is_final)
        asyncio.run_coroutine_threadsafe(asking, loop).result()

    return write
