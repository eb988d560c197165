"""The page that a tab shows: its frames, load state, requests and dialogs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar, TypeVar

from rove.browser.consequences import RefuseDocument
from rove.browser.failures import BrowserError
from rove.browser.page_data import DownloadedFile
from rove.browser.page_state import PageEvents, TimeBudget
from rove.browser.shared.dialogs import Dialogs
from rove.browser.shared.downloads import PendingDownloads
from rove.browser.shared.frames import FRAME_TIMEOUT, DocumentScript, FrameOrder, FrameOrigins, World, Worlds
from rove.browser.shared.interception import NavigationBlock
from rove.browser.shared.loading import LoadState, RequestTracker
from rove.page_text import Own, PageText
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks, Interrupted, Signal, race

R = TypeVar("R")
# Seconds in which a page that is being replaced may still answer a command that was sent just before.
LAST_ANSWER_SECONDS = 0.3
# Seconds between the end of the request for a file and the report of its download.
DOWNLOAD_STARTS_WITHIN = 2.0
PDF_TYPE = "application/pdf"
# A link that is clicked in a world of rove's own; the request takes the same way as that of the page.
DOWNLOAD_DOCUMENT = "() => Object.assign(document.createElement('a'), { href: location.href, download: '' }).click()"


class LivePage(ABC):
    """Follows one page from its first document to its last. `main_frame`: the engine's id of its main frame.

    An engine makes `worlds` and `load_state`, and feeds all parts with what it reports.
    """

    # The classes of parts to which an engine adds how it hears of them.
    origins_type: ClassVar[type[FrameOrigins]] = FrameOrigins
    dialogs_type: ClassVar[type[Dialogs]] = Dialogs
    requests_type: ClassVar[type[RequestTracker]] = RequestTracker

    # Whether the page can be held to what a person was shown.
    can_hold: ClassVar[bool] = True

    worlds: Worlds[World]
    load_state: LoadState

    def __init__(self, main_frame: str, settings: Settings) -> None:
        self.target_id = main_frame
        self.settings = settings
        self.tasks = BackgroundTasks(f"page {main_frame}", expected=(BrowserError,))
        self.time = TimeBudget(settings.deadlines.action)
        self.events = PageEvents()
        self.downloads = PendingDownloads()
        self.frame_order = FrameOrder(main_frame)
        # What the policy says of an address.
        self.policy_allows: Callable[[str], bool] = lambda address: True
        # Whether downloads go to the workspace, and not where a person's own browser puts them.
        self.keeps_downloads = True
        self.crashed = Signal()
        self.origins = self.origins_type(main_frame, lambda: self.load_state.url, self._allows)
        self.dialogs = self.dialogs_type(self.events, settings.deadlines.dialog, self.tasks, self.origins)
        max_bytes = settings.limits.page_megabytes * 2**20
        self.requests = self.requests_type(main_frame, self.events, max_bytes, self.stop_loading, self.origins)
        # Fails the requests of a page that keeps navigating by itself, where the engine can.
        self.navigation_block: NavigationBlock | None = None

    # Primitives of an engine

    @property
    @abstractmethod
    def is_closed(self) -> bool:
        """Whether the page is gone, and answers no more commands."""

    @abstractmethod
    async def title(self) -> PageText:
        """Return the title of the document."""

    @abstractmethod
    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""

    async def terminate_script(self) -> bool:
        """Terminate the script that the page is running; False if that cannot be done, as on most engines."""
        return False

    @abstractmethod
    def send_stop(self) -> None:
        """Have the browser stop loading, without waiting for it."""

    @abstractmethod
    def stop_opening_windows(self) -> None:
        """Keep a page that opens one window after another from opening more; end its script if that can be done."""

    @abstractmethod
    async def hold_documents(self, refuses: RefuseDocument) -> None:
        """Let `refuses` decide on the documents that the page, its frames and new popups of it ask for."""

    @abstractmethod
    async def release_documents(self) -> None:
        """End what `hold_documents` began."""

    @abstractmethod
    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in rove's world of the documents that load while it is in use."""

    async def take_focus(self) -> None:  # noqa: B027 - most engines have nothing to do
        """Give the page the focus, in a browser that gives it to one page at a time."""

    def start_document(self) -> None:
        """Forget what belonged to the document that has just been replaced."""
        self.worlds.reset()
        self.origins.start_document()
        self.dialogs.start_document()

    # Loading that is broken off

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself, or is kept from it by the engine."""
        is_blocked = self.navigation_block is not None and self.navigation_block.is_on
        return is_blocked or self.load_state.keeps_navigating

    def allow_navigation(self) -> None:
        """Let the page navigate again, since the next action may cause it to."""
        self.load_state.forget_recent_commits()
        if self.navigation_block is not None:
            self.navigation_block.disable()

    async def block_navigation(self) -> None:
        """Keep a page that navigates by itself at the document it shows, until `allow_navigation`."""
        if self.navigation_block is not None:
            await self.navigation_block.enable()

    def stop_loading(self) -> None:
        """Stop loading; the browser does so even if the page does not answer."""
        self.load_state.mark_stopped()
        self.requests.mark_stopped()
        self.send_stop()

    # What may be read

    def may_read(self, address: str) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address.

        Those of no known origin may be of any frame.
        """
        if address.startswith(("http:", "https:", "blob:", "file:")):
            return self._allows(address)
        return all(map(self._allows, {address, *self.origins.all}))

    def origin_of(self, frame: str) -> str:
        """Return the origin whose words a frame shows."""
        return self.origins.of(frame)

    def _allows(self, address: str) -> bool:
        return self.policy_allows(address)

    # The state of the page

    @property
    def url(self) -> PageText:
        return PageText(self.load_state.url, self.origins.page)

    @property
    def is_crashed(self) -> bool:
        return self.crashed.is_held

    @property
    def shows_pdf(self) -> bool:
        """Whether the browser shows a PDF file in its viewer, of which a page's scripts see nothing."""
        return self.load_state.mime_type == PDF_TYPE

    async def download_document(self) -> DownloadedFile | None:
        """Have the browser save what the tab shows as a file; None if it does not in time.

        In a browser that a person runs, it would be saved among the person's own downloads, so that it is not.
        """
        if not self.keeps_downloads:
            self.events.add("pdf not read", Own("It is shown in the user's own browser, and rove saves no file there."))
            return None
        before = self.downloads.count
        with contextlib.suppress(TimeoutError, BrowserError):
            async with asyncio.timeout(self.time.for_loading):
                await self.worlds.main.call(DOWNLOAD_DOCUMENT, as_user=True)
                await self.downloads.wait_until_started(before)
                await self.downloads.wait_until_finished(before)
        return self.downloads.latest(before)

    @property
    def status(self) -> int | None:
        """The HTTP status of the document; None if it has none."""
        document = self.requests.document
        return document.status if document and same_document(document.url, self.url) else None

    @property
    def is_loading(self) -> bool:
        """Whether the document is being parsed, or something that it has asked for lately has not arrived."""
        return not self.load_state.has_reached("DOMContentLoaded") or self.requests.has_recent

    @property
    def awaited_server(self) -> PageText | None:
        """The host that has not answered the request for the next document; until then the page answers no command."""
        document = self.requests.document
        is_waiting = self.load_state.is_navigating and document is not None and document.is_awaited
        return self.requests.silent_server if is_waiting else None

    @property
    def frame_timeout(self) -> float:
        """Seconds that one frame may take to answer: a part of the time that the action has left."""
        return min(FRAME_TIMEOUT, self.time.left / 4)

    async def every_world(self) -> list[World]:
        """Return the worlds of all frames that answer, the main one first."""
        if self.worlds.may_hang_apart:
            await self.worlds.refresh(self.frame_timeout)
        worlds = await self.worlds.current(self.frame_timeout)
        return [world for world in worlds if not world.parent or not world.is_unresponsive]

    async def _is_answered(self, asking: Coroutine[Any, Any, object], timeout: float) -> bool:
        """Return whether a command is answered, and not refused, within `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await asking
        except (TimeoutError, BrowserError):
            return False
        return True

    async def wait_for_change(self, timeout: float) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""
        started = time.monotonic()
        try:
            await self.worlds.main.call("ms => rove.nextChange(ms)", timeout * 1000)
        except BrowserError:
            # The document was replaced, which is a change. If the page cannot answer, wait instead of looping.
            left = timeout - (time.monotonic() - started)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.load_state.wait_for_commit(self.load_state.commits), max(left, 0.01))

    async def unless_replaced(self, work: Coroutine[Any, Any, R]) -> R | None:
        """Return the result of the work; None if another document is being loaded and its server has not answered."""
        task = asyncio.ensure_future(work)
        try:
            return await race(asyncio.shield(task), self.load_state.wait_until_navigating(), grace=LAST_ANSWER_SECONDS)
        except Interrupted:
            return None if self.awaited_server else await task
        finally:
            task.cancel()

    async def painted(self, capture: Coroutine[Any, Any, R]) -> R:
        """Return the result of a capture. A page that is kept from being painted stops loading after a while."""
        task = asyncio.ensure_future(capture)
        try:
            await asyncio.wait({task}, timeout=self.time.left / 2)
            if not task.done() and not self.load_state.has_reached("load"):
                # A page does not paint while it waits for a style sheet, which may never arrive.
                self.events.add(
                    "loading stopped", Own("A resource that did not arrive kept the page from being shown.")
                )
                self.stop_loading()
            return await task
        finally:
            task.cancel()

    async def finish_navigation(self) -> None:
        """Wait for the document that is being loaded; if its server does not answer in time, stop loading it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.time.for_loading):
                await self.load_state.wait_until_not_navigating()
        if server := self.awaited_server:
            said = f"{server} had not answered, and the page before it is still there."
            self.events.add("loading stopped", server.around(said))
            self.stop_loading()

    async def wait_for_answer(self) -> None:
        """Wait until the server that was asked for a document answers; if with a file, until its download begins."""
        await self.load_state.wait_until_not_navigating()
        document = self.requests.document
        if document is None or document.status is None or document.is_download:
            return
        if not self.load_state.has_committed(document.loader):
            with contextlib.suppress(TimeoutError):  # it has no content, or was stopped
                async with asyncio.timeout(DOWNLOAD_STARTS_WITHIN):
                    await self.downloads.wait_until_started(self.downloads.count)


def same_document(one: str, other: str) -> bool:
    """Return whether two URLs differ at most in their fragment."""
    return one.partition("#")[0] == other.partition("#")[0]
