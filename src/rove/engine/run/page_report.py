"""What is reported of a page after an action: what changed, what is still pending, and what may not be shown."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.action import AnyAction, Effect
from rove.advice import Advice
from rove.browser.page_data import MAX_URL_LENGTH
from rove.engine.approval.action_targets import place_of
from rove.engine.run.address_check import add_failure_event, add_status_event
from rove.engine.run.changes import observe_late_changes
from rove.engine.run.deadline import Deadline
from rove.engine.run.look import Look
from rove.engine.run.settle import KEEPS_NAVIGATING, StartState, place_in
from rove.engine.run.tab_lock import unless_crashed
from rove.errors import DeadlineExceeded
from rove.outcome import Changes, Own, PageText, Passage, Text
from rove.target import targets_in
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.engine.run.session_view import SessionView

NO_CHANGES = Changes()
MAX_REFUSED_FIELDS = 5
# Seconds to wait for the title of a page that may be busy, where the action itself needs no answer of the page.
TITLE_SECONDS = 0.3
BUSY_PAGE = Advice("the page is busy and could not be looked at: take a {snapshot} later")
SILENT_PROXY = Advice("rove's own proxy does not answer yet, and is started again if it stays so: {wait}")
SILENT_SERVER = Advice("the server has not answered yet: wait for it with {wait}, or {navigate} elsewhere")


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
    for field in fields[:MAX_REFUSED_FIELDS]:
        tab.page.events.add("form not submitted" if field.stops_form else "field not valid", field.told)
    if len(fields) > MAX_REFUSED_FIELDS:
        tab.page.events.add("form not submitted", Own(f"{len(fields) - MAX_REFUSED_FIELDS} more fields are not valid."))
