"""The path of one action, top to bottom."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, AnyAction, ContextAction, Effect, HouseAction, RoadAction, TabAction
from rove.chromium.tab import Tab
from rove.chromium.wire import WireError
from rove.engine.journal import Entry
from rove.engine.observation import observe
from rove.engine.settle import KEEPS_NAVIGATING, Before, settle
from rove.errors import BrowserUnavailable, DeadlineExceeded, DialogOpen, PageCrashed, RoveError
from rove.guard.policy import Place
from rove.outcome import AnyOutcome, Attachment, Changes, Event, Outcome

if TYPE_CHECKING:
    from rove.chromium.context import Context
    from rove.engine.session import Session

R = TypeVar("R")
NOTHING_SEEN = Changes()
LETTING_GO = 0.3
NEWS_OF_DEATH = 0.3
BUSY = "the page is busy and could not be looked at: take a browser_snapshot later"
# Kept of every deadline, to find out why it was missed.
RESERVE = 0.3
Report = Callable[[str, int, int], None]


def silent(message: str, done: int, total: int) -> None:
    """Nobody wants to hear of progress."""


class Run:
    """One action on its way: gate, perform, settle, observe."""

    def __init__(self, session: Session, tab: str | None, timeout: float | None, report: Report, quiet: bool) -> None:
        self._session = session
        self._tab_name = tab
        self._given = timeout
        self._timeout = timeout or session.settings.deadlines.action
        self._deadline = time.monotonic() + self._timeout
        self._quiet = quiet
        self._lost: asyncio.Event | None = None
        self._report = report

    async def run(self, action: Action[R]) -> Outcome[R]:
        began = time.monotonic()
        if self._given is None:
            self._timeout = self._session.settings.deadlines.action + action.takes
            self._deadline = began + self._timeout
        with self._session.journal.entry(action) as entry:
            outcome = await self._dispatch(action, entry)
        return _timed(outcome, time.monotonic() - began)

    async def _dispatch(self, action: AnyAction, entry: Entry) -> AnyOutcome:
        if isinstance(action, TabAction):
            return await self._on_tab(action, entry)
        await self._admit(action, entry, None)
        if isinstance(action, RoadAction):
            return self._outcome(action, await action.perform(self))
        if isinstance(action, HouseAction):
            return self._outcome(action, await self._in_time(action.perform(self._session.house)))
        assert isinstance(action, ContextAction)
        return await self._on_context(action, entry)

    async def _on_tab(self, action: TabAction[R], entry: Entry) -> Outcome[R]:
        context = await self._context()
        tab = await context.tab(self._tab_name)
        entry.tab, entry.url = tab.id, tab.url
        async with _Turn(tab, self._deadline, action.effect):
            if action.effect is not Effect.NAVIGATE:  # whoever leaves a page need not answer it first
                tab.dialogs.refuse_if_open()
            await self._admit(action, entry, tab)
            tab.give(self._deadline)
            if action.destination is None or not tab.is_stuck:
                return await self._done(action, tab)
            fresh = await self._in_time(context.unstick(tab))
            if fresh is tab:
                return await self._done(action, tab)
        async with _Turn(fresh, self._deadline, action.effect):
            return await self._done(action, fresh)

    async def _done(self, action: TabAction[R], tab: Tab) -> Outcome[R]:
        if action.effect is not Effect.READ:
            tab.let_move()
        before = Before.of(tab)
        result = await self._performed(action, tab)
        return await self._seen(action, result, tab, before)

    async def _performed(self, action: TabAction[R], tab: Tab) -> R:
        try:
            result = await self._in_time(_unless_dialog(tab, action.perform(tab)), self._reserve, _aim_of(action))
        except DeadlineExceeded as error:
            raise await self._blamed(tab, error) from None
        tab.is_suspect = False
        return result

    @property
    def _reserve(self) -> float:
        return min(RESERVE, self._timeout / 10)

    async def _blamed(self, tab: Tab, error: DeadlineExceeded) -> DeadlineExceeded:
        """Find out whether it is the page's own doing that time ran out."""
        tab.is_suspect = not await tab.answers(self._reserve)
        if tab.is_suspect:
            reason = f"{error.message}: the page is busy and lets nothing else run"
            return DeadlineExceeded(reason, hint="Wait and try again, or leave the page with browser_navigate.")
        if server := tab.traffic.silent_server:
            hint = f"{server} has not answered: try again later, or allow more time with `timeout`."
            return DeadlineExceeded(error.message, hint=hint)
        return error

    async def _on_context(self, action: ContextAction[R], entry: Entry) -> Outcome[R]:
        context = await self._context()
        began = time.monotonic()
        downloads = {tab: tab.downloads.begun for tab in context.tabs}
        result = await self._in_time(action.perform(context))
        tab = context.current
        if tab is None or not action.shows_page or tab.lock.locked():
            return self._outcome(action, result)
        entry.tab, entry.url = tab.id, tab.url
        before = Before(began, frozenset(), downloads=downloads.get(tab, 0))
        async with _Turn(tab, self._deadline, Effect.READ):  # what there was to do is done
            return await self._seen(action, result, tab, before)

    async def _context(self) -> Context:
        """The session's context; starting a browser, or even installing one, is not on the action's time."""
        context = await self._session.context(self._say)
        self._deadline = time.monotonic() + self._timeout
        self._lost = context.lost
        return context

    async def _admit(self, action: AnyAction, entry: Entry, tab: Tab | None) -> None:
        place = Place(self._session.name, tab.id, tab.url) if tab else Place(self._session.name)
        entry.decision = "denied"
        asked = time.monotonic()
        entry.decision = await self._session.gate.admit(action, place)
        self._deadline += time.monotonic() - asked

    async def _seen(self, action: Action[R], result: R, tab: Tab, before: Before) -> Outcome[R]:
        """Settle, look, and tell what changed."""
        seen = _Seen()
        if action.shows_page and tab.dialogs.open is None:
            try:
                looking = tab.dialogs.interrupts(_unless_crashed(tab, self._look(tab, before, seen)))
                await self._in_time(looking, self._reserve, "the page to be looked at")
            except DeadlineExceeded as error:
                blamed = await self._blamed(tab, error)
                if action.effect is Effect.NAVIGATE or not tab.is_suspect:
                    raise blamed from None
                seen.pending = (BUSY,)  # what was to be done is done, and must not be done again
        await self._session.arrivals()
        if tab.is_restless and not seen.pending:
            seen.pending = (KEEPS_NAVIGATING,)
        return self._outcome(action, result, tab, seen.changes, seen.pending)

    async def _look(self, tab: Tab, before: Before, seen: _Seen) -> None:
        seen.pending = await settle(tab, before, glance=not self._quiet)
        seen.changes = await observe(tab, silent=self._quiet)

    def _outcome(
        self, action: Action[R], result: R, tab: Tab | None = None, changes: Changes | None = None,
        pending: tuple[str, ...] = (),
    ) -> Outcome[R]:  # fmt: skip
        attachments: tuple[Attachment, ...] = getattr(result, "attachments", ())
        return Outcome(
            action=action.verb,
            result=result,
            session=self._session.name,
            tab=tab.id if tab else None,
            url=tab.url if tab else None,
            title=tab.seen.plain_title if tab and tab.seen else None,
            changes=changes or Changes(),
            events=_events(tab) if tab else (),
            pending=pending,
            attachments=attachments,
        )

    async def _in_time(self, work: Awaitable[R], reserve: float = 0, aim: str = "an answer") -> R:
        try:
            async with asyncio.timeout(max(self._deadline - reserve - time.monotonic(), 0)):
                return await work
        except TimeoutError:
            raise DeadlineExceeded(f"Timeout after {self._timeout:g}s waiting for {aim}") from None
        except WireError as error:
            raise await self._translated(error) from error

    async def _translated(self, error: Exception) -> RoveError:
        """What the browser refused, in our words; that it is gone may take a moment to be known."""
        if self._lost is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._lost.wait(), NEWS_OF_DEATH)
            if self._lost.is_set():
                return BrowserUnavailable(
                    "The browser went away in the middle of this.", hint="Call again: a new one is started."
                )
        return RoveError(f"The browser refused: {str(error).splitlines()[0]}", hint="Look with browser_snapshot.")

    def report(self, message: str, done: int, total: int, /) -> None:
        self._report(message, done, total)

    def _say(self, message: str) -> None:
        self._report(message, 0, 0)


