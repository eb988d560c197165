"""The page that a tab shows, over its CDP session and those of its frames in other processes."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Any

from rove.browser.context import LOST_NETWORK
from rove.browser.network.schemes import is_web, scheme_refusal
from rove.chromium.events.dialogs import Dialogs
from rove.chromium.events.load_state import LoadState
from rove.chromium.events.request_tracker import RequestTracker
from rove.chromium.frames.document_script import DocumentScript
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.frames.worlds import Worlds
from rove.chromium.interception.interceptor import Interceptor
from rove.chromium.interception.navigation_block import NavigationBlock
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.page import live_page
from rove.page.events.dialogs import SUPPRESS_DIALOGS
from rove.page.events.popups import DISABLE_WINDOW_OPEN
from rove.page_text import PageText
from rove.refs import RefNumbers
from rove.settings.tree import Settings

TERMINATION_TIMEOUT = 0.5
# No person answers a dialog sooner.
STEALTH_ANSWER_SECONDS = 0.25


class LivePage(live_page.LivePage):
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
        # The id of a page's main frame is the id of its target.
        super().__init__(target["targetId"], settings)
        self.cdp = cdp
        self._connection = connection
        self._origins = FrameOrigins(self.target_id, lambda: self.load_state.url, self._allows)
        self._dialogs = Dialogs(self.events, settings.deadlines.dialog, self.tasks, self._origins)
        self._dialogs.shortest_answer = STEALTH_ANSWER_SECONDS if settings.stealth else 0.0
        max_bytes = settings.limits.page_megabytes * 2**20
        self._requests = RequestTracker(self.target_id, self.events, max_bytes, self.stop_loading, self._origins)
        self._load_state = LoadState(self.target_id, target["url"])
        self.navigation_block = NavigationBlock(cdp, self.target_id, interceptor, self.tasks)
        self._worlds = Worlds(cdp, self.target_id, ref_numbers)

    @cached_property
    def worlds(self) -> Worlds:
        return self._worlds

    @cached_property
    def origins(self) -> FrameOrigins:
        return self._origins

    @cached_property
    def dialogs(self) -> Dialogs:
        return self._dialogs

    @cached_property
    def requests(self) -> RequestTracker:
        return self._requests

    @cached_property
    def load_state(self) -> LoadState:
        return self._load_state

    @property
    def is_closed(self) -> bool:
        return self.cdp.is_closed

    def listen(self) -> None:
        """Follow what the page itself reports; frames in other processes are followed by `listen_frame`."""
        self.load_state.listen(self.cdp)
        self.cdp.on("Page.frameRequestedNavigation", self._on_requested_navigation)
        self.cdp.on("Inspector.targetCrashed", lambda _: self.crashed.hold())

    def listen_frame(self, cdp: CdpSession) -> None:
        """Follow a CDP session of the page, or of one of its frames in another process."""
        self.dialogs.listen(cdp)
        self.requests.listen(cdp)
        self.worlds.listen(cdp)
        self.origins.listen(cdp)
        cdp.on("Page.frameNavigated", lambda event: self._number_document(event["frame"]))
        cdp.on("Page.frameAttached", lambda event: self._on_attached(event["frameId"]))
        cdp.on("dropped", self._on_dropped)

    def _number_document(self, frame: dict[str, Any]) -> None:
        self.frame_order.note_document(frame["id"], frame["url"])

    def _on_attached(self, frame: str) -> None:
        self.frame_order.number(frame)
        self.worlds.note_frame()

    def _on_dropped(self, event: dict[str, Any]) -> None:
        if event["method"].startswith("Page.frame"):
            self.worlds.note_frame()  # the browser is asked which frames there are when they are next used

    def _on_requested_navigation(self, event: dict[str, Any]) -> None:
        if event["url"] and not is_web(event["url"]):
            said = PageText(scheme_refusal(event["url"]), self.origins.of(event.get("frameId")))
            self.events.add("address refused", said)

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
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself, or is kept from it by the navigation block."""
        return self.navigation_block.is_on or self.load_state.keeps_navigating

    # Commands to the page

    def allow_navigation(self) -> None:
        """Let the page navigate again, since the next action may cause it to."""
        self.load_state.forget_recent_commits()
        self.navigation_block.disable()

    async def block_navigation(self) -> None:
        """Keep a page that navigates by itself at the document it shows, until `allow_navigation`."""
        await self.navigation_block.enable()

    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in rove's world of the documents that load while it is in use."""
        return DocumentScript(source)

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

    def stop_loading(self) -> None:
        """Stop loading; the browser does so even if the page does not answer."""
        self.load_state.mark_stopped()
        self.requests.mark_stopped()
        self.send_soon("Page.stopLoading")

    def stop_opening_windows(self) -> None:
        """End the script of a page that opens one window after another, and keep it from opening more."""
        self.send_soon("Runtime.terminateExecution", {})
        self.send_soon("Runtime.evaluate", {"expression": DISABLE_WINDOW_OPEN})

    def send_soon(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a command and do not wait for its answer."""
        self.tasks.start(self.cdp.send(method, params))

    def mark_network_lost(self) -> CdpError:
        """Disconnect from a browser without a network process: calls fail, and the next one starts another browser."""
        self._connection.loss = LOST_NETWORK
        self._connection.connection_lost()
        return CdpError(f"the browser {LOST_NETWORK}")
