"""What is told of a page after an action: what changed, what is pending, what may not be shown."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, AnyAction, Effect
from rove.advice import Advice, Names, insert_names, insert_names_if_advice
from rove.browser.page_data import MAX_URL_LENGTH
from rove.browser.page_state import DIALOG_OPEN
from rove.engine.deadline import Deadline, unless_crashed
from rove.engine.network_access import PROXY_RESTARTED, NetworkAccess, add_failure_event, add_status_event
from rove.engine.permission import place_of
from rove.engine.settle import (
    KEEPS_NAVIGATING,
    NAMED_TIMER_SECONDS,
    STILL_LOADING,
    StartState,
    Unfinished,
    place_in,
    settle,
)
from rove.errors import DeadlineExceeded
from rove.outcome import AnyOutcome, Changes, Event, Outcome, Passage, Result, origin_in
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.records import dataclass
from rove.snapshot import Snapshot, difference, gone_again, render
from rove.target import targets_in

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.engine.run_request import SessionView

TOGETHER = "Changed by the steps together:"

# Seconds to look before saying that nothing changed. What comes later is told with the next answer.
LOOK_SECONDS = 0.4
# With stealth the page's timers are not known: look for as long as a timer would be waited for.
STEALTH_LOOK_SECONDS = 1.1
LOOK_CHANGED = "looks different"
NO_CHANGES = Changes()
MAX_REFUSED_FIELDS = 5
# Seconds to wait for the title of a page that may be busy, where the action itself needs no answer of the page.
TITLE_SECONDS = 0.3
BUSY_PAGE = Advice("the page is busy and could not be looked at: take a {snapshot} later")
SILENT_PROXY = Advice("rove's own proxy does not answer yet, and is started again if it stays so: {wait}")
SILENT_SERVER = Advice("the server has not answered yet: wait for it with {wait}, or {navigate} elsewhere")
R = TypeVar("R", bound=Result)
MAX_REFUSALS = 5
REFUSED = Own("refused")
DOWNLOAD_STARTED = Own("download started")
DOWNLOAD_ADVICE = Own("A later answer tells when the download is complete; {downloads} with `wait` waits for it.")


def whole_page(tab: Tab, snapshot: Snapshot) -> Changes:
    """Return a page that the agent has not seen yet, within the token budget."""
    page = render(snapshot, tab.settings.observing.budget)
    return Changes("page", page.passages, page.tokens)


def changes_between(tab: Tab, before: Snapshot, after: Snapshot, looked: float | None = None) -> Changes:
    """Return how two snapshots of a tab differ, within the token budget.

    `looked`: for how many seconds changes were looked for, which is said if there are none.
    """
    delta = difference(before, after, tab.settings.observing.changes, looked=looked)
    if delta.kind == "page" or before.url == after.url:
        return Changes(delta.kind, delta.passages, delta.tokens)
    # A script, or a link within the page, has changed the address of the document.
    moved = Passage(f"Now at {after.title} {after.url[:MAX_URL_LENGTH]}", "")
    return Changes("changes", (moved, *(() if delta.kind == "same" else delta.passages)), delta.tokens)


async def observe_late_changes(tab: Tab, targets: Sequence[str], describes: bool) -> Changes:
    """Return what changed since the last answer, before the next action can be taken for its cause.

    The page is asked for the elements of that action in the same call, and by what they can be found later if it
    `describes` them.
    """
    before = tab.observer.seen
    if not await tab.begin(targets, describes) or before is None or not shows_seen_document(tab):
        return Changes()
    after = await tab.observer.take_snapshot()
    if not shows_seen_document(tab):
        return Changes()
    tab.observer.mark_seen(after)
    changes = changes_between(tab, before, after)
    return Changes() if changes.kind == "same" else changes


def shows_seen_document(tab: Tab) -> bool:
    """Whether the tab still shows the document of which the agent has seen a snapshot."""
    return tab.observer.seen_document == tab.page.load_state.documents


@dataclass
class _TabHistory:
    """The snapshots of a tab in a batch: those that the agent was told of completely, and those since."""

    tab: Tab
    document: int
    began: float = field(default_factory=time.monotonic)
    # What had changed after the last answer and before the first step; None until that step is done.
    earlier: Changes | None = None
    told: list[Snapshot] = field(default_factory=list[Snapshot])
    looks: list[Snapshot] = field(default_factory=list[Snapshot])


class BatchChanges:
    """Remembers how each tab was before the first step on it, and each look at it since."""

    def __init__(self) -> None:
        self._histories: dict[str, _TabHistory] = {}
        # The tab of the last step that was begun.
        self.tab: Tab | None = None

    @property
    def tabs(self) -> list[Tab]:
        """The tabs that steps have acted on, the last one first."""
        tabs = [history.tab for history in self._histories.values()]
        return sorted(tabs, key=lambda tab: tab is not self.tab)

    def begin_step(self, tab: Tab) -> None:
        """Note how a tab is before a step; a tab whose page was replaced, or restored, begins anew."""
        self.tab = tab
        known = self._histories.get(tab.id)
        if known is None or known.tab is not tab:
            seen = [tab.observer.seen] if tab.observer.seen else []
            self._histories[tab.id] = _TabHistory(tab, tab.observer.seen_document, told=seen)

    def end_step(self, tab: Tab, outcome: AnyOutcome, is_told: bool) -> None:
        """Note how a tab is after a step; `is_told`: whether the step's own result shows it."""
        history, seen = self._histories[tab.id], tab.observer.seen
        history.earlier = history.earlier or outcome.earlier
        history.looks.extend(tab.observer.moments)
        if seen is None or any(seen is known for known in (*history.told, *history.looks)):
            return
        if is_told:
            history.told.append(seen)
            history.document = tab.observer.seen_document
        else:
            history.looks.append(seen)

    def earlier(self) -> Changes:
        """Return what had changed in the tabs before the first step on each of them."""
        found = [(tab, self._histories[tab.id].earlier or Changes()) for tab in self.tabs]
        return self._join([(tab, changes) for tab, changes in found if changes.passages])

    def changes(self) -> Changes:
        """Return what changed in all tabs, that of the last step first."""
        found = [(tab, changes) for tab in self.tabs if (changes := _changes_of(self._histories[tab.id])) is not None]
        return self._join(found)

    def _join(self, found: list[tuple[Tab, Changes]]) -> Changes:
        if not found:
            return Changes()
        is_one = len(found) == 1 and found[0][0] is self.tab
        passages = [passage for tab, changes in found for passage in _placed(tab, changes, is_named=not is_one)]
        kind = found[0][1].kind if found[0][0] is self.tab else "changes"
        return Changes(kind, tuple(passages), sum(changes.tokens for _, changes in found))


