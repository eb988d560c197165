"""One tab: its page, input devices, observer and logs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
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
from rove.browser.firefox.resources import SharedResources, TabSetup
from rove.browser.firefox.storage import PageCookies
from rove.browser.firefox.workers import WorkerControl
from rove.browser.shared import tab

if TYPE_CHECKING:
    from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreenshotImage
    from rove.browser.shared.capture import PdfTarget

CLOSE_TIMEOUT = 3.0
# Seconds until a window that a page has opened asks for its document, and until that has come.
POPUP_SECONDS = 0.3
ADDRESS_SECONDS = 1.0


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    input_type = InputDevices
    page: LivePage
    input: InputDevices
    profiler: Profiler
    _person_input: PersonInput
    _shared: SharedResources

    def __init__(self, setup: TabSetup, channel: PageChannel, event: dict[str, Any], identity: str) -> None:
        shared = setup.shared
        page = LivePage(channel, event["url"], setup.settings, shared.ref_numbers, shared.interceptor)
        super().__init__(identity, page, shared, setup.scratch)
        self._is_popup = event.get("originalOpener") is not None
        self.network: NetworkLog = NetworkLog(page.origins)
        self._console: ConsoleLog = ConsoleLog(page.events, shared.console_events.is_repeated)
        self.workers = WorkerControl(page, channel)
        self.cookies = PageCookies(page, shared.cookies)
        self.profiler = Profiler(page, setup.recorder, lambda text: self.redact(text))
        self._person_input = PersonInput(self.input, lambda field: shared.on_typed(field))
        self.screencast = Screencast(channel, page.tasks, self._person_input.keep_covered)
        self._navigator = Navigator(page)
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
            self._note_document(self.page.load_state.url)

    # What the protocol has commands for

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        return await evaluate(self.page.channel, expression, self.url.around, await_promise)

    def capture_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int
    ) -> Coroutine[Any, Any, ScreenshotImage]:
        return take_screenshot(self.page.channel, box, full_page, kind, max_side)

    def capture_picture(self, quality: int) -> Coroutine[Any, Any, bytes]:
        return take_picture(self.page.channel, quality)

    def print_page(self, options: PdfOptions, target: PdfTarget) -> Coroutine[Any, Any, PdfFile]:
        return print_page(self.page.channel, options, target)

    async def resize(self, width: int, height: int) -> None:
        await self._shared.overrides.resize(self.page.channel, self.id, Size(width, height))

    async def close_page(self) -> None:
        with contextlib.suppress(BidiError):
            params = {"promptUnload": False}
            await self.page.channel.send("browsingContext.close", params, timeout=CLOSE_TIMEOUT)

    async def release(self) -> None:
        """Cancel and await the background tasks of a page that is gone, and end its recording."""
        await self.profiler.discard()
        await super().release()
