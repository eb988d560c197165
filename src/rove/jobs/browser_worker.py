"""A worker whose pages are loaded by a browser of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace

from rove.engine.sessions.memory import own_memory
from rove.engine.sessions.sessions import Sessions
from rove.errors import NotOpen
from rove.guard.policy.approval import NoApprover
from rove.guard.policy.policy import Policy
from rove.guard.secrets.secrets import Secrets
from rove.jobs.options import PageOptions
from rove.jobs.page_work import work_for
from rove.jobs.session_slot import PAGES_PER_CONTEXT, MakeFacade, SessionSlot
from rove.jobs.worker import Health, PageAnswer, PageTask, WorkerState
from rove.settings.tree import Settings
from rove.states.choice import LoginChoice
from rove.states.state import BrowserState

# The session of each slot is `map-1` and so on: the journal has one file for each, however many pages there are.
SESSION = "map-{}"
# Sessions are closed by the worker alone.
NO_IDLE_LIMIT = 365 * 86400.0
BROKEN_OFF = PageAnswer(is_broken_off=True)


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
