"""All sessions of one process, and the browser that they share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rove.browser.context import SavedContext
from rove.browser.extensions import check_extensions
from rove.browser.failures import BrowserError
from rove.browser.network import files_for
from rove.browser.refs import RefNumbers
from rove.browser.sessions import AS_SET, SessionDirectory, WindowChoice
from rove.browser.shared.process import BrowserProcess
from rove.engine.admission import Admission
from rove.engine.browsers import Browsers, settings_for
from rove.engine.client_sessions import DEFAULT as DEFAULT
from rove.engine.client_sessions import OwnedSessions, OwnLimits, SessionChanges, own_settings
from rove.engine.gate import Gate
from rove.engine.guard_notice import check_guard_of_extensions, guard_notice_of
from rove.engine.journal import JournalStore, StepWatcher
from rove.engine.logins import Logins, SessionLogin
from rove.engine.network_access import EgressSettings
from rove.engine.people import People
from rove.engine.session import Session
from rove.engine.session_errors import (
    SessionNames,
    checked_name,
    closed_error,
    lost_at_start,
    not_open,
    other_loop_error,
    refuse_login,
)
from rove.engine.video_and_har import Captures, with_captures
from rove.errors import RoveError
from rove.guard.policy import ApprovalRequest, Approver, Policy
from rove.guard.policy_rules import policy_from
from rove.guard.secrets.secrets import Secrets, secrets_from
from rove.owned_names import mark_of
from rove.settings.tree import Settings, load
from rove.storage.state import NO_LOGIN, LoginChoice
from rove.tasks import BackgroundTasks
from rove.workspace import refuse_to_expose

if TYPE_CHECKING:
    from rove.browser.shared.browser import Browser
    from rove.browser.shared.context import Context

log = logging.getLogger(__name__)

# The numbers of refs that older sessions have given are forgotten.
MAX_CLOSED_SESSIONS = 1000
# The name for surfaces, which pass one on but must not import the browser interface.
EarlyLaunch = BrowserProcess


class ClosedSessions:
    """The numbers of refs that closed sessions have given: an agent may use old refs in a new session of that name."""

    def __init__(self) -> None:
        self._ref_numbers: dict[str, RefNumbers] = {}

    def add(self, name: str, numbers: RefNumbers | None) -> None:
        """Remember a session that has just been closed."""
        if numbers is not None:
            self._ref_numbers[name] = numbers.continued("the session was closed and opened anew")
        if len(self._ref_numbers) > MAX_CLOSED_SESSIONS:
            del self._ref_numbers[next(iter(self._ref_numbers))]

    def take_ref_numbers(self, name: str) -> RefNumbers | None:
        """Return the numbers that go on in a new session of this name."""
        return self._ref_numbers.pop(name, None)


class Sessions:
    """Opens, finds and closes sessions, closes idle ones, and owns the browser that they share."""

    def __init__(
        self,
        settings: Settings | None = None,
        policy: Policy | None = None,
        approver: Approver | None = None,
        *,
        watcher: StepWatcher | None = None,
        people: People | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        """`watcher` is told what happens in the sessions. `people`: who can be asked to take a session over.

        `secrets`: those to use instead of what the settings name.
        """
        self.settings = with_captures(settings or load())
        check_extensions(self.settings)
        check_guard_of_extensions(self.settings)
        home = self.settings.home_folder
        refuse_to_expose(self.settings.workspace_folder, home, (self.settings.journal_folder, home / "run"))
        self._egress_settings = EgressSettings(self.settings)
        self._secrets = secrets_from(self.settings) if secrets is None else secrets
        seconds, files = self.settings.deadlines.approval, files_for(self.settings)
        self._gate = Gate(policy or policy_from(self.settings), approver, seconds, self._secrets, files)
        self._watcher = watcher
        self._people = people
        self._open: dict[str, Session] = {}
        self._closed_sessions = ClosedSessions()
        self._names = SessionNames()
        self.logins = Logins(self.settings)
        self._browsers = Browsers(self.settings, self._open.values)
        self.admission = Admission(self.settings, self._open.values, lambda: self._browsers.running)
        self.changes = SessionChanges()
        self.own_limits = OwnLimits(self.settings.serve)
        self._tasks = BackgroundTasks("the sessions")
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        for work in (self._close_idle_sessions(), self.admission.watch(), self.admission.serve_queue()):
            self._tasks.start(work)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def start_early(self, launch: EarlyLaunch | None = None) -> None:
        """Start the browser before the first call needs it, or use a launch that has begun."""
        # With a profile, the default session does not use the browser that sessions share.
        has_own_browser = self.settings.browser_per_session or self.settings.profile is not None
        if launch is not None or (self.settings.start_early and not has_own_browser):
            self._egress_settings.start_early(launch.take_proxy_port() if launch is not None else None)
            if launch is not None or self.settings.engine == "chromium":  # others take seconds of both cores to start
                self._browsers.shared.start_early(launch)

    @property
    def cluster_control(self) -> None:
        """No nodes: the sessions run in this process."""

    def protect_port(self, address: str, port: int) -> None:
        """Let no page and no agent reach a port that a surface of rove listens on, whatever hosts are allowed."""
        self._egress_settings.own.add(address, port)

    def refuse_other_loop(self) -> None:
        """Raise NotOpen in an event loop that is not the one in which the browser was opened."""
        running = asyncio.get_running_loop()
        self._loop = self._loop or running
        if self._loop is not running:
            raise other_loop_error()

    def session(self, name: str | None = None) -> Session:
        """Return the session of that name, or the default one, which clients need not open."""
        if self._is_closed:
            raise closed_error()
        if name is None or name == DEFAULT:
            return self._open.get(DEFAULT) or self._add(DEFAULT)
        if name not in self._open:
            raise not_open(name, self._open)
        return self._open[name]

    def find(self, name: str) -> Session | None:
        """Return the session of that name, if it is open."""
        return self._open.get(name)

    def owned_by(self, owner: str | None, default: str | None = None) -> OwnedSessions[Session]:
        """Return the sessions of one owner. `default`: the one that it need not open, instead of `default`."""
        return OwnedSessions(self, owner, default or DEFAULT)

    async def open_session(
        self,
        name: str | None,
        owner: str | None = None,
        login: LoginChoice = NO_LOGIN,
        window: WindowChoice = AS_SET,
    ) -> str:
        """Open a session and return its name; one that is open already is left as it is."""
        name = self._names.choose(name, owner, self._open)
        if name in self._open or (name == DEFAULT and (login, window) == (NO_LOGIN, AS_SET)):
            refuse_login(name, login)
            return self.session(name).name
        await self._admit_session(owner)
        is_new = False
        try:
            opened = await asyncio.to_thread(self._open_login, login, name, owner)
            if name not in self._open:  # another call may have opened it while this one waited
                is_new = self._add(name, owner, opened, window).has_slot = True
            else:
                opened.release()
                refuse_login(name, login)
        finally:
            if not is_new:
                self.admission.release_slot()
        self.changes.report(owner, has_session=True)
        return name

    def add_default(self, name: str, owner: str | None) -> Session:
        """Return the session that an owner need not open, which takes its slot when it is first used."""
        if self._is_closed:
            raise closed_error()
        return self._open.get(name) or self._add(checked_name(name, owner), owner)

    async def close_session(self, name: str | None) -> str:
        """Close a session and forget what was approved for it; return its name."""
        session = self.session(name)
        self._open.pop(session.name, None)
        self._closed_sessions.add(session.name, session.backup.ref_numbers)
        self._gate.approvals.forget(session.name)
        try:
            await session.close()
        finally:
            await self._browsers.close_own(session)
            session.login.release()
            if session.has_slot:
                self.admission.release_slot()
            self.changes.report(session.owner, any(own.has_slot for own in self.open_sessions(session.owner).values()))
            if self._watcher is not None:
                self._watcher.session_closed(session.name)
        return session.name

    def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        return [session.describe() for session in self._open.values()]

    def open_sessions(self, owner: str | None) -> dict[str, Session]:
        """Return the open sessions of an owner by their names."""
        return {name: session for name, session in self._open.items() if session.owner == owner}

    def refuse_if_full(self) -> None:
        """Raise LimitReached if no more sessions can be opened, nor waited for."""
        self.admission.refuse_if_full()

    @property
    def pending_approvals(self) -> tuple[ApprovalRequest, ...]:
        """The questions that wait for a person's answer now."""
        return self._gate.approvals.pending

    async def close(self) -> None:
        """Close everything: no process is left running and no folder is left behind."""
        self._is_closed = True
        self.admission.close(closed_error())
        await self._tasks.close()
        closing = list(self._open.values())
        self._open.clear()
        await asyncio.gather(*(session.end_calls() for session in closing))
        await asyncio.gather(*(session.stop_saving() for session in closing))
        await asyncio.gather(*(self._keep_login(session) for session in closing))
        # Closing the browser closes its contexts, sooner than closing each by itself.
        await self._browsers.close()
        for session in closing:
            session.login.release()
            await session.web.close()
            await session.network.close()
        await asyncio.gather(*(session.journal.close() for session in closing))
        self._egress_settings.close()

    async def _keep_login(self, session: Session) -> None:
        try:
            await session.keep_login()
        except RoveError:
            log.exception("the %s of the session %s could not be saved", session.login.label, session.name)

    def _add(
        self,
        name: str,
        owner: str | None = None,
        login: SessionLogin | None = None,
        window: WindowChoice = AS_SET,
    ) -> Session:
        settings = own_settings(self._settings_of(name, window), mark_of(owner))
        guard_notice = guard_notice_of(settings, name == DEFAULT, bool(login and login.extensions))
        self._open[name] = Session(
            name,
            settings,
            self._gate,
            self._directory_of(name, owner),
            self._egress_settings.for_session(guard_notice is None or guard_notice.passes_proxy),
            self._open_context,
            self._secrets,
            guard_notice,
            self._closed_sessions.take_ref_numbers(name),
            self._watcher,
            self._people,
            owner,
            login or self._login_of_default(name, owner),
            self._journal_store_of(name),
        )
        self._open[name].on_call_ended = self.admission.note_end_of_call
        self._open[name].before_call = partial(self.own_limits.count_pages, owner)
        if self._watcher is not None:
            self._watcher.session_opened(name)
        return self._open[name]

    # What differs where sessions are served from another process (`rove.cluster.sessions`)

    def _settings_of(self, name: str, window: WindowChoice) -> Settings:
        return settings_for(self.settings, window)

    def _directory_of(self, name: str, owner: str | None) -> SessionDirectory:
        return ProcessDirectory(self, owner, name)

    def _journal_store_of(self, name: str) -> JournalStore | None:
        """Return what keeps the journal of a session; None for its ledger in this home."""
        return None

    def _open_login(self, login: LoginChoice, name: str, owner: str | None) -> SessionLogin:
        """Return the login that is asked for; of the default session, else that which the settings choose."""
        if login == NO_LOGIN and name == DEFAULT:
            return self._login_of_default(name, owner)
        return self.logins.open(login, name, owner)

    def _login_of_default(self, name: str, owner: str | None) -> SessionLogin:
        """Return the login that the settings choose for the default session; others have none unless they ask."""
        settings = self.settings
        if name != DEFAULT:
            return SessionLogin()
        choice = LoginChoice(settings.logins.state, settings.profile, settings.logins.save_on_close)
        self._gate.refuse_login(choice, name)
        return self.logins.open(choice, name, owner)

    async def _open_context(
        self, session: Session, saved: SavedContext | None, progress: Callable[[str], None]
    ) -> Context:
        await self._admit(session)
        if not session.network.is_guarded:
            return await self._create_context(session, None, saved, progress)
        # The proxy starts while the browser does. Its port is bound at once, so that no page gets past it meanwhile.
        proxy_url, _ = session.network.open()
        context = await self._create_context(session, proxy_url, saved, progress)
        try:
            await session.network.applied()
        except BaseException:  # a session must not exist without its proxy
            await context.close()
            raise
        if not context.is_alive:  # `mark_lost` does not reach a context that the session does not have yet
            raise lost_at_start()
        return context

    async def _create_context(
        self, session: Session, proxy_url: str | None, saved: SavedContext | None, progress: Callable[[str], None]
    ) -> Context:
        browser = await self._browsers.of(session).browser(progress)
        await session.network.trust(browser.process_group, loads_now=saved is not None)
        try:
            async with asyncio.timeout(self.settings.deadlines.launch):
                context = await self._create_context_in(browser, session, proxy_url, saved)
        except (TimeoutError, BrowserError) as error:
            raise lost_at_start() from error
        context.before_new_tab = self.admission.admit_page
        return context

    async def _create_context_in(
        self, browser: Browser, session: Session, proxy_url: str | None, saved: SavedContext | None
    ) -> Context:
        if proxy_url is not None:
            return await browser.new_context(session.settings, proxy_url, saved)
        return await browser.default_context(session.settings, saved)

    async def _admit(self, session: Session) -> None:
        """Take a slot for the default session when it is first used, as clients need not open it."""
        if session.has_slot:
            with self.own_limits.apart_from_others(session.owner):
                await self.admission.admit_page()
            return
        await self._admit_session(session.owner)
        if self._open.get(session.name) is not session:
            self.admission.release_slot()
            session.refuse_if_closed()
        session.has_slot = True

    async def _admit_session(self, owner: str | None) -> None:
        self._refuse_more(owner)
        with self.own_limits.apart_from_others(owner):
            await self.admission.admit_session()

    def _refuse_more(self, owner: str | None) -> None:
        """Raise LimitReached if a client has as many sessions as one may have."""
        now, open_now = time.monotonic(), self.open_sessions(owner).values()
        idle = [0.0 if each.is_used else now - each.last_used for each in open_now if each.has_slot]
        self.own_limits.refuse_session(owner, idle, self.settings.limits.idle)

    async def _close_idle_sessions(self) -> None:
        """Close each session that no client has used for as long as the settings allow."""
        limit = self.settings.limits.idle
        while True:
            now = time.monotonic()
            for session in [*self._open.values()]:
                if not session.is_used and now - session.last_used >= limit:
                    await self._close_idle(session)
            oldest = min((session.last_used for session in self._open.values()), default=now)
            await asyncio.sleep(max(min(oldest + limit - now, limit), 0.05))

    async def _close_idle(self, session: Session) -> None:
        try:
            await self.close_session(session.name)
        except Exception:
            # An error in one session must not keep the others from being closed.
            log.exception("session %s could not be closed cleanly", session.name)


class ProcessDirectory(OwnedSessions[Session]):
    """What actions on the set of sessions may do with those of one owner."""

    @property
    def captures(self) -> Captures:
        """The videos and HAR files of the session that is meant where a call names none."""
        return self.session(None).captures
