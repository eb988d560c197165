"""One tab: its page, input devices, observer and logs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from rove.browser.emulation import Size
from rove.browser.firefox.capture import Screencast, print_page, take_picture, take_screenshot
from rove.browser.firefox.connection import BidiError, PageChannel
from rove.browser.firefox.console import ConsoleLog
from rove.browser.firefox.evaluation import evaluate
from rove.browser.firefox.input import InputDevices, PersonInput
from rove.browser.firefox.live_page import LivePage
from rove.browser.firefox.navigation import Navigator
from rove.browser.firefox.network import NetworkLog
from rove.browser.firefox.profiler import Profiler
from rove.browser.firefox.resources import TabSetup
from rove.browser.firefox.storage import PageCookies
from rove.browser.firefox.workers import WorkerControl
from rove.browser.shared import consequences, tab
from rove.browser.shared.capture import PdfTarget, without_withheld_frames
from rove.browser.shared.consequences import ApprovedDocuments
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.popups import Popups
from rove.browser.shared.storage import PageStorage
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.firefox.interception import Interceptor
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box, ImageFormat, LoadStage, PdfFile, PdfOptions, ScreenshotImage

CLOSE_TIMEOUT = 3.0
# Seconds until a window that a page has opened asks for its document, and until that has come.
POPUP_SECONDS = 0.3
ADDRESS_SECONDS = 1.0


class PageConsequences(consequences.PageConsequences):
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    def __init__(self, devices: InputDevices, interceptor: Interceptor) -> None:
        super().__init__(devices)
        self._interceptor = interceptor

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        await self._interceptor.hold_documents(self._page.target_id, documents.refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self._page.target_id)


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    def __init__(self, setup: TabSetup, channel: PageChannel, event: dict[str, Any], identity: str) -> None:
        shared = setup.shared
        page = LivePage(channel, event["url"], setup.settings, shared.ref_numbers, shared.interceptor)
        page.policy_allows = lambda address: shared.may_read(address)
        page.worlds.main.redact = shared.redact_answer
        observer = PageObserver(page, lambda: shared.withheld)
        self.input = InputDevices(page, shared.clipboard, setup.scratch, observer.note_touched, observer.aria)
        popups = Popups(page.events, setup.settings.limits.tabs, page.stop_opening_windows, page.origins)
        super().__init__(identity, setup.settings, page, observer, self.input, popups)
        self._page = page
        self._is_popup = event.get("originalOpener") is not None
        self._setup = setup
        self._shared = shared
        self.redact = shared.redact
        self.network = NetworkLog(page.origins)
        self._console = ConsoleLog(page.events, shared.console_events.is_repeated)
        self.workers = WorkerControl(page, channel)
        self.cookies = PageCookies(channel, shared.cookies, lambda: self.url)
        self.storage = PageStorage(page.worlds)
        self.profiler = Profiler(page, setup.recorder, lambda: page.worlds.main, lambda text: self.redact(text))
        self._person_input = PersonInput(page, self.input, lambda field: shared.on_typed(field))
        self.screencast = Screencast(channel, page.tasks, self._person_input.keep_covered)
        self._navigator = Navigator(page)
        self.consequences = PageConsequences(self.input, shared.interceptor)
        # Firefox runs a page as soon as it is opened, so it is followed from the first event on.
        self._listen(channel)

    def _listen(self, channel: PageChannel) -> None:
        self.page.listen()
        self.input.listen(self._person_input.on_report)
        self.network.listen(channel)
        self._console.listen(channel, self.page.origins)
        channel.on("dropped", self._shared.console_events.note_dropped)
        self._shared.interceptor.add(channel, self.network)
        channel.on("browsingContext.navigationCommitted", self._on_committed)
        for event in ("browsingContext.fragmentNavigated", "browsingContext.historyUpdated"):
            channel.on(event, lambda _: self._shared.on_changed())

    @property
    def page(self) -> LivePage:
        return self._page

    @property
    def console(self) -> tuple[ConsoleLog, ...]:
        """The console log of the tab, and that of the workers that its session shares."""
        return (self._console, self._shared.console)

    async def open(self) -> None:
        """Wait until the page answers. Raises BidiError if it was closed meanwhile."""
        with contextlib.suppress(TimeoutError):
            await self.page.answers_within(CLOSE_TIMEOUT)
        if self._is_popup:
            await self._wait_for_address()
        if self.page.is_closed:
            raise BidiError("the page is closed")

    async def _wait_for_address(self) -> None:
        """Wait a moment for the address of a window that a page has opened: it is empty at first."""
        load_state = self.page.load_state
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POPUP_SECONDS):
                await load_state.wait_until_navigating_or_committed()
            async with asyncio.timeout(ADDRESS_SECONDS):
                await load_state.wait_for_commit(0)

    def _on_committed(self, event: dict[str, Any]) -> None:
        if event["context"] == self.page.target_id:
            self.input.page_modes.start_document()
            self.popups.start_document()
            self._shared.on_document(self.page.load_state.url)
            self._shared.on_changed()

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

    # Reading and capturing

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        """Run JavaScript in the page; a function is called."""
        return await evaluate(self.page.channel, expression, self.url.around, await_promise)

    async def take_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int | None = None
    ) -> ScreenshotImage:
        """Capture the viewport, the full page, or a box of the viewport."""
        side = max_side or self.settings.observing.picture
        capture = take_screenshot(self.page.channel, box, full_page, kind, side)
        async with without_withheld_frames(self.page):
            return await self.page.painted(self._person_input.covered(capture))

    async def take_picture(self, quality: int) -> bytes:
        """Return a JPEG of the viewport as it is shown now."""
        return await self._person_input.covered(take_picture(self.page.channel, quality))

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
        """Print the page to a file in a folder of the workspace."""
        max_bytes = self.settings.limits.download_megabytes * 2**20
        target = PdfTarget(Workspace(self.settings.workspace_folder), name, max_bytes, self._setup.scratch, folder)
        async with without_withheld_frames(self.page):
            with self.input.page_modes.printing():
                return await self._person_input.covered(print_page(self.page.channel, options, target))

    async def resize(self, width: int, height: int) -> None:
        await self._shared.overrides.resize(self.page.channel, self.id, Size(width, height))

    # Closing

    async def close(self) -> None:
        """Close the page in a bounded time, even if it does not answer."""
        try:
            with contextlib.suppress(BidiError):
                params = {"promptUnload": False}
                await self.page.channel.send("browsingContext.close", params, timeout=CLOSE_TIMEOUT)
        finally:
            await self.release()

    async def release(self) -> None:
        """Cancel and await the background tasks of a page that is gone, and end its recording."""
        await self.profiler.discard()
        await super().release()
