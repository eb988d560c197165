"""One tab: its page, input devices, observer and logs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from rove.advice import Advice
from rove.browser.emulation.emulation import Size
from rove.browser.page_data import OpenDialog
from rove.chromium.capture.screencast import Screencast
from rove.chromium.capture.screenshot import take_picture, take_screenshot
from rove.chromium.capture.withheld_frames import without_withheld_frames
from rove.chromium.consequences.act_effects import ActEffects
from rove.chromium.consequences.page_consequences import PageConsequences
from rove.chromium.events.console import ConsoleLog
from rove.chromium.events.network_log import NetworkLog
from rove.chromium.events.popups import Popups
from rove.chromium.events.workers import Workers
from rove.chromium.frames.evaluation import evaluate
from rove.chromium.frames.geometry import box_of
from rove.chromium.frames.reporting import reporting, scripts
from rove.chromium.frames.worlds import World
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.element import Element
from rove.chromium.input.keyboard import Keyboard
from rove.chromium.input.wheel import scroll_by_wheel
from rove.chromium.page.closing import close_target
from rove.chromium.page.live_page import LivePage, same_document
from rove.chromium.page.navigator import Navigator
from rove.chromium.page.opener_group import OpenerGroup
from rove.chromium.page.page_observer import PageObserver
from rove.chromium.page.person_input import PersonInput
from rove.chromium.page.shared_resources import TabSetup
from rove.chromium.page.worker_control import WorkerControl
from rove.chromium.protocol.connection import CdpSession
from rove.chromium.stealth.console import FrameLogs
from rove.chromium.stealth.window import resize_page
from rove.chromium.storage.cookies import PageCookies
from rove.chromium.storage.page_storage import PageStorage
from rove.chromium.targets import hit_test, target_resolution
from rove.chromium.targets.descriptions import Descriptions
from rove.page_text import PageText
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.annotation import Mark
    from rove.browser.element import PointerTarget, SecretSource
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box, ImageFormat, LoadStage, PdfFile, PdfOptions, ScreenshotImage
    from rove.reading.page_source import PageSource

# Bodies are fetched only on request, so the browser need not buffer much of them, nor report what a page uploads.
NETWORK_BUFFERS = {"maxTotalBufferSize": 20_000_000, "maxResourceBufferSize": 5_000_000, "maxPostDataSize": 1}
# Service workers belong to the context, and the browser attaches to them.
AUTO_ATTACH_FILTER = [{"type": "service_worker", "exclude": True}, {}]
CURRENT_DOCUMENT_TIMEOUT = 2.0


class Tab:
    """A page with an id that is never reused."""

    def __init__(self, setup: TabSetup, cdp: CdpSession, target: dict[str, Any], identity: str) -> None:
        self.id = identity
        # The frame that opened it as a popup, if the browser says which.
        self.opener_frame: str | None = target.get("openerFrameId")
        self.settings = setup.settings
        self.lock = asyncio.Lock()
        self.is_unresponsive = False
        self._setup = setup
        self._shared = setup.shared
        self.page = LivePage(
            cdp, setup.connection, target, setup.settings, setup.shared.ref_numbers, setup.shared.interceptor
        )
        self.page.worlds.set_tab(identity)
        self.page.keeps_downloads = not setup.is_attached
        self.page.policy_allows = lambda address: setup.shared.may_read(address)
        self.observer = PageObserver(self.page, lambda: setup.shared.withheld)
        self.input = InputDevices(
            self.page,
            self.page.events,
            setup.shared.clipboard,
            setup.scratch,
            self.observer.note_touched,
            self.observer.aria,
        )
        self.popups = Popups(self.page.events, setup.settings.limits.tabs, self.page.send_soon, self.page.origins)
        self.network = NetworkLog(self.page.target_id, self.page.origins)
        self._console = ConsoleLog(self.page.tasks, self.page.events)
        self._logs = FrameLogs(self._console, self.network, self.page.origins, setup.settings.stealth)
        shared = setup.shared.network_conditions, setup.shared.overrides
        self._own_workers = Workers(self._console, *shared, self.network, self.page.events, tasks=self.page.tasks)
        self._own_workers.is_stealthy = setup.settings.stealth
        self._own_workers.find_origin = self.page.origins.of_document
        self.workers = WorkerControl(self.page, setup.connection.root, self._own_workers, setup.shared.workers)
        self.cookies = PageCookies(cdp, lambda: self.url)
        self.storage = PageStorage(self.page.worlds)
        self.redact: Callable[[str], str] = setup.shared.redact
        self.page.worlds.main.redact = setup.shared.redact_answer
        self.screencast = Screencast(cdp, self.page.tasks)
        self._person_input = PersonInput(self.page, self.input, lambda field: setup.shared.on_typed(field))
        self._navigator = Navigator(self.page, setup.is_attached)
        self.consequences = PageConsequences(self.input, setup.shared.interceptor, target.get("openerId"))
        self.effects = ActEffects(self.input, lambda: self.observer.acted_in)
        self.descriptions = Descriptions(self.input)
        self.opener_group = OpenerGroup()
        self.opener_group.add(identity, self.page)

    # Setting up

    async def open(self) -> None:
        """Listen to the page, add rove's scripts and settings to it, and let it run."""
        page, cdp = self.page, self.page.cdp
        self._logs.listen(cdp, page.target_id, "page")
        self.popups.listen(cdp)
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
    def url(self) -> PageText:
        return self.page.url

    async def title(self) -> PageText:
        return await self.page.title()

    @property
    def open_dialog(self) -> OpenDialog | None:
        return self.page.dialogs.open

    @property
    def keyboard(self) -> Keyboard:
        return self.input.keyboard

    @property
    def console(self) -> tuple[ConsoleLog, ...]:
        """The console log of the tab, and that of the workers that its session shares."""
        return (self._console, self._shared.console)

    @property
    def main_frame(self) -> World:
        return self.page.worlds.main

    @property
    def is_stuck(self) -> bool:
        """Whether the page may have to be replaced before another document can load."""
        return self.is_unresponsive or self.page.keeps_navigating

    # Actions

    def begin_action(self, deadline: float, acts: bool) -> None:
        """Set the deadline of the action that starts now; if it acts on the page, it may open dialogs and popups."""
        self.page.time.set(deadline)
        self.page.dialogs.is_acting = self.popups.is_acting = acts
        if acts:
            self.page.load_state.mark_seen()

    def end_action(self) -> None:
        self.page.time.set(None)
        self.page.dialogs.is_acting = self.popups.is_acting = False

    def allow_changes(self, secrets: SecretSource) -> None:
        """Let the page navigate if an action causes it to, and let the action type these secrets."""
        self.page.allow_navigation()
        self.observer.note_touched(None)
        self.effects.begin()
        self.input.secrets = secrets

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

    # Elements

    async def resolve(self, target: str) -> Element:
        """Return the one element that a target means, or raise why there is not exactly one."""
        return await target_resolution.resolve(self.input, target)

    async def resolve_all(self, target: str, wait: bool = True) -> list[Element]:
        """Return every element that a target means, at least one; unless `wait` is False, wait for one to exist."""
        return await target_resolution.resolve_all(self.input, target, wait)

    async def resolve_pointer_target(self, target: str) -> PointerTarget:
        """Return the element, or the point of the viewport, that a target means."""
        return await target_resolution.resolve_pointer_target(self.input, target)

    @property
    def awaits_files(self) -> bool:
        return self.input.file_chooser.asking is not None

    async def file_input_asking(self) -> Element | None:
        """Return the file input whose chooser is open; raise Denied if it is in a frame of another origin."""
        return await target_resolution.file_input_asking(self.input)

    def close_file_chooser(self) -> None:
        self.input.file_chooser.asking = None

    async def find(self, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
        """Search every frame; return how many matches there are, and the first of them."""
        return await target_resolution.find(self.input, spec, limit)

    async def focused_element(self) -> Element:
        """Return the element that has the focus, in any frame; raise if there is none."""
        return await hit_test.focused_element(self.input)

    async def element_with_focus(self) -> Element | None:
        """Return the element that receives keys; None if no frame has the focus."""
        return await hit_test.element_with_focus(self.input)

    async def elements_at(self, x: float, y: float) -> list[Element]:
        """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
        return await hit_test.elements_at(self.input, x, y)

    async def has_frames(self) -> bool:
        return len(await self.page.worlds.current()) > 1

    def require_frame(self, prefix: str) -> None:
        """Raise what became of the frame whose refs have this prefix, if it is not on the page."""
        self.page.worlds.with_prefix(prefix)

    # Reading and capturing

    async def shows_text(self, text: str) -> bool:
        return await target_resolution.shows_text(self.input, text)

    async def shows_selector(self, css: str) -> bool:
        return await target_resolution.shows_selector(self.input, css)

    async def wait_for_change(self, timeout: float) -> None:
        """Wait for the next change of the document, or for `timeout` seconds."""
        await self.page.wait_for_change(timeout)

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        main = self.page.worlds.main
        return await scroll_by_wheel(
            self.input, main, await main.call("(d, a) => rove.scrollPage(d, a)", direction, amount)
        )

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

    async def box_of(self, ref: str) -> Box:
        """Return where the element of a ref is in the viewport now, without scrolling."""
        return await box_of(self.page.worlds, ref)

    async def marks(self, image: ScreenshotImage) -> list[Mark]:
        """Return the interactive elements that a screenshot shows, and where in it they are."""
        from rove.browser.annotation import find_marks  # not needed to open a first page

        return find_marks(image, await self.observer.take_snapshot(mode="interactive", boxes=True))

    async def page_source(self) -> PageSource:
        """Return the page as HTML that holds only what a person sees, with its frames."""
        from rove.chromium.capture.page_source import read_page_source  # not needed to open a first page

        return await read_page_source(self.page.worlds, self.observer.read_options())

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
        """Print the page to a file in a folder of the workspace."""
        from rove.chromium.capture.pdf import PdfTarget, print_page  # not needed to open a first page

        max_bytes = self.settings.limits.download_megabytes * 2**20
        target = PdfTarget(Workspace(self.settings.workspace_folder), name, max_bytes, self._setup.scratch, folder)
        async with without_withheld_frames(self.page):
            with self.input.page_modes.printing():
                return await self._person_input.covered(print_page(self.page.cdp, options, target))

    async def resize(self, width: int, height: int) -> None:
        size, in_window = Size(width, height), self._setup.gives_own_window
        await resize_page(self.main_frame, self.id, size, self._shared.overrides, in_window)

    # Opener and closing

    def join_opener(self, opener: Tab) -> None:
        """Note that this page was opened by another, with which it may share a thread."""
        self.opener_group = opener.opener_group
        self.opener_group.add(self.id, self.page)

    def rename(self, identity: str) -> None:
        self.id = identity
        self.page.worlds.set_tab(identity)
        self.opener_group.rename(self.page, identity)

    async def close(self) -> None:
        """Close the page in a bounded time, even if it does not answer."""
        try:
            await close_target(self._setup.connection.root, self.page.cdp, self.page.target_id)
        finally:
            await self.release()

    async def release(self) -> None:
        """Cancel and await the background tasks of a page that is gone."""
        self.page.dialogs.stop_timer()
        await self.page.tasks.close()