@dataclass
class _Seen:
    """What was seen of the page after an act, as far as a dialog did not come in between."""

    changes: Changes = NOTHING_SEEN
    pending: tuple[str, ...] = ()


class _Turn:
    """A tab's lock, waited for no longer than the call may take."""

    def __init__(self, tab: Tab, deadline: float, effect: Effect) -> None:
        self._tab = tab
        self._deadline = deadline
        self._effect = effect

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(max(self._deadline - time.monotonic(), 0)):
                await self._tab.lock.acquire()
        except TimeoutError:
            raise DeadlineExceeded(
                f"{self._tab.id} was busy with another call all the time.",
                hint="Wait for that call, or use another tab.",
            ) from None
        self._tab.give(self._deadline)
        self._tab.is_acted_on(self._effect in (Effect.ACT, Effect.SCRIPT))

    async def __aexit__(self, *_: object) -> None:
        self._tab.give(None)
        self._tab.is_acted_on(False)
        self._tab.lock.release()


async def _unless_dialog(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless a dialog opens that it would wait for."""
    working = asyncio.ensure_future(_unless_crashed(tab, work))
    opening = asyncio.ensure_future(tab.dialogs.opening())
    try:
        await asyncio.wait({working, opening}, return_when=asyncio.FIRST_COMPLETED)
        # Hands let go by themselves when a dialog opens; only what needs an answer of the page does not.
        await asyncio.wait({working}, timeout=LETTING_GO)
        if working.done():
            return working.result()
        raise DialogOpen(f"The page opened its {opening.result()} before there was a result.")
    finally:
        working.cancel()
        opening.cancel()


async def _unless_crashed(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless the page dies, as nobody would answer any more."""
    working = asyncio.ensure_future(work)
    crashing = asyncio.ensure_future(tab.crashed.wait())
    try:
        await asyncio.wait({working, crashing}, return_when=asyncio.FIRST_COMPLETED)
        if crashing.done() and not working.done():
            raise PageCrashed(f"The page crashed: {tab.url}")
        return await working
    finally:
        working.cancel()
        crashing.cancel()


def _aim_of(action: AnyAction) -> str:
    return "page load" if action.effect is Effect.NAVIGATE else action.verb.replace("_", " ")


def _events(tab: Tab) -> tuple[Event, ...]:
    events = [Event(happening.kind, str(happening)) for happening in tab.happenings.unseen()]
    if dialog := tab.dialogs.open:
        events.append(Event("dialog open", f"{dialog}: answer it with browser_dialog"))
    return tuple(events)


def _timed(outcome: AnyOutcome, seconds: float) -> AnyOutcome:
    return replace(outcome, seconds=round(seconds, 4))