def _placed(tab: Tab, changes: Changes, is_named: bool) -> list[Passage]:
    """Return the passages with the tab's own origin, after the tab's id if there are several."""
    heading = [Passage(f"In {tab.id}:")] if is_named else []
    return [*heading, *(passage.of(origin_in(tab.url)) for passage in changes.passages)]


def _changes_of(history: _TabHistory) -> Changes | None:
    """Return what changed in one tab; None if there is nothing to tell of it."""
    after = history.tab.observer.seen
    if after is None or not history.looks:
        return None  # no step looked at it, or the agent may not read it
    if not history.told or history.document != history.tab.observer.seen_document:
        return whole_page(history.tab, after)
    is_told = after is history.told[-1]
    changes = Changes() if is_told else _difference(history, after)
    moment = gone_again([*history.told, after], history.looks)
    if not moment:
        return None if is_told else changes
    lasting = () if changes.kind == "same" else changes.passages
    return replace(changes, kind="changes", passages=(*lasting, *moment))


def _difference(history: _TabHistory, after: Snapshot) -> Changes:
    """Return the changes under a heading."""
    looked = time.monotonic() - history.began
    changes = changes_between(history.tab, history.told[-1], after, looked)
    heading = [] if changes.kind in ("same", "page") else [Passage(TOGETHER)]
    return replace(changes, passages=(*heading, *changes.passages))


