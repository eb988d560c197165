"""The state of a page: how far it has loaded, its requests, dialogs, downloads, frames and events."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol

from rove.advice import Advice
from rove.browser.page_data import DocumentRequest, DownloadedFile, OpenDialog, TrackedRequest
from rove.page_text import Own, PageText, Text
from rove.tasks import Signal
from rove.validation.record import dataclass

# Seconds of an action's time that are reserved for a snapshot of the page once it has loaded.
LOOK_SECONDS = 1.0
MAX_EVENTS = 200
MAX_TEXT_LENGTH = 500
# Further errors are only counted: a page that repeats its errors must not fill the report.
MAX_ERRORS_SHOWN = 10
_ERRORS = frozenset({"console error", "page error"})
DIALOG_OPEN = "dialog open"
# Kinds of events after which a page is not what the agent left: every answer tells them, also one of a fixed form.
LOSSES = frozenset({"browser restarted", "session restored", "tab reset", "page lost"})
Stage = Literal["DOMContentLoaded", "load"]


class TimeBudget:
    """The deadline of the action that runs on a tab. Between two actions, `default` seconds."""

    def __init__(self, default: float) -> None:
        self._default = default
        self._deadline: float | None = None
        self._given = default
        # Seconds that the caller allowed for the action, some of which may be over already.
        self.allowed = default

    def set(self, deadline: float | None, allowed: float | None = None) -> None:
        """Set the moment, in `time.monotonic()` seconds, by which the running action must have answered."""
        self._deadline = deadline
        self._given = self.left
        self.allowed = self._given if allowed is None else allowed

    @property
    def left(self) -> float:
        """Seconds until the running action must have answered."""
        return self._default if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    @property
    def for_loading(self) -> float:
        """Seconds that may be spent on waiting for a page, so that time is left to look at it."""
        return max(self.left - min(LOOK_SECONDS, self._given / 3), 0.0)


@dataclass
class PageEvent:
    """One event, in the words of rove or of a page, and how often it happened."""

    kind: Own
    text: Text
    # What to do about it.
    advice: Own = Own()
    at: float = field(default_factory=time.monotonic)
    times: int = 1

    @property
    def told(self) -> Text:
        """The text, with the number of times."""
        if self.times == 1:
            return self.text
        if isinstance(self.text, PageText):
            return self.text.around(f"{self.text} ({self.times} times)")
        return Advice("{text} ({times} times)", text=self.text, times=str(self.times))


class PageEvents:
    """A bounded list of events: the oldest are dropped first, and repeated ones are counted."""

    def __init__(self) -> None:
        self._unreported: dict[tuple[str, str, str], PageEvent] = {}

    def add(self, kind: str, text: Text, advice: str = "") -> None:
        """Add an event, or count it if it is in the list already. `advice`: what to do about it."""
        event = PageEvent(Own(kind), _cut(text), advice if isinstance(advice, Own) else Own(advice))
        origin = text.origin if isinstance(text, PageText) else ""
        known = self._unreported.setdefault((event.kind, event.text, origin), event)
        if known is not event:
            known.times += 1
        elif len(self._unreported) > MAX_EVENTS:
            del self._unreported[next(iter(self._unreported))]

    def drop_advice(self, kind: str) -> None:
        """Drop what rove says of events of a kind, as the caller is told more."""
        for event in self._unreported.values():
            if event.kind == kind:
                event.advice = Own()

    def take_unreported(self) -> list[PageEvent]:
        """Return the events since the last call, with only the first few errors; the console has them all."""
        events = list(self._unreported.values())
        self._unreported.clear()
        return _limit_errors(events)

    def take_losses(self) -> list[Own]:
        """Return what rove says of the losses since the last call, and forget them."""
        losses = {key: event for key, event in self._unreported.items() if event.kind in LOSSES}
        self._unreported = {key: event for key, event in self._unreported.items() if key not in losses}
        return [event.advice for event in losses.values()]


def _cut(text: Text) -> Text:
    if isinstance(text, PageText):
        return text.around(text[:MAX_TEXT_LENGTH])
    return text if isinstance(text, Advice) else Own(text[:MAX_TEXT_LENGTH])


def _limit_errors(events: list[PageEvent]) -> list[PageEvent]:
    errors = [event for event in events if event.kind in _ERRORS]
    if len(errors) <= MAX_ERRORS_SHOWN:
        return events
    left_out = {id(error) for error in errors[MAX_ERRORS_SHOWN:]}
    count = PageEvent(Own("console error"), Own(f"{len(left_out)} more"), Own("All errors are in {console}."))
    return [*(event for event in events if id(event) not in left_out), count]


class FrameWorld(Protocol):
    """The world of one frame in which rove's script runs, out of reach of the page's own scripts."""

    @property
    def frame_id(self) -> str: ...
    @property
    def prefix(self) -> str:
        """What the refs of the frame begin with; nothing for the main frame."""
        ...

    @property
    def parent(self) -> FrameWorld | None: ...
    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression with plain arguments and return a plain value."""
        ...


class FrameWorlds(Protocol):
    """The worlds of a page's frames."""

    @property
    def main(self) -> FrameWorld: ...
    def with_prefix(self, prefix: str, /) -> FrameWorld:
        """Return the world whose refs have a prefix; raise what became of it if there is none."""
        ...

    async def owner(self, world: Any, /) -> str:
        """Return the ref, in the parent's world, of the element that holds a frame."""
        ...


