"""The state of a page: how far it has loaded, its requests, dialogs, downloads and events."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal, Protocol

from rove.browser.frames.frame_worlds import ScriptedPage
from rove.browser.page_data import DocumentRequest, DownloadedFile, OpenDialog, TrackedRequest
from rove.browser.page_events import PageEvents
from rove.browser.time_budget import TimeBudget
from rove.page_text import PageText
from rove.tasks import Signal

Stage = Literal["DOMContentLoaded", "load"]


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
