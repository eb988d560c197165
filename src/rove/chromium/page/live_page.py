"""The page that a tab shows: its CDP session, frames, load state, requests and dialogs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from rove.browser.page_events import PageEvents
from rove.browser.schemes import is_web, scheme_refusal
from rove.browser.time_budget import TimeBudget
from rove.chromium.events.dialogs import SUPPRESS_DIALOGS, Dialogs
from rove.chromium.events.downloads import PendingDownloads
from rove.chromium.events.load_state import LoadState
from rove.chromium.events.request_tracker import RequestTracker
from rove.chromium.frames.worlds import FRAME_TIMEOUT, World, Worlds
from rove.chromium.page.navigation_block import NavigationBlock
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.errors import ScriptFailed
from rove.settings import Settings
from rove.tasks import BackgroundTasks, Interrupted, race

R = TypeVar("R")
STORAGE_TIMEOUT = 1.0
TERMINATION_TIMEOUT = 0.5
# Seconds in which a page that is being replaced may still answer a command that was sent just before.
LAST_ANSWER_SECONDS = 0.3
MOST_STORED = 1_000_000


class LivePage:
    """Follows one page target from its first document to its last."""

    def __init__(self, cdp: CdpSession, connection: CdpConnection, target: dict[str, Any], settings: Settings) -> None:
        self.cdp = cdp
        self.settings = settings
        self.target_id: str = target["targetId"]
        self._connection = connection
        self.tasks = BackgroundTasks(f"page {self.target_id}", expected=(CdpError,))
        self.time = TimeBudget(settings.deadlines.action)
        self.events = PageEvents()
        self.dialogs = Dialogs(self.events, settings.deadlines.dialog, self.tasks)
        self.downloads = PendingDownloads()
        # The id of a page's main frame is the id of its target.
        most_bytes = settings.limits.page_megabytes * 2**20
        self.requests = RequestTracker(self.target_id, self.events, most_bytes, self.stop_loading)
        self.load_state = LoadState(self.target_id, target["url"])
        self.navigation_block = NavigationBlock(cdp, self.target_id, self.send_soon)
        self.worlds = Worlds(cdp, self.target_id)
        self.may_read: Callable[[str], bool] = lambda address: True
        self._crashed = asyncio.Event()

    def listen(self) -> None:
        """Follow what the page itself reports; frames in other processes are followed by `listen_frame`."""
        self.load_state.listen(self.cdp)
        self.navigation_block.listen()
        self.cdp.on("Page.frameRequestedNavigation", self._on_requested_navigation)
        self.cdp.on("Inspector.targetCrashed", lambda _: self._crashed.set())

    def listen_frame(self, cdp: CdpSession) -> None:
        """Follow a CDP session of the page, or of one of its frames in another process."""
        self.dialogs.listen(cdp)
        self.requests.listen(cdp)
        self.worlds.listen(cdp)
        cdp.on("Page.frameAttached", lambda _: self.worlds.note_frame())

    def _on_requested_navigation(self, event: dict[str, Any]) -> None:
        if not is_web(event["url"]):
            self.events.add("address refused", scheme_refusal(event["url"]))

    def start_document(self) -> None:
        """Forget what belonged to the document that has just been replaced."""
        self.worlds.reset()
        self.dialogs.start_document()

    # What the page tells

    @property
    def url(self) -> str:
        return self.load_state.url

    @property
    def is_crashed(self) -> bool:
        return self._crashed.is_set()

    async def crash(self) -> None:
        """Wait until the page crashes."""
        await self._crashed.wait()

    async def title(self) -> str:
        # The browser process knows it without asking the page, which may be too busy to answer.
        try:
            answer = await self.cdp.send("Target.getTargetInfo")
        except CdpError:
            if not self.cdp.is_closed:
                raise
            return ""  # the page has closed itself meanwhile
        title: str = answer["targetInfo"]["title"]
        return title

    @property
    def status(self) -> int | None:
        """The HTTP status of the document, where it has one."""
        document = self.requests.document
        return document.status if document and same_document(document.url, self.url) else None

    @property
    def is_restless(self) -> bool:
        """Whether the page keeps navigating, or would if it were not held."""
        return self.navigation_block.is_on or self.load_state.is_restless

    @property
    def awaited_server(self) -> str | None:
        """The host that has not answered for the next document; until it does, nothing reaches the page."""
        document = self.requests.document
        is_waiting = self.load_state.is_starting and document is not None and document.is_awaited
        return self.requests.silent_server if is_waiting else None

    @property
    def frame_patience(self) -> float:
        """Seconds that one frame may take to answer: a part of what the action has."""
        return min(FRAME_TIMEOUT, self.time.left / 4)

    async def every_world(self) -> list[World]:
        """Return the worlds of all frames that answer, the main one first."""
        below = await self.worlds.refresh(self.frame_patience)
        return [self.worlds.main, *(world for world in below if not world.is_unresponsive)]

    async def local_storage(self) -> tuple[str, list[dict[str, str]]] | None:
        """Return the local storage of the page's origin; None if it is empty, too large or cannot be read."""
        try:
            async with asyncio.timeout(STORAGE_TIMEOUT):
                stored = await self.worlds.main.call("most => rove.storedItems(most)", MOST_STORED)
        except (TimeoutError, CdpError, ScriptFailed):
            return None
        return (stored["origin"], stored["items"]) if stored else None

    # What it can be told

    def allow_navigation(self) -> None:
        """Let the page navigate again: what it does from here on may have been asked for."""
        self.load_state.calm()
        self.navigation_block.disable()

    async def answers(self, patience: float) -> bool:
        """Return whether the page's main thread is free to run a script within `patience` seconds."""
        return await self._does("Runtime.evaluate", {"expression": "1"}, patience)

    async def suppress_dialogs(self, patience: float) -> bool:
        """Keep the page from opening dialogs; False if it is too busy even for that."""
        return await self._does("Runtime.evaluate", {"expression": SUPPRESS_DIALOGS}, patience)

    async def terminate_script(self) -> bool:
        """Stop the script that the page is running; the page stays. False if the page could not be reached."""
        return await self._does("Runtime.terminateExecution", None, TERMINATION_TIMEOUT)

    async def _does(self, method: str, params: dict[str, Any] | None, patience: float) -> bool:
        try:
            async with asyncio.timeout(patience):
                await self.cdp.send(method, params)
        except (TimeoutError, CdpError):
            return False
        return True

    async def unless_replaced(self, work: Coroutine[Any, Any, R]) -> R | None:
        """Return what the page answers; None if another document is on its way and its server takes its time."""
        working = asyncio.ensure_future(work)
        try:
            return await race(asyncio.shield(working), self.load_state.starts(), grace=LAST_ANSWER_SECONDS)
        except Interrupted:
            return None if self.awaited_server else await working
        finally:
            working.cancel()

    async def stay_or_arrive(self) -> None:
        """Wait for a document that is on its way; if its server does not answer in time, stay where we are."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.time.for_loading):
                await self.load_state.rests()
        if server := self.awaited_server:
            self.events.add("loading stopped", f"{server} had not answered, and the page before it is still there.")
            self.stop_loading()

    def stop_loading(self) -> None:
        """Stop whatever is loading; the browser does so even where the page does not answer."""
        self.load_state.stop()
        self.requests.stop()
        self.send_soon("Page.stopLoading")

    def send_soon(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a command and do not wait for its answer."""
        self.tasks.start(self.cdp.send(method, params))

    def mark_browser_lost(self, reason: str) -> CdpError:
        """Give up the whole browser: calls that wait for it fail, and the next call starts another."""
        self._connection.connection_lost()
        return CdpError(reason)


def same_document(one: str, other: str) -> bool:
    """Return whether two URLs differ at most in their fragment."""
    return one.partition("#")[0] == other.partition("#")[0]