class ScriptedPage(Protocol):
    """A page whose frames run rove's scripts."""

    @property
    def worlds(self) -> FrameWorlds: ...
    @property
    def frame_timeout(self) -> float:
        """Seconds that one frame may take to answer."""
        ...

    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...

    def origin_of(self, frame: str, /) -> str:
        """Return the origin whose words a frame shows."""
        ...

    async def every_world(self) -> Sequence[FrameWorld]:
        """Return the worlds of all frames that answer, the main one first."""
        ...


class LoadState(Protocol):
    """How far the main document has come: committed, parsed, loaded."""

    documents: int
    # Addresses of pages that stayed empty, or busy as they showed, for as long as a page is waited for.
    never_ready: set[str]

    @property
    def is_navigating(self) -> bool:
        """Whether another document has been requested and is not committed yet."""
        ...

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself."""
        ...

    @property
    def has_navigated(self) -> bool:
        """Whether another page was loaded since the last act began, and no further one is on its way."""
        ...

    def mark_seen(self) -> None:
        """Count only navigations from now on."""

    def has_reached(self, stage: Stage, /) -> bool: ...
    async def wait_for_stage(self, stage: Stage, /) -> None:
        """Wait until the document has reached a stage, or until the page is in a navigation loop."""


class RequestTracker(Protocol):
    """Pending requests and when each began, so that those an action caused can be told from earlier ones."""

    ended_count: int
    # Requests that came too fast to be followed and may be unanswered, and when the last event of one arrived.
    unfollowed: int
    unfollowed_at: float
    document: DocumentRequest | None
    # Pages that were waited for in vain, each with an endpoint that did not answer.
    polls: set[tuple[str, str]]

    @property
    def pending(self) -> list[TrackedRequest]: ...
    @property
    def unawaited(self) -> list[TrackedRequest]:
        """Pictures, fonts, media and streams that are under way."""
        ...

    def is_repeated(self, request: TrackedRequest, /) -> bool:
        """Whether the document keeps asking for this, without a body, as one that polls does."""
        ...

    @property
    def silent_server(self) -> PageText | None:
        """The host that has been asked for the document and has not answered."""
        ...

    async def wait_for_change(self, timeout: float, /) -> None:
        """Wait until one more request is answered or over, or for `timeout` seconds."""


class Dialogs(Protocol):
    """The dialog that blocks a tab, if there is one."""

    # Held while a dialog is open.
    opened: Signal

    @property
    def open(self) -> OpenDialog | None: ...
    @property
    def latest(self) -> OpenDialog:
        """The dialog that was opened last, open or not."""
        ...

    async def wait_until_open(self) -> OpenDialog:
        """Wait until a dialog is open."""
        ...

    async def wait_until_closed(self) -> None:
        """Wait until no dialog is open."""
        ...

    async def run_until_dialog(self, work: Awaitable[Any], /) -> bool:
        """Wait for the work or for a dialog, whichever is first; True if it was a dialog."""
        ...

    def raise_if_open(self) -> None:
        """Raise `DialogOpen` if a dialog blocks the tab."""

    async def answer(self, accept: bool, text: str | None, /) -> OpenDialog | None:
        """Answer the open dialog; None if there is none."""
        ...


class Downloads(Protocol):
    """The downloads of a tab, numbered from 1."""

    count: int

    def is_running(self, since: int = 0, /) -> bool:
        """Return whether a download after the first `since` is under way."""
        ...

    async def wait_until_started(self, since: int, /) -> None:
        """Wait until there is a download after the first `since`."""

    async def wait_until_finished(self, since: int, /) -> None:
        """Wait until every download after the first `since` is over."""

    @property
    def files(self) -> tuple[DownloadedFile, ...]:
        """All of them, in the order in which they started."""
        ...

    def take_started(self) -> tuple[PageText, ...]:
        """Return the names of the downloads that have started since the last call and are under way."""
        ...

    def latest(self, since: int, /) -> DownloadedFile | None:
        """Return the latest download after the first `since`, which may be under way; None if there is none."""
        ...


class PageState(ScriptedPage, Protocol):
    """The page that a tab shows now."""

    time: TimeBudget
    events: PageEvents
    # Held once the page has crashed.
    crashed: Signal

    @property
    def url(self) -> PageText: ...
    @property
    def status(self) -> int | None:
        """The HTTP status of the document; None if it has none."""
        ...

    @property
    def load_state(self) -> LoadState: ...
    @property
    def requests(self) -> RequestTracker: ...
    @property
    def dialogs(self) -> Dialogs: ...
    @property
    def downloads(self) -> Downloads: ...
    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself, or is kept from it."""
        ...

    @property
    def awaited_server(self) -> PageText | None:
        """The host that has not answered the request for the next document; until then the page answers no command."""
        ...

    @property
    def shows_pdf(self) -> bool:
        """Whether the browser shows a PDF file in its viewer, of which a page's scripts see nothing."""
        ...

    async def download_document(self) -> DownloadedFile | None:
        """Have the browser save what the tab shows as a file; None if it does not."""
        ...

    async def title(self) -> PageText: ...
    async def answers_within(self, timeout: float, /) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        ...

    async def finish_navigation(self) -> None:
        """Wait for the document that is being loaded; if its server does not answer in time, stop loading it."""

    async def wait_for_answer(self) -> None:
        """Wait until the server that was asked for a document answers; if with a file, until its download begins."""

    def allow_navigation(self) -> None:
        """Let the page navigate again, since the next action may cause it to."""