class Look:
    """Waits until a page has settled after an action, and looks at it.

    `waits`: whether the action is meant to change the page, so that it is worth waiting for. A script that returns a
    value, or a wait, is not: where nothing changed, their answers say nothing of changes.
    """

    def __init__(self, tab: Tab, start: StartState, waits: bool) -> None:
        self._tab = tab
        self._start = start
        self._waits = waits
        self._began = time.monotonic()
        self._until = self._began + (STEALTH_LOOK_SECONDS if tab.settings.stealth else LOOK_SECONDS)
        self._is_same = False
        self.unfinished = Unfinished()

    async def settle(self, read_rows: bool) -> None:
        """Wait until everything that the action started is over."""
        self.unfinished = await settle(self._tab, self._start, read_rows)

    def skip_settling(self) -> None:
        """Look at the page as it is, even if it is still loading."""
        is_loaded = self._tab.page.load_state.has_reached("load")
        self.unfinished = Unfinished(() if is_loaded else (STILL_LOADING,))

    async def observe(self) -> Changes:
        """Return what changed, or that nothing did and for how long changes were looked for."""
        before = self._tab.observer.seen
        changes, after = await self._compare(before)
        while self._expects_more(changes) and not _has_scrolled(before, after):
            await self._tab.observer.wait_for_effect(self._left)
            await self.settle(read_rows=True)
            changes, after = await self._compare(before)
        if changes.kind == "same" and self._waits and (look := await self._tab.effects.changed_look()):
            # Rows do not tell looks, so that an event does.
            self._tab.page.events.add(LOOK_CHANGED, look)
            return Changes("changes")
        self._is_same = changes.kind == "same"
        is_told_otherwise = not self._waits or self._tab.observer.refused_fields
        return Changes("same") if self._is_same and is_told_otherwise else changes

    def _expects_more(self, changes: Changes) -> bool:
        """Whether to look again. A form that was not submitted has had its effect: the message of the browser."""
        return changes.kind == "same" and self._waits and self._left > 0 and not self._tab.observer.refused_fields

    @property
    def pending(self) -> tuple[Text, ...]:
        """What is not over. A timer that is long is named only where nothing has changed: most hide a message again."""
        timer = self.unfinished.timer
        is_named = timer and (self._is_same or timer <= NAMED_TIMER_SECONDS)
        named = (Own(f"a timer ({timer:.1f} s left)"),) if is_named else ()
        return (*self.unfinished.pending, *named)

    async def _compare(self, before: Snapshot | None) -> tuple[Changes, Snapshot]:
        is_known, after = shows_seen_document(self._tab), await self._tab.observer.take_snapshot()
        self._tab.observer.mark_seen(after)
        if before is None or not is_known:
            return whole_page(self._tab, after), after
        looked = time.monotonic() - self._began if self._waits else None
        changes = changes_between(self._tab, before, after, looked)
        return self._with_moment(changes, before, after), after

    def _with_moment(self, changes: Changes, before: Snapshot, after: Snapshot) -> Changes:
        """Add what the page showed for a moment only."""
        moment = gone_again((before, after), self._tab.observer.moments)
        if not moment:
            return changes
        lasting = () if changes.kind == "same" else changes.passages
        return replace(changes, kind="changes", passages=(*lasting, *moment))

    @property
    def _left(self) -> float:
        return self._until - time.monotonic()


def _has_scrolled(before: Snapshot | None, after: Snapshot) -> bool:
    return before is not None and before.scroll != after.scroll


@dataclass
class PageReport:
    """What changed on the page, what is still pending, and what had changed before the action.

    The first two are empty if a dialog came first.
    """

    changes: Changes = NO_CHANGES
    pending: tuple[Text, ...] = ()
    earlier: Changes = NO_CHANGES
    # The title, where that is not in what the agent was shown.
    title: PageText | None = None


