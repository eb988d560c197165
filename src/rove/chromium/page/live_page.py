"""The page that a tab shows: its CDP session, frames, load state, requests and dialogs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from rove.browser.context import LOST_NETWORK
from rove.browser.network.schemes import is_web, scheme_refusal
from rove.browser.page_data import DownloadedFile
from rove.browser.page_events import PageEvents
from rove.browser.time_budget import TimeBudget
from rove.chromium.aria.frame_order import FrameOrder
from rove.chromium.events.dialogs import SUPPRESS_DIALOGS, Dialogs
from rove.chromium.events.downloads import PendingDownloads
from rove.chromium.events.load_state import LoadState
from rove.chromium.events.request_tracker import RequestTracker
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.frames.worlds import FRAME_TIMEOUT, World, Worlds
from rove.chromium.interception.interceptor import Interceptor
from rove.chromium.page.navigation_block import NavigationBlock
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.page_text import Own, PageText
from rove.refs import RefNumbers
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks, Interrupted, race

R = TypeVar("R")
TERMINATION_TIMEOUT = 0.5
# Seconds in which a page that is being replaced may still answer a command that was sent just before.
LAST_ANSWER_SECONDS = 0.3
# No person answers a dialog sooner.
STEALTH_ANSWER_SECONDS = 0.25
# Seconds between the end of the request for a file and the report of its download.
DOWNLOAD_STARTS_WITHIN = 2.0
PDF_TYPE = "application/pdf"
# A link that is clicked in a world of rove's own; the request takes the same way as that of the page.
DOWNLOAD_DOCUMENT = "() => Object.assign(document.createElement('a'), { href: location.href, download: '' }).click()"


class LivePage:
    """Follows one page target from its first document to its last."""

    def __init__(
        self,
        cdp: CdpSession,
        connection: CdpConnection,
        target: dict[str, Any],
        settings: Settings,
        ref_numbers: RefNumbers,
        interceptor: Interceptor,
    ) -> None:
        self.cdp = cdp
        self.settings = settings
        self.target_id: str = target["targetId"]
        self._connection = connection
        self.tasks = BackgroundTasks(f"page {self.target_id}", expected=(CdpError,))
        self.time = TimeBudget(settings.deadlines.action)
        self.events = PageEvents()
        self.origins = FrameOrigins(self.target_id, lambda: self.load_state.url, self._allows)
        self.dialogs = Dialogs(self.events, settings.deadlines.dialog, self.tasks, self.origins)
        self.dialogs.shortest_answer = STEALTH_ANSWER_SECONDS if settings.stealth else 0.0
        self.downloads = PendingDownloads()
        # The id of a page's main frame is the id of its target.
        max_bytes = settings.limits.page_megabytes * 2**20
        self.requests = RequestTracker(self.target_id, self.events, max_bytes, self.stop_loading, self.origins)
        self.load_state = LoadState(self.target_id, target["url"])
        self.navigation_block = NavigationBlock(cdp, self.target_id, interceptor, self.tasks)
        self.worlds = Worlds(cdp, self.target_id, ref_numbers)
        self.frame_order = FrameOrder(self.worlds.main.frame_id)
        # What the policy says of an address.
        self.policy_allows: Callable[[str], bool] = lambda address: True
        # Whether downloads go to the workspace, and not where a person's own browser puts them.
        self.keeps_downloads = True
        self._crashed = asyncio.Event()

    def listen(self) -> None:
        """Follow what the page itself reports; frames in other processes are followed by `listen_frame`."""
        self.load_state.listen(self.cdp)
        self.cdp.on("Page.frameRequestedNavigation", self._on_requested_navigation)
        self.cdp.on("Inspector.targetCrashed", lambda _: self._crashed.set())

    def listen_frame(self, cdp: CdpSession) -> None:
        """Follow a CDP session of the page, or of one of its frames in another process."""
        self.dialogs.listen(cdp)
        self.requests.listen(cdp)
        self.worlds.listen(cdp)
        self.origins.listen(cdp)
        self.frame_order.listen(cdp)
        cdp.on("Page.frameAttached", lambda _: self.worlds.note_frame())
        cdp.on("dropped", self._on_dropped)

    def _on_dropped(self, event: dict[str, Any]) -> None:
        if event["method"].startswith("Page.frame"):
            self.worlds.note_frame()  # the browser is asked which frames there are when they are next used

    def _on_requested_navigation(self, event: dict[str, Any]) -> None:
        if event["url"] and not is_web(event["url"]):
            said = PageText(scheme_refusal(event["url"]), self.origins.of(event.get("frameId")))
            self.events.add("address refused", said)

    def start_document(self) -> None:
        """Forget what belonged to the document that has just been replaced."""
        self.worlds.reset()
        self.origins.start_document()
        self.dialogs.start_document()

    # What may be read

    def may_read(self, address: str) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address.

        Those of no known origin may be of any frame.
        """
        if address.startswith(("http:", "https:", "blob:", "file:")):
            return self._allows(address)
        return all(map(self._allows, {address, *self.origins.all}))

    def _allows(self, address: str) -> bool:
        return self.policy_allows(address)

    # The state of the page

    @property
    def url(self) -> PageText:
        return PageText(self.load_state.url, self.origins.page)

    @property
    def is_crashed(self) -> bool:
        return self._crashed.is_set()

    async def wait_for_crash(self) -> None:
        """Wait until the page crashes."""
        await self._crashed.wait()

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
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(self.time.for_loading):
                await self.worlds.main.call(DOWNLOAD_DOCUMENT, as_user=True)
                await self.downloads.wait_until_started(before)
                await self.downloads.wait_until_finished(before)
        return self.downloads.latest(before)

    async def title(self) -> PageText:
        # The browser process knows the title; the page itself may be too busy to answer.
        try:
            answer = await self.cdp.send("Target.getTargetInfo")
        except CdpError:
            if not self.cdp.is_closed:
                raise
            return self.url.around("")  # the page was closed meanwhile
        return self.url.around(answer["targetInfo"]["title"])

    @property
    def status(self) -> int | None:
        """The HTTP status of the document; None if it has none."""
        document = self.requests.document
        return document.status if document and same_document(document.url, self.url) else None

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself, or is kept from it by the navigation block."""
        return self.navigation_block.is_on or self.load_state.keeps_navigating

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
        below = await self.worlds.refresh(self.frame_timeout)
        return [self.worlds.main, *(world for world in below if not world.is_unresponsive)]

    async def wait_for_change(self, timeout: float) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""
        started = time.monotonic()
        try:
            await self.worlds.main.call("ms => rove.nextChange(ms)", timeout * 1000)
        except CdpError:
            # The document was replaced, which is a change. If the page cannot answer, wait instead of looping.
            left = timeout - (time.monotonic() - started)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.load_state.wait_for_commit(self.load_state.commits), max(left, 0.01))

    # Commands to the page

    def allow_navigation(self) -> None:
        """Let the page navigate again, since the next action may cause it to."""
        self.load_state.forget_recent_commits()
        self.navigation_block.disable()

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        return await self._succeeds("Runtime.evaluate", {"expression": "1"}, timeout)

    async def suppress_dialogs(self, timeout: float) -> bool:
        """Keep the page from opening dialogs; False if it did not answer within `timeout` seconds."""
        return await self._succeeds("Runtime.evaluate", {"expression": SUPPRESS_DIALOGS}, timeout)

    async def terminate_script(self) -> bool:
        """Terminate the script that the page is running; False if the page could not be reached."""
        return await self._succeeds("Runtime.terminateExecution", None, TERMINATION_TIMEOUT)

    async def _succeeds(self, method: str, params: dict[str, Any] | None, timeout: float) -> bool:
        try:
            async with asyncio.timeout(timeout):
                await self.cdp.send(method, params)
        except (TimeoutError, CdpError):
            return False
        return True

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

    def stop_loading(self) -> None:
        """Stop loading; the browser does so even if the page does not answer."""
        self.load_state.mark_stopped()
        self.requests.mark_stopped()
        self.send_soon("Page.stopLoading")

    def send_soon(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a command and do not wait for its answer."""
        self.tasks.start(self.cdp.send(method, params))

    def mark_network_lost(self) -> CdpError:
        """Disconnect from a browser without a network process: calls fail, and the next one starts another browser."""
        self._connection.loss = LOST_NETWORK
        self._connection.connection_lost()
        return CdpError(f"the browser {LOST_NETWORK}")


def same_document(one: str, other: str) -> bool:
    """Return whether two URLs differ at most in their fragment."""
    return one.partition("#")[0] == other.partition("#")[0]
