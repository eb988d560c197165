"""One tab: its page, input devices, observer and logs."""

from __future__ import annotations

import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from rove.browser.shared import tab
from rove.browser.webkit.capture import take_picture, take_screenshot
from rove.browser.webkit.connection import Driver, WebDriverError
from rove.browser.webkit.evaluation import evaluate
from rove.browser.webkit.input import InputDevices
from rove.browser.webkit.launch import SCREEN_SIZE
from rove.browser.webkit.live_page import LivePage
from rove.browser.webkit.logs import PageConsole, PageRequests
from rove.browser.webkit.navigation import Navigator
from rove.browser.webkit.resources import SharedResources
from rove.browser.webkit.storage import PageCookies
from rove.browser.webkit.unsupported import NoProfiler, NoScreencast, NoWorkers, WithheldSecrets, no_frames, unsupported
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreenshotImage
    from rove.browser.shared.capture import PdfTarget

# How often a window is given another size until its viewport has the one that was asked for.
MAX_RESIZES = 4


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    input_type = InputDevices
    page: LivePage
    input: InputDevices

    def __init__(self, driver: Driver, window: str, settings: Settings, shared: SharedResources, identity: str) -> None:
        page = LivePage(driver, window, settings, shared.ref_numbers)
        super().__init__(identity, page, shared, shared.scratch)
        self.network: PageRequests = PageRequests(page.origins)
        self._console: PageConsole = PageConsole(page.events, page.origins)
        self.workers = NoWorkers()
        self.cookies = PageCookies(page)
        self.profiler = NoProfiler(page, shared.redact)
        self.screencast = NoScreencast(page.tasks, no_frames)
        self._navigator = Navigator(page)
        page.on_report = self._on_report
        page.on_document = self._on_document
        page.on_moved = lambda: shared.on_changed()

    async def open(self) -> None:
        """Follow the page, and give it the size that the settings say."""
        await self.page.open()
        await self.resize(self.settings.viewport.width, self.settings.viewport.height)

    def _on_document(self, url: str) -> None:
        self.network.start_document()
        self._note_document(url)

    def _on_report(self, report: list[Any]) -> None:
        kind, *facts = report
        if kind == "roveTell":
            self.input.on_report(facts[0])
        elif kind == "roveCopied":
            self._shared.clipboard.note_copied(facts[0], self.page.origins.of_any)
        elif kind == "chooser":
            self.input.file_chooser.note_opened(self.page.target_id, facts[0])
        elif kind == "message":
            self._console.note(*facts)
        elif kind == "request":
            self.network.begin(facts[0], facts[1], facts[2])
        elif kind == "answer":
            self.network.end(facts[0], facts[1])

    def allow_changes(self, secrets: SecretSource) -> None:
        """Let the page navigate if an action causes it to. No secret is given to the page."""
        super().allow_changes(WithheldSecrets(secrets))

    # What the protocol has commands for

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        return await evaluate(self.page, self.page.place, expression, self.url.around, await_promise)

    def capture_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int
    ) -> Coroutine[Any, Any, ScreenshotImage]:
        return take_screenshot(self.page, box, full_page, kind, max_side)

    def capture_picture(self, quality: int) -> Coroutine[Any, Any, bytes]:
        return take_picture(self.page, quality)

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
        raise unsupported("print a page")

    def print_page(self, options: PdfOptions, target: PdfTarget) -> Coroutine[Any, Any, PdfFile]:
        raise unsupported("print a page")

    async def resize(self, width: int, height: int) -> None:
        """Give the window the size at which its viewport has this one."""
        for _ in range(MAX_RESIZES):
            across, down = await self.page.execute("return [innerWidth, innerHeight];")
            if (across, down) == (width, height):
                return
            rect = await self.page.send_to(self.page.place, "GET", "/window/rect")
            wanted = {"width": rect["width"] + width - across, "height": rect["height"] + height - down}
            await self.page.send_to(self.page.place, "POST", "/window/rect", {**_centred(wanted), **wanted})
            await self.page.execute(
                "const [width, height] = arguments;"
                "return new Promise((done) => { const check = (left) => innerWidth === width && innerHeight === height"
                " || !left ? done() : setTimeout(check, 20, left - 1); check(25); });",
                width,
                height,
            )

    # A person's input

    async def send_input(self, event: InputEvent) -> None:
        raise unsupported("pass the input of a person on")

    async def close_page(self) -> None:
        page = self.page
        try:
            if not page.is_closed:
                await page.end_dialog()
                page.mark_closed()
                with contextlib.suppress(WebDriverError):
                    await page.driver.send_to(page.place, "DELETE", "/window")
        finally:
            page.mark_closed()


def _centred(size: dict[str, int]) -> dict[str, int]:
    """Return where a window covers the middle of the screen: without a window manager, the pointer there focuses it."""
    width, height = SCREEN_SIZE
    return {"x": max((width - size["width"]) // 2, 0), "y": max((height - size["height"]) // 2, 0)}
