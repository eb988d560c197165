"""The outcome of an action: its result with the tab, the changes of the page, events and refused hosts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action
from rove.advice import Names, insert_names, insert_names_if_advice
from rove.browser.page_state import DIALOG_OPEN
from rove.engine.network_access import NetworkAccess
from rove.engine.proxy_loss import PROXY_RESTARTED
from rove.engine.run.batch_changes import BatchChanges
from rove.engine.run.look import LOOK_CHANGED
from rove.engine.run.page_report import PageReport
from rove.outcome import NOWHERE, Changes, Event, Outcome, Own, PageText, Result

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

R = TypeVar("R", bound=Result)
MAX_REFUSALS = 5
REFUSED = Own("refused")
DOWNLOAD_STARTED = Own("download started")
DOWNLOAD_ADVICE = Own("A later answer tells when the download is complete; {downloads} with `wait` waits for it.")


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
