"""All sessions of one process, and the browser that they share."""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rove.browser.browser import BrowserProcess
from rove.browser.context import SavedContext
from rove.browser.failures import BrowserError
from rove.engine.approval.gate import Gate
from rove.engine.guard_notice import PARTLY_GUARDED, UNGUARDED, GuardNotice
from rove.engine.network_access import EgressSettings
from rove.engine.sessions.admission import Admission
from rove.engine.sessions.browser_supervisor import BrowserSupervisor
from rove.engine.sessions.session import Session
from rove.errors import BrowserUnavailable, NotOpen
from rove.guard.policy.approval import Approver
from rove.guard.policy.policy import Policy
from rove.guard.policy.policy_file import policy_from
from rove.guard.secrets.secrets import secrets_from
from rove.settings import Settings, load
from rove.workspace import refuse_to_expose

if TYPE_CHECKING:
    from rove.browser.browser import Browser
    from rove.browser.context import Context
    from rove.guard.policy.approval import ApprovalRequest

log = logging.getLogger(__name__)

DEFAULT = "default"
# For surfaces, which hand one on but know nothing of browsers.
EarlyLaunch = BrowserProcess


class Sessions:
    """Opens, finds and closes sessions, closes the idle, and owns every browser."""

    def __init__(
        self, settings: Settings | None = None, policy: Policy | None = None, approver: Approver | None = None
    ) -> None:
        self.settings = settings or load()
        home = self.settings.home_folder
        refuse_to_expose(self.settings.workspace_folder, home, (self.settings.journal_folder, home / "run"))
        self._egress_settings = EgressSettings(self.settings)
        self._secrets = secrets_from(self.settings)
        policy = policy or policy_from(self.settings)
        self._gate = Gate(policy, approver, self.settings.deadlines.approval, self._secrets)
        self._open: dict[str, Session] = {}
        self._names = itertools.count(1)
        self._browsers = BrowserSupervisor(self.settings, self._is_busy, self._is_needed, self._mark_all_lost)
        self._admission = Admission(self.settings, self._open.values, lambda: self._browsers.current)
        self._tasks: list[asyncio.Task[None]] = []
        self._is_closed = False

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.ensure_future(work) for work in (self._reap(), self._admission.watch())]
        for task in self._tasks:
            task.add_done_callback(_log_failure)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def start_early(self, begun: EarlyLaunch | None = None) -> None:
        """Start what takes longest before the first call needs it, or go on with what has begun."""
        if begun is not None and (port := begun.take_proxy_port()) is not None:
            self._egress_settings.spare = socket.socket(fileno=port)
        self._browsers.start_early(begun)

    def session(self, name: str | None = None) -> Session:
        """The named session, or the default one, which nobody has to open."""
        if self._is_closed:
            raise _over()
        if name is None or name == DEFAULT:
            return self._open.get(DEFAULT) or self._add(DEFAULT)
        if name not in self._open:
            known = ", ".join(self._open) or "none"
            raise NotOpen(f"There is no session {name}.", hint=f"Open it with {{open_session}}. Open now: {known}.")
        return self._open[name]

    async def open_session(self, name: str | None) -> str:
        name = name or next(made for made in map("s{}".format, self._names) if made not in self._open)
        if name == DEFAULT or name in self._open:
            return self.session(name).name
        await self._admission.admit_session()
        is_new = False
        try:
            if name not in self._open:  # another call may have opened it while this one waited
                is_new = self._add(name).has_place = True
        finally:
            if not is_new:
                self._admission.leave()
        return name

    async def close_session(self, name: str | None) -> str:
        session = self.session(name)
        self._open.pop(session.name, None)
        self._gate.approvals.forget(session.name)
        try:
            await session.close()
        finally:
            if session.has_place:
                self._admission.leave()
        return session.name

    def sessions(self) -> list[dict[str, Any]]:
        return [session.describe() for session in self._open.values()]

    @property
    def pending_approvals(self) -> tuple[ApprovalRequest, ...]:
        """What people are being asked at this moment."""
        return self._gate.approvals.pending

    async def close(self) -> None:
        """Close everything; nothing is left running and no folder behind."""
        self._is_closed = True
        self._admission.close(_over())
        for task in self._tasks:
            task.cancel()
        closing = list(self._open.values())
        self._open.clear()
        # The contexts die with their browser, sooner than if each were closed by itself.
        await self._browsers.close()
        for session in closing:
            await session.network.close()
        await asyncio.gather(*(session.journal.close() for session in closing))
        self._egress_settings.close()

    def _guard_notice(self, name: str) -> GuardNotice | None:
        """In somebody's own browser the default session works where they do, the others beside it."""
        if self.settings.attach is None:
            return None
        return UNGUARDED if name == DEFAULT else PARTLY_GUARDED

    def _add(self, name: str) -> Session:
        guard_notice = self._guard_notice(name)
        self._open[name] = Session(
            name,
            self.settings,
            self._gate,
            _Directory(self, name),
            self._egress_settings.for_session(guard_notice is not UNGUARDED),
            self._new_context,
            self._secrets,
            guard_notice,
        )
        return self._open[name]

    async def _new_context(
        self, session: Session, saved: SavedContext | None, progress: Callable[[str], None]
    ) -> Context:
        await self._admit(session)
        if not session.network.is_guarded:
            return await self._opened(None, saved, progress)
        # The guard is built while the browser makes ready; before it stands, its port is taken and answers nobody.
        proxy_url, ready = session.network.open()
        context = await self._opened(proxy_url, saved, progress)
        try:
            await ready
        except BaseException:  # no session without its guard
            await context.close()
            raise
        if not context.is_alive:  # nobody was told that it is lost, as nobody had it
            raise _gone_too_soon()
        return context

    async def _opened(
        self, proxy_url: str | None, saved: SavedContext | None, progress: Callable[[str], None]
    ) -> Context:
        browser = await self._browsers.browser(progress)
        try:
            async with asyncio.timeout(self.settings.deadlines.launch):
                context = await self._context_in(browser, proxy_url, saved)
        except (TimeoutError, BrowserError) as error:
            raise _gone_too_soon() from error
        context.before_new_tab = self._admission.admit_page
        return context

    async def _context_in(self, browser: Browser, proxy_url: str | None, saved: SavedContext | None) -> Context:
        if proxy_url is not None:
            return await browser.new_context(self.settings, proxy_url, saved)
        return await browser.default_context(self.settings, saved)

    async def _admit(self, session: Session) -> None:
        """Nobody opens the default session: it takes its place in line, like any other, when it is first used."""
        if session.has_place:
            await self._admission.admit_page()
            return
        await self._admission.admit_session()
        if self._open.get(session.name) is not session:
            self._admission.leave()
            session.refuse_if_closed()
        session.has_place = True

    def _is_needed(self) -> bool:
        return any(session.running or session.has_pages for session in self._open.values())

    def _is_busy(self) -> bool:
        return any(session.running for session in self._open.values())

    def _mark_all_lost(self) -> None:
        for session in self._open.values():
            session.mark_lost()

    async def _reap(self) -> None:
        """Close what nobody has used for a while."""
        limit = self.settings.limits.idle
        while True:
            now = time.monotonic()
            for session in [*self._open.values()]:
                if session.running == 0 and now - session.last_used >= limit:
                    await self._close_idle(session)
            oldest = min((session.last_used for session in self._open.values()), default=now)
            await asyncio.sleep(max(min(oldest + limit - now, limit), 0.05))

    async def _close_idle(self, session: Session) -> None:
        try:
            await self.close_session(session.name)
        except Exception:
            # What is wrong with one session must not keep the others open for ever.
            log.exception("session %s could not be closed cleanly", session.name)


def _log_failure(task: asyncio.Task[None]) -> None:
    """Chores end with their house; one that ends before has a fault."""
    if not task.cancelled() and (error := task.exception()):
        log.error("a chore of the house broke off", exc_info=error)


def _gone_too_soon() -> BrowserUnavailable:
    return BrowserUnavailable(
        "The browser went away, or hung, before it had opened a page.",
        hint="Call again: a new one is started.",
        retry_after=0,
    )


def _over() -> NotOpen:
    return NotOpen("This browser has been closed.", hint="Open another, with `rove.open()`.")


class _Directory:
    """The house as one session sees it: closing without a name means itself."""

    def __init__(self, sessions: Sessions, name: str) -> None:
        self._sessions = sessions
        self._name = name

    async def open_session(self, name: str | None) -> str:
        return await self._sessions.open_session(name)

    async def close_session(self, name: str | None) -> str:
        return await self._sessions.close_session(name or self._name)

    def sessions(self) -> list[dict[str, Any]]:
        return self._sessions.sessions()
