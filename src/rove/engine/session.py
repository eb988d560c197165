"""One isolated session: its browser context, its tabs, its journal, and `run`, the only way to act on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, AnyAction, SessionDirectory
from rove.advice import NO_NAMES, Names
from rove.browser.context import DIED, SavedContext
from rove.browser.failures import StateNotRestored
from rove.browser.network import is_extension_page
from rove.browser.refs import RefNumbers
from rove.engine.context_backup import ContextBackup
from rove.engine.gate import Gate
from rove.engine.guard_notice import GUARDED, GuardNotice
from rove.engine.journal import Journal, StepWatcher
from rove.engine.live_view import LiveView
from rove.engine.logins import SessionLogin, not_restored
from rove.engine.people import Driver, DriverEvent, Handoffs, Lease, People, SessionControl
from rove.engine.person_input import PersonAccess, TypedTexts
from rove.engine.redaction import redact_error, redacted_outcome
from rove.engine.run import Run
from rove.engine.run_request import Report, RunOptions, ignore_progress
from rove.engine.session_errors import connection_lost, session_closed
from rove.engine.step_recorder import SessionRecorder
from rove.engine.video_and_har import Captures
from rove.engine.web_client import SessionWeb
from rove.errors import RoveError
from rove.guard.policy import Place
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.storage.state import BrowserState
from rove.tasks import BackgroundTasks, Signal

if TYPE_CHECKING:
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box
    from rove.browser.shared.context import Context
    from rove.engine.journal import JournalStore
    from rove.engine.network_access import NetworkAccess
    from rove.guard.network.refusal import Refusal
    from rove.guard.policy import Approver
    from rove.outcome import Outcome, Result, ViewKind
    from rove.snapshot.tree import Snapshot

R = TypeVar("R", bound="Result")
OpenContext = Callable[["Session", "SavedContext | None", Callable[[str], None]], Awaitable["Context"]]
# Shown instead of the text of a frame that the policy does not allow to be read.
HIDDEN_FRAME_TEXT = "(not shown: the policy does not allow this frame to be read)"


class Session:
    """A named session. Its browser context is opened when an action first needs it."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        gate: Gate,
        directory: SessionDirectory,
        network: NetworkAccess,
        open_context: OpenContext,
        secrets: Secrets = NO_SECRETS,
        guard_notice: GuardNotice | None = None,
        ref_numbers: RefNumbers | None = None,
        watcher: StepWatcher | None = None,
        people: People | None = None,
        owner: str | None = None,
        login: SessionLogin | None = None,
        journal_store: JournalStore | None = None,
    ) -> None:
        """`ref_numbers`: the numbers of refs that an earlier session of this name has given, and that go on.

        `watcher` is told of each step. `people`: who can be asked to take over. `owner`: the client that alone may use
        it, in a server with several; None for those of the process itself. `login`: what it begins with.
        `journal_store`: keeps its journal, instead of the ledger in its home.
        """
        self.name = name
        self.owner = owner
        self.opened = time.time()
        self.settings = settings
        self.gate = gate
        self.directory = directory
        self.network = network
        self.secrets = secrets
        self.guard_notice = guard_notice
        guard = guard_notice.kind if guard_notice else GUARDED
        self.typed = TypedTexts(secrets)
        self.redact: Callable[[str], str] = self.typed.redact
        self.near_misses = self.typed.near_misses
        self.journal = Journal(
            settings.journal_folder, name, settings.journal, self.typed, guard, watcher, journal_store
        )
        self.recorder = SessionRecorder(self, lambda: self._context, is_watched=watcher is not None)
        self.driver = Driver(settings.deadlines.held, settings.deadlines.lease)
        self.driver.on_changed = self._on_driver_changed
        self.handoffs = Handoffs(name, self.driver, people, settings.deadlines.handoff)
        self.control = SessionControl(self.driver, self.handoffs)
        # Sent when the session has another page, tab or driver.
        self.changed = Signal()
        self._watcher = watcher
        self._people = PersonAccess(name, lambda: self._context, self.journal, self.typed)
        self.captures = Captures(self, lambda: self._context)
        self.driver.before_turn = self._people.finish
        network.on_refused = self._on_refused
        self.last_used = time.monotonic()
        self.running_calls = 0
        self.on_call_ended: Callable[[], object] = lambda: None
        # Called with each action that a client asks for, and each step of one; it raises if the client may not do more.
        self.before_call: Callable[[AnyAction], object] = lambda action: None
        # The default session, which clients need not open, gets its slot when it is first used.
        self.has_slot = False
        # Whether its pages may be closed for another session's, as its client is done with them for now.
        self.gives_way = False
        self._open_context = open_context
        self._context: Context | None = None
        self._context_lock = asyncio.Lock()
        self.login = login or SessionLogin()
        self.backup = ContextBackup(name, self.login, ref_numbers)
        self.web = SessionWeb(self, lambda: self._context, self.backup.cookies, self.login.profile is not None)
        # Whether the state that the next context is opened with was saved by name, and has not been restored before.
        self._is_untried = self.login.begins_with is not None
        self._tasks = BackgroundTasks(f"session {name}")
        self._is_closed = False
        self._has_shown_notice = self._has_unreported_loss = False

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
        """Run an action and return its outcome. Every surface acts on pages through this method alone.

        `channel`: the person to ask where the policy requires it, unless the owner has set an approver.
        `names`: what the caller calls each action, for hints and advice.
        """
        told: Report = lambda message, done, total: report(self.redact(message), done, total)  # noqa: E731
        options = RunOptions(tab, timeout, told, quiet or bool(view), channel, names, view)
        self.running_calls += 1
        self.last_used = time.monotonic()
        try:
            # All text of a page leaves the engine here, so secrets are removed here.
            outcome = redacted_outcome(await Run(self, options).run(action), self.typed)
            return self._add_guard_notice(outcome)
        except Exception as error:
            redact_error(error, self.typed)
            raise
        finally:
            self.running_calls -= 1
            self.last_used = time.monotonic()
            self.backup.save_soon()
            self.on_call_ended()

    def _add_guard_notice(self, outcome: Outcome[R]) -> Outcome[R]:
        """Add to the first outcome what is not guarded in this session."""
        if self.guard_notice is None or self._has_shown_notice:
            return outcome
        self._has_shown_notice = True
        return replace(outcome, events=(self.guard_notice.event, *outcome.events))

    def may_read(self, url: str) -> bool:
        """Whether text of the page at `url`, its title or its full URL may be returned without asking a person."""
        return not is_extension_page(url) and self.gate.may_read(Place.of_page(self.name, None, url))

    @property
    def has_pages(self) -> bool:
        """Whether it has a browser context."""
        return self._context is not None

    @property
    def is_used(self) -> bool:
        """Whether a call runs in it, or a person drives it."""
        return self.running_calls > 0 or self.driver.lease is not None

    def let_give_way(self, may: bool) -> None:
        """Say whether its pages may be closed for another session's; its next call opens them again."""
        self.gives_way = may
        if may:
            self.on_call_ended()

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def is_idle(self) -> bool:
        """Whether it has pages that no call uses and that download no file, so that it could be suspended."""
        if self._context is None or self.is_used or not self.network.is_guarded:
            return False  # the pages of the user's own browser are never closed to free memory
        return not any(tab.page.downloads.is_running() for tab in self._context.tabs)

    async def context(self, progress: Callable[[str], None]) -> Context:
        """Return the browser context; open one, with what was saved, if there is none or its browser died."""
        async with self._context_lock:
            self.refuse_if_closed()
            self._report_loss()
            if self._context is not None and not self._context.is_alive:
                self.mark_lost(DIED)
            if self._context is None:
                await self._restore_context(progress)
            assert self._context is not None
            return self._context

    async def start(self) -> None:
        """Open the browser context, and a tab, now and not with the first call that needs them."""
        context = await self.context(lambda message: None)
        await context.tab()

    async def _restore_context(self, progress: Callable[[str], None]) -> None:
        """Open a context with what was saved. Raises StateUnusable if the browser does not take a named state."""
        try:
            context = await self._open_context(self, self.backup.saved, progress)
        except StateNotRestored as error:
            if self._is_untried:
                raise not_restored(self.login.label, error) from error
            # Of a browser that was lost, at least the tabs are opened again. What was saved by name stays as it is.
            self.login.stop()
            self.backup.forget_state()
            context = await self._open_context(self, self.backup.saved, progress)
        if self._is_closed:
            await context.close()
            await self.network.close()
        self.refuse_if_closed()
        self._is_untried = False
        context.restrict_reading(self.may_read, HIDDEN_FRAME_TEXT, self.typed)
        context.use_secrets(self.secrets)
        context.watch(self._on_changed, self.typed.note_field)
        await self.web.cookies.give_to(context)
        self._use(context)
        await self.captures.begin()

    def _use(self, context: Context | None) -> None:
        self._context = context
        self.backup.follow(context)
        self._on_changed()

    async def allow_host(self, host: str) -> None:
        """Let the session reach one more host, written as in the settings. Raises InvalidSettings."""
        self.network.allow_host(host)
        await self.network.applied()

    def refuse_if_closed(self) -> None:
        """Raise NotOpen if the session was closed."""
        if self._is_closed:
            raise session_closed(self.name)

    def _report_loss(self) -> None:
        """Raise once after the connection was lost between two calls, since the tabs may have changed."""
        if self._has_unreported_loss:
            self._has_unreported_loss = False
            raise connection_lost()

    def mark_lost(self, reason: str) -> None:
        """Note that the browser died or froze. The next call gets a new context, with what was saved of this one."""
        if self._context is not None:
            self._has_unreported_loss = not self.network.is_guarded and not self.running_calls
            self.backup.mark_lost(self._context, reason)
            self._context.lost.reason = reason
            self._context.lost.set()
            self._end_refs(self._context, "the browser was restarted")

    async def suspend(self, why: str = "as memory was short") -> bool:
        """Close the pages; the next call opens them again. Returns False if a call uses them."""
        async with self._context_lock:
            context = self._context
            if context is None or self.is_used:
                return False
            saved = await self.backup.save(context)
            if self.is_used or self._context is not context:
                return False  # a call has begun meanwhile
            self.backup.keep(saved, context)
            self.backup.restore_as("session restored", f"The session's pages were closed {why}")
            self._end_refs(context, f"its page was closed {why}, and loaded anew")
            await context.close()
            return True

    def _end_refs(self, context: Context, reason: str) -> None:
        """Drop the context, and note why the refs of its pages mean nothing any more."""
        context.shared_state.ref_numbers.end_all(reason)
        self._use(None)

    def begin_with(self, saved: SavedContext) -> None:
        """Open the first context as another of this session was saved, which was lost with its machine."""
        self.backup.saved, self._is_untried = saved, False

    async def read_state(self) -> BrowserState:
        """Return the state of the session now: of every origin, also of those that no tab shows."""
        context = await self.context(lambda message: None)
        return (await context.save(True)).state or BrowserState()

    async def load_state(self, state: BrowserState, label: str) -> None:
        """Replace cookies and storage by a state, and load the tabs anew. Raises StateUnusable, and changes nothing."""
        async with self._context_lock:
            if (context := self._context) is not None:
                self.backup.keep(await self.backup.save(context), context)
                self._end_refs(context, f"the {label} was loaded, and its page anew")
                await context.close()
            before = self.backup.saved
            self.backup.restore_as("state loaded", state=state)
            self._is_untried, self.login.label = True, label
            try:
                await self._restore_context(lambda message: None)
            except RoveError:
                self.backup.saved, self._is_untried = before, False
                raise

    async def keep_login(self) -> None:
        """Save the login of the session for the last time, if it is to be saved. Raises StateUnusable."""
        # A session that has not restored its state has nothing to save, and must not replace what was saved.
        if not self._is_untried:
            await self.backup.keep_login()

    @property
    def awaits_popups(self) -> bool:
        """Whether pages have opened popups that are no tabs yet, or may have."""
        return self._context is not None and self._context.awaits_popups

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs."""
        if self._context is not None:
            await self._context.wait_for_popups()

    def describe(self) -> dict[str, object]:
        """Return the facts that are listed of a session: its name, its tabs and how long it has been idle."""
        recording, extensions = self.captures.files, self.login.extensions
        notes = {"guard": str(self.guard_notice or ""), "recording": recording, "extensions": extensions}
        return {
            "session": self.name,
            "tabs": self.backup.described_tabs(self._redact_url),
            "idle_seconds": round(time.monotonic() - self.last_used, 1),
            **{name: note for name, note in notes.items() if note},
        }

    def _redact_url(self, url: PageText) -> PageText:
        """Return only the origin of a page that may not be read, since a URL can contain its text."""
        return url.around(self.typed.redact(url) if self.may_read(url) else url.origin)

    def watch(self, tab: str | None = None, max_width: int = 1280, quality: int = 60) -> LiveView:
        """Return a live view of a tab, or of the current one, whichever that is. It is no action of the agent.

        A person is shown every page, also one that the policy hides from the agent.
        """
        return LiveView(self, lambda: self._people.find_tab(tab), max_width, quality)

    async def drive(self, lease: Lease, event: InputEvent, tab: str | None = None) -> None:
        """Send the input of the person who has the lease to a tab. Raises Denied without the lease."""
        self.driver.touch(lease)
        self.last_used = time.monotonic()
        await self._people.drive(lease.person, event, tab)

    async def picture(self, tab: str | None = None, quality: int = 50) -> bytes:
        """Return a JPEG of what a tab shows now. Raises NotOpen if there is no page, or it cannot be shown."""
        return await self._people.picture(tab, quality)

    async def element_box(self, ref: str, tab: str | None = None) -> Box:
        """Return where an element is in the viewport now, without scrolling. Raises ElementGone."""
        return await self._people.element_box(ref, tab)

    async def locate(self, target: str, tab: str | None = None) -> tuple[str, str, Box]:
        """Return the ref, the line and the place of the first element that a target means now. Raises RoveError."""
        return await self._people.locate(target, tab)

    async def seen(self, tab: str | None = None) -> Snapshot | None:
        """Return what the agent was last shown of a tab; None if it has not looked at its page yet."""
        return self._people.seen(tab)

    def _on_changed(self) -> None:
        self.changed.send()
        if self._watcher is not None and not self._is_closed:
            self._watcher.session_changed(self.name)

    def _on_driver_changed(self, event: DriverEvent, person: str | None) -> None:
        if event == "taken":
            self._people.begin_drive()
        elif event == "released":
            self._people.end_drive()
        self._tasks.start(self.journal.record("driver", {"event": event, "person": person}))
        self._on_changed()

    def _on_refused(self, refusal: Refusal) -> None:
        if self._watcher is not None:
            self._watcher.guard_refused(self.name, refusal.facts)

    async def stop_saving(self) -> None:
        """Cancel the save that is running or due, and start no other."""
        await self.backup.stop()
        await self._tasks.close()

    async def end_calls(self) -> None:
        """End the calls that are under way with NotOpen, and accept no more."""
        await self.recorder.close()
        self._is_closed = True
        self.handoffs.close()
        self.driver.close()
        self.changed.send()
        await self.captures.close()
        await self._people.close()

    async def close(self) -> None:
        """Close the pages, the session's proxy and its journal."""
        await self.end_calls()
        await self.web.close()
        await self.stop_saving()
        try:
            await self.keep_login()
        finally:
            context, self._context = self._context, None
            if context is not None:
                await context.close()
            await self.network.close()
            await self.journal.close()