class PageReporter:
    """Waits until a page is quiet after an action, and reports what changed if the agent may read the page.

    `may_show`: whether it may, without asking: acting on a page must not be a way to read it.
    """

    def __init__(self, session: SessionView, deadline: Deadline, quiet: bool, may_show: Callable[[Tab], bool]) -> None:
        self._session = session
        self._deadline = deadline
        self._quiet = quiet
        self._may_show = may_show

    def reports_earlier(self, action: AnyAction, tab: Tab) -> bool:
        """Whether an action tells what changed on the page that it acts on after the last answer."""
        is_told = action.shows_page and action.effect is not Effect.NAVIGATE and not self._quiet
        return is_told and self._may_show(tab)

    async def report_earlier(self, action: AnyAction, tab: Tab, describes: bool) -> Changes:
        """Return what changed on the page after the last answer.

        With the same question, the page is asked for the elements of the action.
        """
        return await observe_late_changes(tab, tuple(targets_in(action).values()), describes)

    async def report(self, action: AnyAction, tab: Tab, start: StartState) -> PageReport:
        """Return what to tell of the page. Raises DeadlineExceeded if an action that loads a page takes too long."""
        report = PageReport()
        if action.shows_page and tab.page.dialogs.open is None:
            await self._observe_in_time(action, tab, start, report)
        if self._session.awaits_popups:
            # The action is done: a popup that comes later is reported later.
            with contextlib.suppress(DeadlineExceeded):
                await self._deadline.limit(self._session.wait_for_popups())
        document = tab.page.requests.document
        if document is not None and document is not start.document:
            is_of_proxy = add_failure_event(self._session.network, tab)
            if not is_of_proxy and action.effect is not Effect.NAVIGATE:  # whose result tells the status
                add_status_event(tab)
        if tab.page.keeps_navigating and not report.pending:
            report.pending = (KEEPS_NAVIGATING,)
        if action.needs_answers or await tab.page.answers_within(TITLE_SECONDS):
            report.title = await self._title(tab)
        if self._quiet and action.shows_page and self._may_show(tab):
            self._add_place(action, tab, start, report)
        return report

    def _add_place(self, action: AnyAction, tab: Tab, start: StartState, report: PageReport) -> None:
        """Tell where the tab is, to a caller that is not shown the page, after a navigation."""
        if action.effect is Effect.NAVIGATE or place_in(tab) != start.place:
            title = "" if not report.title or report.title in tab.url else f"{_quoted(report.title)} "
            report.changes = Changes("silent", (Passage(f"Now at {title}{tab.url[:MAX_URL_LENGTH]}", ""),))

    async def _title(self, tab: Tab) -> PageText | None:
        """Return the title of a page that the caller is not shown; of others, what it was shown has the title."""
        is_shown = tab.observer.seen is not None and not self._quiet
        return await self._deadline.limit(tab.title()) if not is_shown and self._may_show(tab) else None

    async def _observe_in_time(self, action: AnyAction, tab: Tab, start: StartState, report: PageReport) -> None:
        observing = unless_crashed(tab, self._observe(action, tab, start, report))
        try:
            work = tab.page.dialogs.run_until_dialog(observing)
            await self._deadline.limit(work, self._deadline.reserve, "the page to be looked at")
        except DeadlineExceeded as error:
            with_reason = await self._deadline.add_reason(tab, error, is_load=action.effect is Effect.NAVIGATE)
            if action.effect is Effect.NAVIGATE or not tab.is_unresponsive:
                raise with_reason from None
            # The action itself is done: after an error the agent would repeat it.
            report.pending = (BUSY_PAGE,)

    async def _observe(self, action: AnyAction, tab: Tab, start: StartState, report: PageReport) -> None:
        tab.observer.refused_fields.clear()
        look = Look(tab, start, waits=action.effect not in (Effect.READ, Effect.SCRIPT))
        if action.settles:
            await look.settle(read_rows=not self._quiet)
        else:
            look.skip_settling()
        report.pending = look.unfinished.pending
        # A page that keeps navigating always waits for its next document: it is held and read instead.
        if not tab.page.keeps_navigating and (server := tab.page.awaited_server):
            is_ours = self._session.network.is_proxy_silent
            report.pending = (SILENT_PROXY if is_ours else SILENT_SERVER, server)
            return
        changes = await look.observe() if self._may_show(tab) and not self._quiet else NO_CHANGES
        # Checked again, as the tab may have navigated while the page was read.
        if self._may_show(tab):
            report.changes, report.pending = changes, look.pending
            _add_refused_fields(tab)
            for held in await tab.effects.unkept_values():
                tab.page.events.add("value not kept", held)
        else:
            tab.observer.clear_seen()
            self._add_hidden_event(tab)

    def _add_hidden_event(self, tab: Tab) -> None:
        is_policy = self._session.network.may_show(tab.url)
        rule = "The policy does not" if is_policy else "The address rules do not"
        is_asked = is_policy and self._session.gate.asks_to_read(place_of(self._session.name, tab))
        how = " without asking" if is_asked else ""
        tab.page.events.add("not shown", Own(f"{rule} allow this page to be read{how}."))


def _quoted(title: str) -> str:
    return json.dumps(title, ensure_ascii=False)


