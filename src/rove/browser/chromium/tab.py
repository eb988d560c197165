"""One tab: its page, input devices, observer and logs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from rove.advice import Advice
from rove.browser.chromium.capture import Screencast, print_page, take_picture, take_screenshot
from rove.browser.chromium.connection import CdpSession
from rove.browser.chromium.console import ConsoleLog
from rove.browser.chromium.evaluation import evaluate
from rove.browser.chromium.frames import reporting, scripts
from rove.browser.chromium.input import InputDevices, PersonInput
from rove.browser.chromium.live_page import LivePage, close_target
from rove.browser.chromium.navigation import Navigator
from rove.browser.chromium.network import NetworkLog
from rove.browser.chromium.profiler import Profiler
from rove.browser.chromium.resources import SharedResources, TabSetup
from rove.browser.chromium.stealth import FrameLogs, resize_page
from rove.browser.chromium.storage import PageCookies
from rove.browser.chromium.workers import WorkerControl, Workers
from rove.browser.emulation import Size
from rove.browser.shared import tab
from rove.browser.shared.live_page import same_document

if TYPE_CHECKING:
    from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreenshotImage
    from rove.browser.shared.capture import PdfTarget

# Bodies are fetched only on request, so the browser need not buffer much of them, nor report what a page uploads.
NETWORK_BUFFERS = {"maxTotalBufferSize": 20_000_000, "maxResourceBufferSize": 5_000_000, "maxPostDataSize": 1}
# Service workers belong to the context, and the browser attaches to them.
AUTO_ATTACH_FILTER = [{"type": "service_worker", "exclude": True}, {}]
CURRENT_DOCUMENT_TIMEOUT = 2.0


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    input_type = InputDevices
    page: LivePage
    input: InputDevices
    workers: WorkerControl
    _person_input: PersonInput
    _shared: SharedResources

    def __init__(self, setup: TabSetup, cdp: CdpSession, target: dict[str, Any], identity: str) -> None:
        shared, settings = setup.shared, setup.settings
        page = LivePage(cdp, setup.connection, target, settings, shared.ref_numbers, shared.interceptor)
        page.keeps_downloads = not setup.is_attached
        super().__init__(identity, page, shared, setup.scratch)
        # The frame that opened it as a popup, if the browser says which.
        self.opener_frame: str | None = target.get("openerFrameId")
        self._setup = setup
        self.network: NetworkLog = NetworkLog(page.target_id, page.origins)
        self._console: ConsoleLog = ConsoleLog(page.tasks, page.events)
        self._logs = FrameLogs(self._console, self.network, page.origins, settings.stealth)
        conditions = shared.network_conditions, shared.overrides
        self._own_workers = Workers(self._console, *conditions, self.network, page.events, tasks=page.tasks)
        self._own_workers.is_stealthy = settings.stealth
        self._own_workers.find_origin = page.origins.of_document
        self.workers = WorkerControl(page, setup.connection.root, self._own_workers, shared.workers)
        self.cookies = PageCookies(page)
        self.profiler = Profiler(page, lambda text: self.redact(text))
        self._person_input = PersonInput(self.input, lambda field: shared.on_typed(field))
        self.screencast = Screencast(cdp, page.tasks, self._person_input.keep_covered)
        self._navigator = Navigator(page, setup.is_attached)

    async def open(self) -> None:
        """Listen to the page, add rove's scripts and settings to it, and let it run."""
        page, cdp = self.page, self.page.cdp
        self._logs.listen(cdp, page.target_id, "page")
        cdp.on("Page.windowOpen", lambda event: self.popups.expect(event["url"]))
        page.listen()
        cdp.on("Page.frameNavigated", self._on_navigated)
        cdp.on("Page.navigatedWithinDocument", lambda _: self._shared.on_changed())
        await asyncio.gather(
            self._set_up(cdp),
            cdp.send("Page.setLifecycleEventsEnabled", {"enabled": True}),
            # Every page is treated as focused, so that none is throttled or loses its focus to another.
            cdp.send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )

    async def read_current_document(self) -> None:
        """Read the URL and frames of a page that existed before rove attached, and wait if it is still loading."""
        listed = self.url
        tree = await self.page.cdp.send("Page.getFrameTree")
        self.page.load_state.set_initial_url(tree["frameTree"]["frame"])
        self.page.worlds.note_frame()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CURRENT_DOCUMENT_TIMEOUT):
                if not same_document(listed, self.url):
                    await self.page.load_state.wait_for_commit(0)
                await self.page.load_state.wait_for_stage("DOMContentLoaded")

    async def _set_up(self, cdp: CdpSession) -> None:
        """Set up the CDP session of the page, or of a frame in another process."""
        self.page.listen_frame(cdp)
        self._person_input.listen(cdp)
        cdp.on("Target.attachedToTarget", self._on_attached)
        attach = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": AUTO_ATTACH_FILTER}
        await asyncio.gather(
            cdp.send("Page.enable"),
            reporting(cdp, self.settings.stealth),
            cdp.send("Log.enable"),
            cdp.send("Network.enable", NETWORK_BUFFERS),
            self._shared.network_conditions.add(cdp),
            *self._add_overrides(cdp),
            *([self.workers.apply_bypass(cdp)] if self.workers.are_bypassed else []),
            *scripts(cdp, self.settings.stealth),
            *self.input.listen(cdp),
            self._person_input.watch_new_documents(cdp),
            cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True}),
            cdp.send("Target.setAutoAttach", attach),
            cdp.send("Runtime.runIfWaitingForDebugger"),
        )

    def _add_overrides(self, cdp: CdpSession) -> list[Coroutine[Any, Any, object]]:
        if cdp is not self.page.cdp:
            return self._shared.overrides.add(cdp, "frame", self.network)
        return self._shared.overrides.add(cdp, "page", self.network, self._setup.emulated_size)

    def _on_attached(self, event: dict[str, Any]) -> None:
        cdp, target = self._setup.connection.cdp_session(event["sessionId"]), event["targetInfo"]
        if target["type"] == "iframe":
            self.page.worlds.add_out_of_process_frame(target["targetId"], cdp)
            self._logs.listen(cdp, target["targetId"], "frame")
            cdp.on("Inspector.targetCrashed", self._on_frame_crash)
            self.page.tasks.start(self._set_up(cdp))
        elif target["type"] == "worker":
            self.page.tasks.start(self._own_workers.set_up(cdp, target))
        else:
            # Other targets are not driven, but wait for the debugger and have to be resumed.
            self.page.tasks.start(cdp.send("Runtime.runIfWaitingForDebugger"))

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.page.start_document()
            self._note_document(event["frame"]["url"])

    def _on_frame_crash(self, event: dict[str, Any]) -> None:
        self.page.events.add("frame crashed", Advice("What it showed is gone; {reload} brings it back."))

    # What the protocol has commands for

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        return await evaluate(self.page.cdp, expression, self.url.around, await_promise)

    def capture_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int
    ) -> Coroutine[Any, Any, ScreenshotImage]:
        return take_screenshot(self.page.cdp, box, full_page, kind, max_side)

    def capture_picture(self, quality: int) -> Coroutine[Any, Any, bytes]:
        return take_picture(self.page.cdp, quality)

    def print_page(self, options: PdfOptions, target: PdfTarget) -> Coroutine[Any, Any, PdfFile]:
        return print_page(self.page.cdp, options, target)

    async def resize(self, width: int, height: int) -> None:
        size, in_window = Size(width, height), self._setup.gives_own_window
        await resize_page(self.page.worlds.main, self.id, size, self._shared.overrides, in_window)

    async def close_page(self) -> None:
        await close_target(self._setup.connection.root, self.page.cdp, self.page.target_id)
