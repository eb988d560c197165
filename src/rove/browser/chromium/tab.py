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
from rove.browser.chromium.resources import TabSetup
from rove.browser.chromium.stealth import FrameLogs, resize_page
from rove.browser.chromium.storage import PageCookies
from rove.browser.chromium.workers import WorkerControl, Workers
from rove.browser.emulation import Size
from rove.browser.shared import consequences, tab
from rove.browser.shared.capture import PdfTarget, without_withheld_frames
from rove.browser.shared.consequences import ApprovedDocuments, AskedDocument
from rove.browser.shared.live_page import same_document
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.popups import Popups
from rove.browser.shared.storage import PageStorage
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.chromium.interception import Interceptor
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box, ImageFormat, LoadStage, PdfFile, PdfOptions, ScreenshotImage

# Bodies are fetched only on request, so the browser need not buffer much of them, nor report what a page uploads.
NETWORK_BUFFERS = {"maxTotalBufferSize": 20_000_000, "maxResourceBufferSize": 5_000_000, "maxPostDataSize": 1}
# Service workers belong to the context, and the browser attaches to them.
AUTO_ATTACH_FILTER = [{"type": "service_worker", "exclude": True}, {}]
CURRENT_DOCUMENT_TIMEOUT = 2.0


class PageConsequences(consequences.PageConsequences):
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    def __init__(self, page: LivePage, devices: InputDevices, interceptor: Interceptor) -> None:
        super().__init__(devices)
        self._live_page = page
        self._interceptor = interceptor

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        def refuses(event: dict[str, Any]) -> bool:
            return event["resourceType"] == "Document" and documents.refuses(_asked(event))

        cdps = (self._live_page.cdp, *self._live_page.worlds.cdp_sessions)
        await self._interceptor.hold_documents(self._page.target_id, cdps, refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self._page.target_id)


def _asked(event: dict[str, Any]) -> AskedDocument:
    request = event["request"]
    return AskedDocument(
        event["frameId"],
        request["method"],
        request["url"] + request.get("urlFragment", ""),
        request["headers"],
        is_redirect="redirectedRequestId" in event,
        is_of_popup=bool(event.get("isOfPopup")),
    )


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    def __init__(self, setup: TabSetup, cdp: CdpSession, target: dict[str, Any], identity: str) -> None:
        page = LivePage(
            cdp, setup.connection, target, setup.settings, setup.shared.ref_numbers, setup.shared.interceptor
        )
        page.keeps_downloads = not setup.is_attached
        page.policy_allows = lambda address: setup.shared.may_read(address)
        page.worlds.main.redact = setup.shared.redact_answer
        observer = PageObserver(page, lambda: setup.shared.withheld)
        clipboard, scratch = setup.shared.clipboard, setup.scratch
        self.input = InputDevices(page, clipboard, scratch, observer.note_touched, observer.aria)
        popups = Popups(page.events, setup.settings.limits.tabs, page.stop_opening_windows, page.origins)
        super().__init__(identity, setup.settings, page, observer, self.input, popups)
        self._page = page
        # The frame that opened it as a popup, if the browser says which.
        self.opener_frame: str | None = target.get("openerFrameId")
        self._setup = setup
        self._shared = setup.shared
        self.redact = setup.shared.redact
        self.network = NetworkLog(page.target_id, page.origins)
        self._console = ConsoleLog(page.tasks, page.events)
        self._logs = FrameLogs(self._console, self.network, page.origins, setup.settings.stealth)
        shared = setup.shared.network_conditions, setup.shared.overrides
        self._own_workers = Workers(self._console, *shared, self.network, page.events, tasks=page.tasks)
        self._own_workers.is_stealthy = setup.settings.stealth
        self._own_workers.find_origin = page.origins.of_document
        self.workers = WorkerControl(page, setup.connection.root, self._own_workers, setup.shared.workers)
        self.cookies = PageCookies(cdp, lambda: self.url)
        self.storage = PageStorage(page.worlds)
        self.profiler = Profiler(page, lambda text: self.redact(text))
        self._person_input = PersonInput(page, self.input, lambda field: setup.shared.on_typed(field))
        self.screencast = Screencast(cdp, page.tasks, self._person_input.keep_covered)
        self._navigator = Navigator(page, setup.is_attached)
        self.consequences = PageConsequences(page, self.input, setup.shared.interceptor)

    @property
    def page(self) -> LivePage:
        return self._page

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
            self.input.page_modes.start_document()
            self.popups.start_document()
            self._shared.on_document(event["frame"]["url"])
            self._shared.on_changed()

    def _on_frame_crash(self, event: dict[str, Any]) -> None:
        self.page.events.add("frame crashed", Advice("What it showed is gone; {reload} brings it back."))

    # State

    @property
    def console(self) -> tuple[ConsoleLog, ...]:
        """The console log of the tab, and that of the workers that its session shares."""
        return (self._console, self._shared.console)

    # A person's input

    async def send_input(self, event: InputEvent) -> None:
        """Send the input of a person to the page, as it is."""
        self.page.dialogs.is_acting = self.popups.is_acting = True
        await self._person_input.send(event)

    async def end_input(self) -> None:
        """Release what the person still holds down."""
        await self._person_input.release()
        self.page.dialogs.is_acting = self.popups.is_acting = False

    # Navigation

    async def navigate(self, url: str, until: LoadStage = "domcontentloaded") -> None:
        """Load a URL until the document has come so far: parsed, unless time is short; a later stage in any case."""
        await self._navigator.navigate(url, until)

    async def go_in_history(self, steps: int) -> bool:
        """Go back or forward in history; False when there is no such entry."""
        return await self._navigator.go_in_history(steps)

    async def reload(self) -> None:
        await self._navigator.reload()

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        """Run JavaScript in the page; a function is called."""
        return await evaluate(self.page.cdp, expression, self.url.around, await_promise)

    async def take_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int | None = None
    ) -> ScreenshotImage:
        """Capture the viewport, the full page, or a box of the viewport."""
        capture = take_screenshot(self.page.cdp, box, full_page, kind, max_side or self.settings.observing.picture)
        async with without_withheld_frames(self.page):
            return await self.page.painted(self._person_input.covered(capture))

    async def take_picture(self, quality: int) -> bytes:
        """Return a JPEG of the viewport as it is shown now."""
        return await self._person_input.covered(take_picture(self.page.cdp, quality))

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
        """Print the page to a file in a folder of the workspace."""
        max_bytes = self.settings.limits.download_megabytes * 2**20
        target = PdfTarget(Workspace(self.settings.workspace_folder), name, max_bytes, self._setup.scratch, folder)
        async with without_withheld_frames(self.page):
            with self.input.page_modes.printing():
                return await self._person_input.covered(print_page(self.page.cdp, options, target))

    async def resize(self, width: int, height: int) -> None:
        size, in_window = Size(width, height), self._setup.gives_own_window
        await resize_page(self.page.worlds.main, self.id, size, self._shared.overrides, in_window)

    async def close(self) -> None:
        """Close the page in a bounded time, even if it does not answer."""
        try:
            await close_target(self._setup.connection.root, self.page.cdp, self.page.target_id)
        finally:
            await self.release()
