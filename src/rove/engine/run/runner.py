"""The path of one action, top to bottom."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rove.action import Action, AnyAction, CompositeAction, ContextAction, Effect, SessionsAction, TabAction
from rove.advice import Advice, Names, named, named_if_advice
from rove.browser.failures import PageStuck
from rove.browser.tab import Tab
from rove.engine.approval.action_targets import dialog_of, elements_of, places_of
from rove.engine.approval.batch_approval import batch_request
from rove.engine.approval.permission import Grant, PermissionCheck, ask_person
from rove.engine.journal import Entry
from rove.engine.run.changes import observe_changes
from rove.engine.run.deadline import LEAVE_IT, Deadline
from rove.engine.run.settle import KEEPS_NAVIGATING, Before, settle
from rove.engine.run.tab_lock import TabLock, unless_crashed, unless_dialog
from rove.errors import DeadlineExceeded, NavigationFailed, RoveError
from rove.guard.policy.policy import Place
from rove.outcome import AnyOutcome, Changes, Event, Outcome, Result, origin_in
from rove.record import dataclass

if TYPE_CHECKING:
    from rove.browser.context import Context
    from rove.browser.tab import TabInfo
    from rove.engine.run.session_view import SessionView
    from rove.guard.policy.approval import ApprovalRequest, Approver, ShownElement

R = TypeVar("R", bound=Result)
T = TypeVar("T")
NOTHING_SEEN = Changes()
BUSY = Advice("the page is busy and could not be looked at: take a {snapshot} later")
UNANSWERED = "{server} has not answered yet: wait for it with {wait}, or {navigate} elsewhere"
REFUSALS_TOLD = 5
Report = Callable[[str, int, int], None]


def silent(message: str, done: int, total: int) -> None:
    """Nobody wants to hear of progress."""


class Run:
    """One action on its way: gate, perform, settle, observe."""

    def __init__(
        self,
        session: SessionView,
        tab: str | None,
        timeout: float | None,
        report: Report,
        quiet: bool,
        channel: Approver | None,
        names: Names,
    ) -> None:
        self._session = session
        self._names = names
        self._channel = channel
        self._grants: list[Grant] = []
        self._tab_name = tab
        self._given = timeout
        self._again = "a new one is started" if session.settings.attach is None else "rove connects anew"
        # Of the action that runs now; while a batch runs, of its step.
        self._deadline: Deadline | None = None
        self._began = time.monotonic()
        self._quiet = quiet
        self._report = report

    async def run(self, action: Action[R]) -> Outcome[R]:
        """Run an action, or a step of one that is made of others, whose time all steps share."""
        whole, seconds = self._deadline, self._given or self._allowance(action)
        self._deadline = Deadline(seconds, self._again) if whole is None else whole.part(seconds)
        try:
            return await self._recorded(action)
        except RoveError as error:
            error.hint = named(error.hint, self._names)
            raise
        finally:
            self._deadline = whole

    def _allowance(self, action: AnyAction) -> float:
        """Seconds for an action when the caller gave none; those of a batch are the sum of its steps'."""
        if isinstance(action, CompositeAction):
            return sum(map(self._allowance, action.actions))
        return self._session.settings.deadlines.action + action.takes

    @property
    def _time(self) -> Deadline:
        assert self._deadline is not None
        return self._deadline

    async def _recorded(self, action: Action[R]) -> Outcome[R]:
        began = time.monotonic()
        async with self._session.journal.entry(action) as entry:
            outcome = await self._dispatch(action, entry)
            entry.note(outcome.result.error)
            entry.attachments = () if outcome.result.parts else outcome.attachments
        return _timed(outcome, time.monotonic() - began)

    async def _dispatch(self, action: AnyAction, entry: Entry) -> AnyOutcome:
        if isinstance(action, TabAction):
            return await self._on_tab(action, entry)
        if isinstance(action, ContextAction):
            return await self._on_context(action, entry)
        await self._admit(action, entry)
        if isinstance(action, CompositeAction):
            return self._outcome(action, await action.perform(self))
        assert isinstance(action, SessionsAction)
        return self._outcome(action, await self._time.enforce(action.perform(self._session.directory)))

    async def _on_tab(self, action: TabAction[R], entry: Entry) -> Outcome[R]:
        context = await self._context()
        tab = await self._time.enforce(context.tab(self._tab_name))
        entry.tab, entry.url = tab.id, tab.url
        permission, fresh = self._permission(action, entry), tab
        while True:
            async with TabLock(tab, self._time.moment, action.effect):
                if action.effect is not Effect.NAVIGATE:  # whoever leaves a page need not answer it first
                    with _quoting(tab):
                        tab.page.dialogs.raise_if_open()
                    if tab.page.awaited_server:
                        await tab.page.finish_navigation()
                self._refuse_unreachable(action, entry, tab)
                question = await self._time.enforce_on(
                    tab, unless_dialog(tab, self._question(permission, tab)), _aim_of(action)
                )
                if question is None:
                    fresh = await self._cleared(action, tab, context)
                    if fresh is tab:
                        try:
                            return await self._acted(permission.action, tab)
                        except PageStuck:
                            fresh = await self._unstuck(action, tab, context)
            if question is None:
                async with TabLock(fresh, self._time.moment, action.effect):
                    return await self._acted(permission.action, fresh)
            # Nobody else waits for this tab while a person makes up their mind; it is looked at again afterwards.
            await self._ask(question, permission.ask(question))

    async def _cleared(self, action: AnyAction, tab: Tab, context: Context) -> Tab:
        """The tab to act on: another under the same id, where a page is stuck that is to be left."""
        if action.destination is None or not tab.is_stuck:
            return tab
        return await self._time.enforce(context.unblock_tab(tab))

    async def _unstuck(self, action: AnyAction, tab: Tab, context: Context) -> Tab:
        """Another tab under the same id, to go on with where the page did not let itself be left."""
        if action.destination is None:
            tab.is_unresponsive = True
            raise DeadlineExceeded("The page is busy and lets nothing else run.", hint=LEAVE_IT)
        return await self._time.enforce(context.replace_tab(tab, "its page did not let itself be left"))

    async def _acted(self, action: Action[R], tab: Tab) -> Outcome[R]:
        assert isinstance(action, TabAction)
        if action.effect is not Effect.READ:
            tab.allow_changes(self._session.secrets)
        before = Before.of(tab)
        with _quoting(tab):
            result = await self._arrived(action, tab, before)
            return await self._seen(action, result, tab, before)

    async def _arrived(self, action: TabAction[R], tab: Tab, before: Before) -> R:
        """Perform it; if it was to lead somewhere and the guard kept it from there, say so in the guard's words."""
        try:
            result = await self._performed(action, tab)
        except NavigationFailed:
            document = tab.page.requests.document
            for url in (document.url if document else "", action.destination or ""):
                self._session.network.explain(url, before.moment)
            raise
        if action.effect is Effect.NAVIGATE:
            self._session.network.refuse_document(tab.page.requests.document)
        return result

    async def _performed(self, action: TabAction[R], tab: Tab) -> R:
        # Whoever leaves a page is not held up by its dialogs, and told of those of the next.
        unless = unless_crashed if action.effect is Effect.NAVIGATE else unless_dialog
        result = await self._time.enforce_on(tab, unless(tab, action.perform(tab)), _aim_of(action))
        tab.is_unresponsive = False
        return result

    async def _on_context(self, action: ContextAction[R], entry: Entry) -> Outcome[R]:
        context = await self._context()
        await self._admit(action, entry, lambda: action.concerns(context))
        began = time.monotonic()
        downloads = {tab: tab.page.downloads.count for tab in context.tabs}
        result = await self._time.enforce(action.perform(context))
        tab = context.current
        if tab is None or not action.shows_page or tab.lock.locked():
            return self._outcome(action, result)
        entry.tab, entry.url = tab.id, tab.url
        before = Before(began, frozenset(), downloads=downloads.get(tab, 0))
        async with TabLock(tab, self._time.moment, Effect.READ):  # what there was to do is done
            return await self._seen(action, result, tab, before)

    async def _context(self) -> Context:
        """The session's context; starting a browser, or even installing one, is not on the action's time."""
        asked = time.monotonic()
        context = await self._session.context(self._say)
        self._time.extend(time.monotonic() - asked)
        self._time.lost = context.lost
        return context

    async def _admit(self, action: AnyAction, entry: Entry, tab: Callable[[], TabInfo | None] = lambda: None) -> None:
        """For what is not done on one tab, though it may be about one."""
        self._refuse_unreachable(action, entry, None)
        permission = self._permission(action, entry)
        while question := await permission.question((_place(self._session.name, tab()),), lambda: dialog_of(tab())):
            await self._ask(question, permission.ask(question))

    def _refuse_unreachable(self, action: AnyAction, entry: Entry, tab: Tab | None) -> None:
        entry.decision = "denied"
        if action.destination is not None:
            self._session.network.refuse(action.destination)
        elif tab is not None and action.effect is not Effect.NAVIGATE:
            # What lies at a forbidden address is not read either, however the tab came there.
            self._session.network.refuse(tab.url)
            if action.is_about_page:
                self._refuse_failed(entry, tab)
        entry.decision = "undecided"

    def _refuse_failed(self, entry: Entry, tab: Tab) -> None:
        try:
            self._session.network.refuse_document(tab.page.requests.document)
        except NavigationFailed:
            entry.decision = "undecided"  # nobody said no: there is nothing to do it to
            raise

    def _permission(self, action: Action[R], entry: Entry) -> PermissionCheck[R]:
        return PermissionCheck(self._session.gate, action, entry, self._channel, self._grants)

    async def _question(self, permission: PermissionCheck[Any], tab: Tab) -> ApprovalRequest | None:
        with _quoting(tab):
            places = await places_of(permission.action, self._session.name, tab)
        return await permission.question(places, lambda: self._elements(permission.action, tab))

    async def _elements(self, action: AnyAction, tab: Tab) -> tuple[ShownElement, ...]:
        with _quoting(tab):
            return await elements_of(action, tab)

    async def _ask(self, question: ApprovalRequest, asking: Awaitable[T]) -> T:
        """A person's time is not the action's."""
        asked = time.monotonic()
        self._say(f"Waiting for a person's answer: {question.question}")
        answer = await asking
        self._time.extend(time.monotonic() - asked)
        return answer

    async def _seen(self, action: Action[R], result: R, tab: Tab, before: Before) -> Outcome[R]:
        """Settle, look, and tell what changed."""
        seen = _Seen()
        if action.shows_page and tab.page.dialogs.open is None:
            try:
                looking = tab.page.dialogs.run_until_dialog(unless_crashed(tab, self._look(tab, before, seen)))
                await self._time.enforce(looking, self._time.reserve, "the page to be looked at")
            except DeadlineExceeded as error:
                with_cause = await self._time.with_cause(tab, error)
                if action.effect is Effect.NAVIGATE or not tab.is_unresponsive:
                    raise with_cause from None
                seen.pending = (BUSY,)  # what was to be done is done, and must not be done again
        await self._session.arrivals()
        self._note_failure(tab, before)
        if tab.page.keeps_navigating and not seen.pending:
            seen.pending = (KEEPS_NAVIGATING,)
        return self._outcome(action, result, tab, seen.changes, seen.pending)

    def _note_failure(self, tab: Tab, before: Before) -> None:
        """A link that leads nowhere ends at a page of the guard's, which says less than the guard knows."""
        document = tab.page.requests.document
        if document is None or document is before.document:
            return
        try:
            self._session.network.refuse_document(document)
        except NavigationFailed as error:
            tab.page.events.add("request failed", error.message)
        except RoveError:
            return  # told among the refusals

    def _may_look(self, tab: Tab) -> bool:
        """An act is no way to read, by the by, a page that may not be read, or that a person is asked about."""
        return self._session.network.may_show(tab.url) and self._session.gate.lets_read(_place(self._session.name, tab))

    async def _look(self, tab: Tab, before: Before, seen: _Seen) -> None:
        seen.pending = await settle(tab, before, glance=not self._quiet)
        # A page that keeps navigating always has another document on its way: it is held and looked at instead.
        if not tab.page.keeps_navigating and (server := tab.page.awaited_server):
            seen.pending = (Advice(UNANSWERED, server=server),)
            return
        changes = await observe_changes(tab, silent=self._quiet) if self._may_look(tab) else NOTHING_SEEN
        # Asked again, as the page may have gone elsewhere in that moment.
        if self._may_look(tab):
            seen.changes = changes
        else:
            tab.observer.clear_seen()
            told = (
                "The policy does not" if self._session.network.may_show(tab.url) else "The rules for addresses do not"
            )
            tab.page.events.add("not shown", f"{told} let this page be read just like that.")

    def _outcome(
        self, action: Action[R], result: R, tab: Tab | None = None, changes: Changes | None = None,
        pending: tuple[str, ...] = (),
    ) -> Outcome[R]:  # fmt: skip
        return Outcome(
            action=action.verb,
            result=result,
            session=self._session.name,
            tab=tab.id if tab else None,
            url=tab.url if tab else None,
            title=tab.observer.seen.plain_title if tab and tab.observer.seen else None,
            changes=changes or Changes(),
            events=tuple(map(self._named, (*self._refusals(), *(_events(tab) if tab else ())))),
            pending=tuple(named_if_advice(what, self._names) for what in pending),
            attachments=result.attachments,
        )

    def _named(self, event: Event) -> Event:
        text, advice = named_if_advice(event.text, self._names), named(event.advice, self._names)
        return Event(event.kind, text, advice)

    def _refusals(self) -> Iterator[Event]:
        """What the guard kept the page from since this call began."""
        news = self._session.network.news(self._began)
        yield from (Event("refused", message) for message in news[:REFUSALS_TOLD])
        if len(news) > REFUSALS_TOLD:
            yield Event("refused", f"{len(news) - REFUSALS_TOLD} more hosts.")

    async def ask_ahead(self, actions: Sequence[AnyAction], /) -> None:
        """Ask once for all the steps that can be shown to a person now, before the first of them is done."""
        approver = self._session.gate.approvals.approver(self._channel)
        if approver is None or not self._session.has_pages:
            return
        tab = await (await self._context()).tab(self._tab_name)
        async with TabLock(tab, self._time.moment, Effect.READ):
            if tab.page.dialogs.open:
                return
            ahead = batch_request(actions, self._session.gate, self._session.name, tab)
            question = await self._time.enforce(unless_dialog(tab, ahead))
        if question is not None:
            self._grants += await self._ask(question, ask_person(self._session.gate, question, approver))

    def report(self, message: str, done: int, total: int, /) -> None:
        self._report(message, done, total)

    def _say(self, message: str) -> None:
        self._report(message, 0, 0)


@dataclass
class _Seen:
    """What was seen of the page after an act, as far as a dialog did not come in between."""

    changes: Changes = NOTHING_SEEN
    pending: tuple[str, ...] = ()


@contextlib.contextmanager
def _quoting(tab: Tab) -> Generator[None]:
    """What goes wrong may be told in words of the page, which must be known as such."""
    try:
        yield
    except RoveError as error:
        error.origin = (error.origin or origin_in(tab.url)) if error.quotes_page else None
        raise


def _place(session: str, tab: TabInfo | None) -> Place:
    return Place(session, tab.id, tab.url) if tab else Place(session)


def _aim_of(action: AnyAction) -> str:
    return "page load" if action.effect is Effect.NAVIGATE else action.verb.replace("_", " ")


def _events(tab: Tab) -> tuple[Event, ...]:
    page_events = tab.page.events.take_unreported()
    events = [Event(event.kind, str(event), event.advice) for event in page_events]
    if dialog := tab.page.dialogs.open:
        events.append(Event("dialog open", str(dialog), advice="Answer the dialog with {dialog}."))
    return tuple(events)


def _timed(outcome: AnyOutcome, seconds: float) -> AnyOutcome:
    return replace(outcome, seconds=round(seconds, 4))
