"""A worker whose pages are loaded by a browser of this process."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from rove.engine.memory import own_memory
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable, DeadlineExceeded, JournalFailed, NotOpen, RoveError
from rove.guard.cleaning import readable
from rove.guard.policy import NoApprover, Policy
from rove.guard.secrets.secrets import Secrets
from rove.jobs.page_work import Visit, Work, work_for
from rove.jobs.worker import Health, PageAnswer, PageError, PageOptions, PageTask, WorkerState
from rove.settings.tree import Settings
from rove.storage.state import BrowserState, LoginChoice

log = logging.getLogger(__name__)

# Pages of one host in one context. A context that is used for ever would hold more and more memory.
PAGES_PER_CONTEXT = 30
# Part of the time of a visit that one action may take, so that its error can say what it waited for.
ACTION_SHARE = 0.9
SCRIPT_ERROR = "script_error"
# Errors that say nothing of the context in which they came up.
KEEPS_CONTEXT = ("navigation_failed", "denied", "invalid_arguments", "element_not_found")
# Makes the session that a script of the caller's is given, as `rove.Session` is made.
MakeFacade = Callable[..., Any]

# The session of each slot is `map-1` and so on: the journal has one file for each, however many pages there are.
SESSION = "map-{}"
# Sessions are closed by the worker alone.
NO_IDLE_LIMIT = 365 * 86400.0
BROKEN_OFF = PageAnswer(is_broken_off=True)


class SessionSlot:
    """A session under one name, and so with one journal, whose context is replaced between pages where need be."""

    def __init__(
        self,
        name: str,
        sessions: Sessions,
        options: PageOptions,
        work: Work,
        make_facade: MakeFacade,
        head_start: int = 0,
    ) -> None:
        """`head_start`: pages by which its first context is replaced earlier, so that not all are at the same time."""
        self.name = name
        self.host: str | None = None
        self.is_busy = False
        # Cookies and storage that the next context begins with.
        self.state: BrowserState | None = None
        self._sessions = sessions
        self._options = options
        self._work = work
        self._make_facade = make_facade
        self._pages = 0
        self._head_start = head_start

    async def run(self, task: PageTask) -> PageAnswer:
        """Visit a page. What goes wrong is in the answer."""
        began = time.monotonic()
        result, error, visit, status = None, None, None, None
        try:
            async with asyncio.timeout(self._options.seconds):
                await self._prepare(task.host)
                visit = self._visit(task)
                result = await self._work(visit)
        except Exception as failure:  # noqa: BLE001 - whatever a script of the caller's raises is the answer
            error = _error_of(failure, self._options.seconds)
            status = failure.status if isinstance(failure, RoveError) else None
            if error.code not in KEEPS_CONTEXT:
                self._pages = PAGES_PER_CONTEXT  # the context may be in any state
        seconds = round(time.monotonic() - began, 3)
        if visit is None:
            return PageAnswer(result, error, seconds=seconds)
        title = readable(visit.title) if visit.title is not None else None
        status = visit.status if visit.status is not None else status
        return PageAnswer(result, error, visit.final_url, title, status, visit.files, seconds, visit.is_incomplete)

    def _visit(self, task: PageTask) -> Visit:
        seconds = self._options.seconds * ACTION_SHARE
        facade = self._make_facade(self._sessions, self.name, timeout=seconds, quiet=True)
        return Visit(self._sessions.session(self.name), facade, task, self._options, seconds)

    async def close(self) -> None:
        """Close the session; what is kept of it is in `state`."""
        if self._is_open:
            await self._sessions.close_session(self.name)

    async def read_state(self) -> BrowserState | None:
        """Return cookies and storage of the session now."""
        return await self._sessions.session(self.name).read_state() if self._is_open else self.state

    async def _prepare(self, host: str) -> None:
        """Open the session, in a new context unless the page may share that of the page before."""
        if self._is_open and self._must_renew(host):
            if self._options.keep_session:
                self.state = await self.read_state()
            await self.close()
        if not self._is_open:
            self.host = None
            await self._open()
        self.host = host
        self._pages += 1

    @property
    def _is_open(self) -> bool:
        return self.name in self._sessions.open_sessions(None)

    def _must_renew(self, host: str) -> bool:
        is_used_up = self._pages >= PAGES_PER_CONTEXT or self._options.fresh or len(self._tabs) > 1
        # Without a host, opening it was broken off.
        return is_used_up or self.host is None or (host != self.host and not self._options.keep_session)

    @property
    def _tabs(self) -> Any:
        """The tabs of the session: more than one if a page has opened others."""
        return self._sessions.session(self.name).describe()["tabs"]

    async def _open(self) -> None:
        login = LoginChoice(self._options.state if self.state is None else None)
        await self._sessions.open_session(self.name, login=login)
        self._pages, self._head_start = self._head_start, 0
        if self.state is not None:
            await self._sessions.session(self.name).load_state(self.state, "state of the session before")


def _error_of(failure: Exception, seconds: float) -> PageError:
    if isinstance(failure, TimeoutError):
        message = f"The page was not done within {seconds:g} s."
        return PageError.of(DeadlineExceeded(message))
    if isinstance(failure, RoveError):
        is_unusable = isinstance(failure, BrowserUnavailable) and failure.retry_after is None
        return PageError.of(failure, is_fatal=is_unusable or isinstance(failure, JournalFailed))
    log.debug("a page failed", exc_info=failure)
    message = readable(f"{type(failure).__name__}: {failure}")
    return PageError(SCRIPT_ERROR, message, "Correct the script, then --retry-failed.")


class BrowserWorker:
    """Visits pages in sessions of one browser. There is no person to ask: what the policy asks for is denied."""

    def __init__(
        self,
        settings: Settings,
        options: PageOptions,
        slots: int,
        make_facade: MakeFacade,
        policy: Policy | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        """`make_facade`: makes the session that a script of the caller's is given, such as `rove.Session`.

        `policy`, `secrets`: instead of those that the settings name.
        """
        self._settings = _settings_for(settings, slots)
        self._options = options
        self._make_facade = make_facade
        self._policy = policy
        self._secrets = secrets
        self._count = slots
        self._slots: list[SessionSlot] = []
        self._stack = AsyncExitStack()
        self._sessions: Sessions | None = None
        self._is_draining = False
        self._closing = asyncio.Lock()
        self._running: set[asyncio.Task[PageAnswer]] = set()
        self._pages = 0
        self._failed = 0

    @property
    def slots(self) -> int:
        return self._count

    async def open(self, protected: Iterable[tuple[str, int]] = ()) -> None:
        """`protected`: addresses and ports that no page may reach, whatever hosts are allowed."""
        work = work_for(self._options)
        sessions = Sessions(self._settings, self._policy, NoApprover(), secrets=self._secrets)
        for address, port in protected:
            sessions.protect_port(address, port)
        self._sessions = await self._stack.enter_async_context(sessions)
        names = [SESSION.format(number) for number in range(1, self._count + 1)]
        login = LoginChoice(self._options.state)
        for name in names:
            sessions.session().gate.refuse_login(login, name)
        if login.is_made:  # what is wrong with the state is said once, and not by every page
            await sessions.open_session(names[0], login=login)
        apart = PAGES_PER_CONTEXT // self._count
        self._slots = [
            SessionSlot(name, sessions, self._options, work, self._make_facade, number * apart)
            for number, name in enumerate(names)
        ]

    async def run(self, task: PageTask) -> PageAnswer:
        if self._is_draining:
            raise NotOpen("The worker takes no more pages.")
        visit = asyncio.ensure_future(self._visit(task))
        self._running.add(visit)
        visit.add_done_callback(self._running.discard)
        try:
            await asyncio.wait({visit})
        finally:
            visit.cancel()  # if the caller was cancelled
        return BROKEN_OFF if visit.cancelled() else visit.result()

    async def save(self) -> WorkerState:
        """Return the state of each slot. Called while no page runs."""
        states = [(slot.name, await slot.read_state()) for slot in self._slots]
        return WorkerState({name: state.to_json() for name, state in states if state is not None})

    async def restore(self, state: WorkerState) -> None:
        for slot in self._slots:
            if (saved := state.sessions.get(slot.name)) is not None:
                slot.state = BrowserState.from_json(saved)

    async def drain(self, seconds: float) -> None:
        self._is_draining = True
        if self._running and seconds > 0:
            await asyncio.wait(self._running, timeout=seconds)
        for visit in self._running:
            visit.cancel()
        async with self._closing:  # another call may be in the middle of it
            await self._stack.aclose()

    async def health(self) -> Health:
        browser = await self._sessions.admission.memory_in_use() if self._sessions is not None else None
        memory = None if browser is None else browser + own_memory()
        busy = sum(slot.is_busy for slot in self._slots)
        return Health(busy, self._pages, self._failed, memory, self._is_draining)

    async def _visit(self, task: PageTask) -> PageAnswer:
        slot = self._free_slot(task.host)
        slot.is_busy = True
        try:
            answer = await slot.run(task)
        finally:
            slot.is_busy = False
        self._pages += 1
        self._failed += answer.error is not None
        return answer

    def _free_slot(self, host: str) -> SessionSlot:
        """Return a slot that was at this host last, or else one that was at none."""
        free = [slot for slot in self._slots if not slot.is_busy]
        return min(free, key=lambda slot: (slot.host != host, slot.host is not None))


def _settings_for(settings: Settings, slots: int) -> Settings:
    """Return settings that allow as many sessions as there are slots, and a journal without copies of pictures."""
    limits = replace(settings.limits, sessions=max(slots, settings.limits.sessions), idle=NO_IDLE_LIMIT)
    # The pictures are files of the workspace; the journal keeps their digests.
    journal = replace(settings.journal, attachment_kilobytes=0)
    # The login is that of the slots, and not of the default session, which is not used.
    logins = replace(settings.logins, state=None)
    return replace(settings, limits=limits, journal=journal, logins=logins, profile=None)
