"""The page that a tab shows: its document, requests and dialogs, as CDP sessions report them, and closing it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, ClassVar

from rove.browser.chromium.connection import CdpConnection, CdpError, CdpSession
from rove.browser.chromium.frames import DocumentScript, FrameOrigins, Worlds
from rove.browser.chromium.interception import Interceptor
from rove.browser.consequences import RefuseDocument
from rove.browser.context import LOST_NETWORK
from rove.browser.network import is_web, scheme_refusal
from rove.browser.refs import RefNumbers
from rove.browser.shared import dialogs, live_page, loading
from rove.browser.shared.dialogs import SUPPRESS_DIALOGS
from rove.browser.shared.interception import NavigationBlock
from rove.browser.shared.popups import DISABLE_WINDOW_OPEN
from rove.page_text import PageText
from rove.settings.tree import Settings

# Seconds to wait for the page to close after each step.
STEP_TIMEOUT = 0.7
TERMINATION_TIMEOUT = 0.5
# No person answers a dialog sooner.
STEALTH_ANSWER_SECONDS = 0.25


async def close_target(root: CdpSession, cdp: CdpSession, target: str) -> bool:
    """Close a page; False if it is still open after all steps."""
    # A page that waits for the debugger blocks its opener in the same process, so it is resumed first.
    for method in ("Runtime.runIfWaitingForDebugger", "Page.stopLoading", "Page.crash"):
        steps = [asyncio.ensure_future(_send(cdp, method)), asyncio.ensure_future(_close(root, cdp, target))]
        try:
            await asyncio.wait({steps[1]}, timeout=STEP_TIMEOUT)
        finally:
            for step in steps:
                step.cancel()
        if cdp.is_closed:
            return True
    return False


async def _close(root: CdpSession, cdp: CdpSession, target: str) -> None:
    with contextlib.suppress(CdpError):  # the page is closed already
        await root.send("Target.closeTarget", {"targetId": target})
        await cdp.wait_closed()


async def _send(cdp: CdpSession, method: str) -> None:
    with contextlib.suppress(CdpError):
        await cdp.send(method)


class LoadState(loading.LoadState):
    """Follows the main frame's document through the events of its CDP session."""

    def __init__(self, main_frame: str, url: str) -> None:
        super().__init__(url)
        self._main_frame = main_frame

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.lifecycleEvent", self._on_lifecycle)
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Page.navigatedWithinDocument", self._on_navigated_within)
        cdp.on("Page.frameScheduledNavigation", self._on_requested)
        cdp.on("Page.frameRequestedNavigation", self._on_requested)
        cdp.on("Page.frameClearedScheduledNavigation", self._on_cleared)
        cdp.on("Page.frameStartedNavigating", self._on_started)
        cdp.on("Page.frameStoppedLoading", self._on_loading_stopped)
        cdp.on("Network.loadingFinished", lambda event: self.note_body_complete(event["requestId"]))
        cdp.on("Network.loadingFailed", lambda event: self.note_body_failed(event["requestId"]))

    def set_initial_url(self, frame: dict[str, Any]) -> None:
        """Set the URL of a document that was there before `listen`, unless another was committed since."""
        self.set_initial_document(frame["url"] + frame.get("urlFragment", ""), frame["mimeType"])

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] != self._main_frame:
            return
        if event["name"] == "init":
            self.begin_document(event["loaderId"])
        else:
            self.reach(event["name"], event["loaderId"])

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        if frame["id"] == self._main_frame:
            self.commit_document(frame["url"] + frame.get("urlFragment", ""), frame["loaderId"], frame["mimeType"])

    def _on_navigated_within(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.commit_within(event["url"])

    def _on_requested(self, event: dict[str, Any]) -> None:
        is_main_frame = event["frameId"] == self._main_frame and event.get("disposition", "currentTab") == "currentTab"
        if is_main_frame and event.get("delay", 0) == 0 and is_web(event["url"]):
            self.note_requested()

    def _on_cleared(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.note_cleared()

    def _on_started(self, event: dict[str, Any]) -> None:
        is_main_frame = event["frameId"] == self._main_frame and event.get("navigationType") != "sameDocument"
        if is_main_frame and is_web(event["url"]):
            self.note_started()

    def _on_loading_stopped(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.note_loading_stopped()


class RequestTracker(loading.RequestTracker):
    """Pending requests of a page and its frames."""

    counted: ClassVar[Mapping[str, int]] = {
        "Network.requestWillBeSent": 1,
        "Network.loadingFinished": -1,
        "Network.loadingFailed": -1,
    }

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Network.requestWillBeSent", self._on_request)
        cdp.on("Network.responseReceived", self._on_response)
        cdp.on("Network.dataReceived", lambda event: self.receive(event["requestId"], event["dataLength"]))
        cdp.on("Network.loadingFinished", lambda event: self.end(event["requestId"]))
        cdp.on("Network.loadingFailed", self._on_failure)
        cdp.on("dropped", self.note_dropped)

    def _on_request(self, event: dict[str, Any]) -> None:
        identity, request = event["requestId"], event["request"]
        if event.get("frameId") == self._main_frame and identity == event.get("loaderId"):
            self.begin_document(identity, request["url"], "redirectResponse" in event)
        origin = self._origins.of_document(event.get("documentURL", ""), event.get("frameId"))
        # A worker's script is requested without a loader id; the worker's own CDP session reports its response.
        is_own = bool(event.get("loaderId")) and not request["url"].startswith("blob:")
        resource = str(event.get("type", "")).lower() if is_own else ""
        self.begin(identity, request["method"], request["url"], origin, resource)

    def _on_response(self, event: dict[str, Any]) -> None:
        response = event["response"]
        self.respond(event["requestId"], response["status"], response["headers"])

    def _on_failure(self, event: dict[str, Any]) -> None:
        self.fail(event["requestId"], event["errorText"], bool(event.get("canceled")))


class Dialogs(dialogs.Dialogs):
    """The dialog that blocks a tab, if there is one."""

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.javascriptDialogOpening", lambda event: self._on_opening(event, cdp))
        cdp.on("Page.javascriptDialogClosed", lambda _: self.note_closed())

    def _on_opening(self, event: dict[str, Any], cdp: CdpSession) -> None:
        origin = self._origins.of_document(event["url"], event.get("frameId"))
        prompt = event.get("defaultPrompt", "")
        self.note_opened(Asker(cdp), event["type"], origin, event.get("message", ""), prompt)


class Asker(dialogs.Asker):
    """The page or frame that has opened a dialog."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
        await self._send("Page.handleJavaScriptDialog", answer)

    async def suppress_dialogs(self) -> None:
        await self._send("Runtime.evaluate", {"expression": SUPPRESS_DIALOGS})

    async def terminate_script(self) -> None:
        await self._send("Runtime.terminateExecution", {})

    async def _send(self, method: str, params: dict[str, Any]) -> None:
        with contextlib.suppress(CdpError):  # the page was closed meanwhile
            await self._cdp.send(method, params)


class LivePage(live_page.LivePage):
    """Follows one page target from its first document to its last."""

    origins_type, dialogs_type, requests_type = FrameOrigins, Dialogs, RequestTracker
    origins: FrameOrigins
    dialogs: Dialogs
    requests: RequestTracker

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
        self.dialogs.shortest_answer = STEALTH_ANSWER_SECONDS if settings.stealth else 0.0
        self.load_state: LoadState = LoadState(self.target_id, target["url"])
        self._interceptor = interceptor
        self.navigation_block = NavigationBlock(interceptor, cdp, self.target_id, self.tasks)
        self.worlds: Worlds = Worlds(cdp, self.target_id, ref_numbers)

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

    async def hold_documents(self, refuses: RefuseDocument) -> None:
        cdps = (self.cdp, *self.worlds.cdp_sessions)
        await self._interceptor.hold_documents(self.target_id, cdps, refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self.target_id)

    def document_script(self, source: str) -> DocumentScript:
        """Return a statement to run in rove's world of the documents that load while it is in use."""
        return DocumentScript(source)

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the page's main thread is free to run a script within `timeout` seconds."""
        return await self._is_answered(self.cdp.send("Runtime.evaluate", {"expression": "1"}), timeout)

    async def suppress_dialogs(self, timeout: float) -> bool:
        """Keep the page from opening dialogs; False if it did not answer within `timeout` seconds."""
        return await self._is_answered(self.cdp.send("Runtime.evaluate", {"expression": SUPPRESS_DIALOGS}), timeout)

    async def terminate_script(self) -> bool:
        """Terminate the script that the page is running; False if the page could not be reached."""
        return await self._is_answered(self.cdp.send("Runtime.terminateExecution"), TERMINATION_TIMEOUT)

    def send_stop(self) -> None:
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