def _add_refused_fields(tab: Tab) -> None:
    """Add an event for each of the first fields that the browser's validation refused."""
    fields = tab.observer.refused_fields
    for refused in fields[:MAX_REFUSED_FIELDS]:
        tab.page.events.add("form not submitted" if refused.stops_form else "field not valid", refused.told)
    if len(fields) > MAX_REFUSED_FIELDS:
        tab.page.events.add("form not submitted", Own(f"{len(fields) - MAX_REFUSED_FIELDS} more fields are not valid."))


class OutcomeBuilder:
    """Builds the outcomes of one run, in which actions have the names that the caller has for them."""

    def __init__(self, session: str, network: NetworkAccess, names: Names) -> None:
        self._session = session
        self._network = network
        self._names = names
        self._began = time.monotonic()

    def build(
        self, action: Action[R], result: R, tab: Tab | None = None, report: PageReport | None = None
    ) -> Outcome[R]:
        """Return the outcome, with every event that the agent has not been told of yet."""
        report = report or PageReport()
        events = (*self._refusal_events(), *(_tab_events(tab) if tab else ()))
        return Outcome(
            action=Own(action.verb),
            result=result,
            session=Own(self._session),
            tab=Own(tab.id) if tab else None,
            url=tab.url if tab else None,
            title=_title(tab, report),
            changes=report.changes,
            earlier=report.earlier,
            events=tuple(map(self._with_names, events)),
            pending=tuple(insert_names_if_advice(text, self._names) for text in report.pending),
            attachments=result.attachments,
        )

    def build_batch(self, action: Action[R], result: R, changes: BatchChanges) -> Outcome[R]:
        """Return the outcome of a batch: what its steps changed together, and every event of theirs."""
        # What is pending after a later step was pending after an earlier one too, or is over.
        looked = [part.pending for part in result.parts if part.changes.kind != "silent" or part.pending]
        told = [event for part in result.parts for event in part.events if event.kind != DIALOG_OPEN]
        report = PageReport(_changes_of_batch(changes, result, told), looked[-1] if looked else ())
        report.earlier = changes.earlier()
        others = [self._with_names(event) for tab in changes.tabs[1:] for event in _tab_events(tab)]
        outcome = self.build(action, result, changes.tab, report)
        events = {(event, getattr(event.text, "origin", "")): event for event in (*told, *others, *outcome.events)}
        return replace(outcome, events=tuple(events.values()))

    def _with_names(self, event: Event) -> Event:
        text, advice = insert_names_if_advice(event.text, self._names), insert_names(event.advice, self._names)
        return Event(event.kind, text, advice)

    def _refusal_events(self) -> Iterator[Event]:
        """Yield what the proxy refused to pages since the run began, and that the proxy itself has ended."""
        if ended := self._network.take_proxy_end():
            yield Event(PROXY_RESTARTED, ended)
        messages = self._network.refusals_since(self._began)
        # The hosts in them are names that pages have asked for.
        yield from (Event(REFUSED, PageText(message, NOWHERE)) for message in messages[:MAX_REFUSALS])
        if len(messages) > MAX_REFUSALS:
            yield Event(REFUSED, Own(f"{len(messages) - MAX_REFUSALS} more hosts."))


def _changes_of_batch(changes: BatchChanges, result: Result, events: Sequence[Event]) -> Changes:
    """Return what the steps changed together; of steps whose pages are not shown, where the last of them led."""
    together = changes.changes()
    if together.kind == "silent":
        led = [part.changes for part in result.parts if part.changes.kind == "silent" and part.changes.passages]
        return led[-1] if led else together
    is_told = together.kind == "same" and any(event.kind == LOOK_CHANGED for event in events)
    return Changes("changes") if is_told else together


def _title(tab: Tab | None, report: PageReport) -> PageText | None:
    if report.title is not None or tab is None or tab.observer.seen is None:
        return report.title
    return tab.url.around(tab.observer.seen.plain_title)


def _tab_events(tab: Tab) -> Iterator[Event]:
    """Yield the events of the page that the agent has not been told of, and the dialog that is open."""
    yield from (Event(event.kind, event.told, event.advice) for event in tab.page.events.take_unreported())
    yield from (Event(DOWNLOAD_STARTED, name, DOWNLOAD_ADVICE) for name in tab.page.downloads.take_started())
    if dialog := tab.page.dialogs.open:
        yield Event(Own(DIALOG_OPEN), dialog.told, advice=Own("Answer the dialog with {dialog}."))
