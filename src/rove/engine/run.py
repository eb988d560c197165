"""The path of one action, top to bottom: check, ask, perform, settle, observe, record."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rove.action import (
    Action,
    AnyAction,
    CompositeAction,
    ContextAction,
    Effect,
    FetchAction,
    FileAction,
    PersonAction,
    SessionsAction,
    TabAction,
)
from rove.advice import LACKING, insert_names
from rove.browser.failures import PageStuck
from rove.engine.deadline import (
    BUSY_PAGE_HINT,
    Deadline,
    TabHold,
    TabLock,
    awaited,
    default_seconds,
    refuse_dialog,
    unless_crashed,
    unless_dialog,
)
from rove.engine.journal import Entry
from rove.engine.network_access import explained_timeout, is_repeatable, reaching, refuse_unreachable
from rove.engine.observation import NO_CHANGES, BatchChanges, OutcomeBuilder, PageReporter
from rove.engine.permission import (
    Grant,
    PermissionCheck,
    ask_person,
    combined,
    find_dialog,
    find_places,
    find_shown,
    granted,
    hold_to_shown,
    place_of,
    refuse_changed,
    refuse_unheld,
    step_requests,
)
from rove.engine.run_request import RunOptions, WebCall
from rove.engine.session_errors import keep_seen, note_losses
from rove.engine.settle import StartState, place_in
from rove.engine.whole_page import PageViewer
from rove.engine.withholding import Withholding, shown_tabs, withheld
from rove.errors import BrowserUnavailable, DeadlineExceeded, RoveError
from rove.guard.policy import ApprovalRequest, Place
from rove.outcome import AnyOutcome, Outcome, Result

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.engine.permission import Shown
    from rove.engine.run_request import SessionView
    from rove.recorded_steps import RecordingDesk

R = TypeVar("R", bound=Result)
T = TypeVar("T")
# An action that has run, or the question that a person has to answer first.
Attempt = AnyOutcome | ApprovalRequest


class Run:
    """Runs one action, and the actions that it is made of if it is a batch."""

    def __init__(self, session: SessionView, options: RunOptions) -> None:
        self._session = session
        self._options = options
        self._outcomes = OutcomeBuilder(session.name, session.network, options.names)
        self._viewer = PageViewer(options.view, self._may_show, session.redact)
        self._context: Context | None = None
        # Approvals of the steps of a batch that a person gave before the first step.
        self._grants: list[Grant] = []
        # Where the action that runs now has been allowed to act.
        self._places: Sequence[Place] = ()
        # Whether the caller may read the page of a tab at an address, of an origin.
        self._shown: dict[tuple[str, str, str], bool] = {}
        self._batch_changes = BatchChanges()
        self._hold = TabHold()
        # The deadline of the action that runs now; while a batch runs, of its step.
        self._current_deadline: Deadline | None = None

    async def run(self, action: Action[R]) -> Outcome[R]:
        """Run an action, or a step of one that is made of others, whose time all steps share."""
        parent = self._current_deadline
        seconds = self._options.timeout or default_seconds(action, self._session.settings)
        recovery = "a new one is started" if self._session.settings.attach is None else "rove connects anew"
        self._current_deadline = parent.for_step(seconds) if parent else Deadline(seconds, recovery)
        self._places = ()
        self._shown.clear()
        try:
            with self._session.network.watching():
                return await self._record(action)
        except RoveError as error:
            error.hint = insert_names(error.hint, self._options.names)
            error.view = self._viewer.view_of_error(self._context)
            raise
        finally:
            self._current_deadline = parent

    def _withholding(self, action: AnyAction) -> Withholding:
        tabs = shown_tabs(self._context, self._options.tab) if self._context else []
        allowed = self._places if action.effect in (Effect.READ, Effect.SCRIPT) else ()
        return Withholding.for_session(self._session.gate, self._session.name, tabs, allowed)

    async def _record(self, action: Action[R]) -> Outcome[R]:
        """Run an action and write it to the journal. An action that cannot be written does not run."""
        began = time.monotonic()
        async with self._session.journal.entry(action) as entry:
            if not isinstance(action, CompositeAction):  # each of its steps comes here too
                self._session.before_call(action)
                self._session.near_misses.note_arguments(action)
            self._session.near_misses.refuse()
            work = self._until_stopped(action, self._dispatch(action, entry))
            outcome = await withheld(work, lambda: self._withholding(action))
            self._session.near_misses.refuse()  # what was read may be a list of guesses
            entry.add_error(outcome.result.error)
            entry.attachments = () if outcome.result.parts else outcome.attachments
            entry.changes = "" if outcome.result.parts else outcome.changes.text
            await self._session.recorder.after(entry, self._context, self._may_show)
        return replace(outcome, seconds=round(time.monotonic() - began, 4))

    async def _until_stopped(self, action: AnyAction, work: Awaitable[T]) -> T:
        """Return the result of an action, unless a person stops it. A batch ends when one of its steps is stopped."""
        if isinstance(action, CompositeAction):
            return await work
        return await explained_timeout(self._session.network, self._session.driver.until_stopped(work, action))

    async def _dispatch(self, action: AnyAction, entry: Entry) -> AnyOutcome:
        if isinstance(action, TabAction):
            return await self._run_on_tab(action, entry)
        if isinstance(action, ContextAction):
            return await self._run_on_context(action, entry)
        if isinstance(action, PersonAction):
            return await self._run_by_person(action, entry)
        if isinstance(action, FileAction):
            settings, secrets = self._session.settings, self._session.secrets
            return await self._run_without_page(action, entry, lambda: action.perform(settings, secrets))
        if isinstance(action, FetchAction):
            return await self._run_without_page(action, entry, lambda: self._fetch(action, entry))
        if isinstance(action, CompositeAction):
            await self._admit(action, entry)
            self._options = replace(self._options, quiet=self._options.quiet or not action.tells_pages)
            with self._hold:
                return self._outcomes.build_batch(action, await action.perform(self), self._batch_changes)
        assert isinstance(action, SessionsAction)
        await action.refuse_early(self._session.directory)
        return await self._run_without_page(action, entry, lambda: action.perform(self._session.directory))

    async def _run_on_tab(self, action: TabAction[R], entry: Entry, repeats: bool = True) -> Outcome[R]:
        context = await self._open_context()
        try:
            return await self._run_in_context(action, entry, context)
        except BrowserUnavailable:
            if not repeats or not is_repeatable(action, context):
                raise
        return await self._run_on_tab(action, entry, repeats=False)

    async def _run_in_context(self, action: TabAction[R], entry: Entry, context: Context) -> Outcome[R]:
        # A page that is left by the action need not be loaded again after a crash.
        tab = await self._deadline.limit(context.tab(self._options.tab, action.destination is None))
        entry.tab, entry.url = tab.id, tab.url
        permission = self._check_permission(action, entry)
        return await self._take_turns(permission, lambda: self._check_and_act(permission, entry, tab, context))

    async def _take_turns(
        self, permission: PermissionCheck[Any], attempt: Callable[[], Awaitable[Attempt]]
    ) -> AnyOutcome:
        """Run the action in a turn of its own, and ask a person between two turns where the policy requires it."""
        has_begun = False
        while True:
            began = time.monotonic()
            async with self._session.driver.turn(self.report, has_begun):
                self._deadline.extend(time.monotonic() - began)
                answer = await self._session.driver.until_taken(attempt())
            if isinstance(answer, Outcome):
                return answer
            # Other calls may use the tab while a person decides. It is checked again after the answer.
            await self._ask(answer, permission.ask(answer))
            has_begun = True

    async def _check_and_act(
        self, permission: PermissionCheck[Any], entry: Entry, tab: Tab, context: Context
    ) -> Attempt:
        async with self._lock(tab, permission.action):
            question = await self._check(permission, entry, tab)
            refuse_unheld(permission, question, tab)
            if question is not None:
                return question
            locators = await self._viewer.locators(permission.action, tab)
            outcome = await hold_to_shown(permission, tab, self._act_or_replace(permission.action, entry, tab, context))
            if outcome is None:
                return await self._check(permission, entry, tab) or refuse_changed(permission.action)
            if isinstance(outcome, Outcome):
                return replace(outcome, view=await self._viewer.view(context, tab, locators))
        async with self._lock(outcome, permission.action):
            done = await self._act(permission.action, entry, outcome)
            return replace(done, view=await self._viewer.view(context, outcome, locators))

    async def _check(self, permission: PermissionCheck[Any], entry: Entry, tab: Tab) -> ApprovalRequest | None:
        """Raise if the action may not run on the tab; return the question that a person has to answer first, if any."""
        action = permission.action
        if action.effect is not Effect.NAVIGATE:  # an action that leaves the page need not answer its dialog first
            with note_losses(tab):
                await refuse_dialog(tab, self._options.names.get("dialog") != LACKING)
                self._viewer.refuse_modal(action, tab)
            if tab.page.awaited_server:
                await tab.page.finish_navigation()
            if action.needs_answers and tab.is_unresponsive:
                await unless_dialog(tab, self._deadline.refuse_if_stuck(tab, action.takes))
        refuse_unreachable(self._session.network, action, entry, tab)
        checking = unless_dialog(tab, self._find_question(permission, tab))
        return await self._deadline.limit_on_tab(tab, checking, awaited(action))

    async def _act_or_replace(self, action: Action[R], entry: Entry, tab: Tab, context: Context) -> Outcome[R] | Tab:
        """Act on the tab; if its page is stuck and the action leaves it, return another tab under the same id."""
        if action.destination is not None and tab.is_stuck:
            unblocked = await self._deadline.limit(context.unblock_tab(tab))
            if unblocked is not tab:
                return unblocked
        try:
            return await self._act(action, entry, tab)
        except PageStuck:
            if action.destination is None:
                tab.is_unresponsive = True
                raise DeadlineExceeded("The page is busy and lets nothing else run.", hint=BUSY_PAGE_HINT) from None
            return await self._deadline.limit(context.replace_tab(tab, "its page did not let itself be left"))

    async def _act(self, action: Action[R], entry: Entry, tab: Tab) -> Outcome[R]:
        """Perform the action, wait until the page is quiet, and return what changed."""
        assert isinstance(action, TabAction)
        if action.effect is not Effect.READ:
            tab.allow_changes(self._session.secrets)
        reporter = PageReporter(self._session, self._deadline, self._options.quiet, self._may_show)
        with note_losses(tab), keep_seen(tab):
            earlier = NO_CHANGES
            if reporter.reports_earlier(action, tab):
                beginning = reporter.report_earlier(action, tab, self._session.recorder.describes)
                earlier = await self._deadline.limit_on_tab(tab, beginning, awaited(action))
            await self._session.recorder.before(action, entry, tab, self._may_show(tab))
            self._batch_changes.begin_step(tab)
            start = StartState.of(tab)
            result = await self._perform(action, tab, start)
            report = await reporter.report(action, tab, start)
            report.earlier = earlier
            outcome = self._outcomes.build(action, result, tab, report)
        self._batch_changes.end_step(tab, outcome, is_told=not action.shows_page)
        return outcome

    async def _perform(self, action: TabAction[R], tab: Tab, start: StartState) -> R:
        # An action that leaves the page is not stopped by dialogs; those of the next page are in its events.

        def perform() -> Awaitable[R]:
            if action.effect is Effect.NAVIGATE:
                work = unless_crashed(tab, action.perform(tab))
            else:
                work = unless_dialog(tab, action.perform(tab), acts=action.effect is not Effect.READ)
            return self._deadline.limit_on_tab(tab, work, awaited(action))

        result = await reaching(self._session.network, action, tab, start.moment, perform)
        tab.is_unresponsive = False
        if action.effect is Effect.NAVIGATE:
            self._session.network.refuse_document(tab.page.requests.document)
        return result

    async def _run_on_context(self, action: ContextAction[R], entry: Entry) -> Outcome[R]:
        context = await self._open_context()
        permission = self._check_permission(action, entry)

        async def attempt() -> Attempt:
            question = await self._find_question_without_tab(permission, entry, action.concerns(context))
            if question is not None:
                return question
            outcome = await self._act_on_context(action, context, entry)
            return replace(outcome, view=await self._viewer.view(context, context.current, {}))

        return await self._take_turns(permission, attempt)

    async def _act_on_context(self, action: ContextAction[R], context: Context, entry: Entry) -> Outcome[R]:
        began = time.monotonic()
        downloads = {tab: tab.page.downloads.count for tab in context.tabs}
        place = place_in(context.current) if context.current else (0, "")
        result = await self._deadline.limit(action.perform(context))
        tab = context.current
        if tab is None or not action.shows_page or (tab.lock.locked() and not self._hold.has(tab)):
            return self._outcomes.build(action, result)
        start = StartState(began, frozenset(), downloads=downloads.get(tab, 0), place=place)
        return await self._show(action, result, tab, start, entry)

    async def _show(self, action: Action[R], result: R, tab: Tab, start: StartState, entry: Entry) -> Outcome[R]:
        """Return the outcome of an action that is done, with what changed in a tab."""
        entry.tab, entry.url = tab.id, tab.url
        async with TabLock(tab, self._deadline, Effect.READ, self._hold):
            self._batch_changes.begin_step(tab)
            reporter = PageReporter(self._session, self._deadline, self._options.quiet, self._may_show)
            outcome = self._outcomes.build(action, result, tab, await reporter.report(action, tab, start))
            self._batch_changes.end_step(tab, outcome, is_told=False)
            return outcome

    async def _run_without_page(
        self, action: Action[R], entry: Entry, perform: Callable[[], Awaitable[R]]
    ) -> Outcome[R]:
        """Run an action on the set of sessions, or on files, which needs no browser."""
        permission = self._check_permission(action, entry)

        async def attempt() -> Attempt:
            question = await self._find_question_without_tab(permission, entry, None)
            if question is not None:
                return question
            return self._outcomes.build(action, await self._deadline.limit(perform()))

        return await self._take_turns(permission, attempt)

    async def _fetch(self, action: FetchAction[R], entry: Entry) -> R:
        options, deadline = self._options, self._deadline
        call = WebCall(action, entry, deadline, options.channel, self._open_context, self.report)
        return await action.perform(self._session.web.for_call(call))

    async def _run_by_person(self, action: PersonAction[R], entry: Entry) -> Outcome[R]:
        """Let a person drive the tab, and return what changed. The time that the person takes does not count."""
        context = await self._open_context()
        tab = await self._deadline.limit(context.tab(self._options.tab))
        entry.tab, entry.url = tab.id, tab.url
        await self._admit(action, entry, lambda: tab)
        self._hold.release()
        start, began = StartState.of(tab), time.monotonic()
        result = await action.perform(self._session.handoffs, tab, self.report)
        self._deadline.extend(time.monotonic() - began)
        async with self._session.driver.turn(self.report, has_begun=True):
            # The person may have closed the tab and gone on in another.
            shown = await self._deadline.limit(context.tab(tab.id if tab in context.tabs else None))
            return await self._show(action, result, shown, start, entry)

    def _may_show(self, tab: Tab) -> bool:
        """Whether the caller may read a page without asking: acting on a page must not be a way to read it.

        That is decided once for each address in a call.
        """
        url = tab.url
        page = (tab.id, url, url.origin)
        if page not in self._shown:
            is_allowed = self._session.network.may_show(url)
            self._shown[page] = is_allowed and self._session.gate.may_read(place_of(self._session.name, tab))
        return self._shown[page]

    @property
    def _deadline(self) -> Deadline:
        assert self._current_deadline is not None
        return self._current_deadline

    def _lock(self, tab: Tab, action: AnyAction) -> TabLock:
        return TabLock(tab, self._deadline, action.effect, self._hold)

    async def _open_context(self) -> Context:
        """Return the session's context. Starting a browser, or installing one, does not count as the action's time."""
        began = time.monotonic()
        context = await self._session.context(self.report)
        self._deadline.extend(time.monotonic() - began)
        self._context, self._deadline.lost = context, context.lost
        return context

    async def _admit(self, action: AnyAction, entry: Entry, tab: Callable[[], TabInfo | None] = lambda: None) -> None:
        """Return when an action that needs no turn may run. Raises Denied."""
        permission = self._check_permission(action, entry)
        while question := await self._find_question_without_tab(permission, entry, tab()):
            await self._ask(question, permission.ask(question))

    async def _find_question_without_tab(
        self, permission: PermissionCheck[Any], entry: Entry, tab: TabInfo | None
    ) -> ApprovalRequest | None:
        """Raise if an action that needs no tab's lock may not run; return the question to a person, if there is one."""
        refuse_unreachable(self._session.network, permission.action, entry, None)
        self._places = (place_of(self._session.name, tab),)
        return await permission.check(self._places, lambda: find_dialog(tab))

    def _check_permission(self, action: Action[R], entry: Entry) -> PermissionCheck[R]:
        return PermissionCheck(self._session.gate, action, entry, self._options.channel, self._grants)

    async def _find_question(self, permission: PermissionCheck[Any], tab: Tab) -> ApprovalRequest | None:
        with note_losses(tab):
            places = await find_places(permission.action, self._session.name, tab)
        self._places = places
        return await permission.check(places, lambda: self._find_shown(permission.action, tab))

    async def _find_shown(self, action: AnyAction, tab: Tab) -> Shown:
        with note_losses(tab):
            return await find_shown(action, tab)

    async def _ask(self, question: ApprovalRequest, asking: Awaitable[T]) -> T:
        """Wait for a person's answer, which does not count as the action's time. Other calls may use the tab."""
        self._hold.release()
        began = time.monotonic()
        self.report(f"Waiting for a person's answer: {question.question}")
        answer = await self._session.driver.until_stopped(asking)
        self._deadline.extend(time.monotonic() - began)
        return answer

    async def ask_ahead(self, actions: Sequence[AnyAction], /) -> None:
        """Ask once for all the steps that can be shown to a person now, before the first of them runs."""
        approver = self._session.gate.approvals.approver(self._options.channel)
        if approver is None or not self._session.has_pages:
            return
        tab = await self._deadline.limit((await self._open_context()).tab(self._options.tab))
        async with TabLock(tab, self._deadline, Effect.READ, self._hold):
            if tab.page.dialogs.open:
                return
            finding = step_requests(actions, self._session.gate, self._session.name, tab)
            requests = await self._deadline.limit(unless_dialog(tab, finding))
        approvals = self._session.gate.approvals
        answered = [request for request in requests if await approvals.has_answer(request, approver)]
        self._grants += granted(self._session.gate, answered)
        left = [request for request in requests if request not in answered]
        if len(left) > 1:
            question = combined(left)
            self._grants += await self._ask(question, ask_person(self._session.gate, question, approver))

    @property
    def recordings(self) -> RecordingDesk:
        return self._session.recorder

    def report(self, message: str, done: int = 0, total: int = 0, /) -> None:
        """Report the progress of a batch to the caller."""
        self._options.report(message, done, total)
