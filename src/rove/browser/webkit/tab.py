"""One tab: its page, input devices, observer and logs, and what it shares with other tabs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.browser.network import NoRedactor, TextRedactor
from rove.browser.refs import RefNumbers
from rove.browser.shared import consequences, tab
from rove.browser.shared.capture import without_withheld_frames
from rove.browser.shared.clipboard import Clipboard
from rove.browser.shared.consequences import ApprovedDocuments
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.popups import Popups
from rove.browser.shared.secrets import redacted_answer
from rove.browser.shared.storage import PageStorage
from rove.browser.webkit.capture import take_picture, take_screenshot
from rove.browser.webkit.connection import Driver, WebDriverError
from rove.browser.webkit.evaluation import evaluate
from rove.browser.webkit.input import InputDevices
from rove.browser.webkit.launch import SCREEN_SIZE
from rove.browser.webkit.live_page import LivePage
from rove.browser.webkit.logs import PageConsole, PageRequests
from rove.browser.webkit.navigation import Navigator
from rove.browser.webkit.storage import PageCookies
from rove.browser.webkit.unsupported import NoScreencast, NoWorkers, WithheldSecrets, unsupported
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box, ImageFormat, LoadStage, PdfFile, PdfOptions, ScreenshotImage

# How often a window is given another size until its viewport has the one that was asked for.
MAX_RESIZES = 4


class SharedResources:
    """What the tabs of one context share: ref numbers, clipboard, and what may be read."""

    def __init__(self, settings: Settings, scratch: Path, downloads: Path) -> None:
        """`scratch`: for copies of files to upload. `downloads`: where the browser puts what it downloads."""
        self.settings = settings
        self.scratch = scratch
        self.downloads = downloads
        self.ref_numbers = RefNumbers()
        self.clipboard = Clipboard()
        self.may_read: Callable[[str], bool] = lambda address: True
        self.withheld = "(not shown)"
        self.redactor: TextRedactor = NoRedactor()
        # Called when a tab was opened, closed or made current, or shows another URL.
        self.on_changed: Callable[[], object] = lambda: None

    def redact(self, text: str) -> str:
        return self.redactor.redact(text)

    def redact_answer(self, answer: Any) -> Any:
        return redacted_answer(answer, self.redactor)


class PageConsequences(consequences.PageConsequences):
    """Reads what elements of one page send or open."""

    can_hold = False

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        """Raise Unsupported: what a person was shown could not be enforced, so that it is not done."""
        raise unsupported("hold a page to what a person approved")

    async def release_documents(self) -> None:
        """Do nothing, as nothing is held."""


class Tab(tab.Tab):
    """A page with an id that is never reused."""

    def __init__(self, driver: Driver, window: str, shared: SharedResources, identity: str) -> None:
        page = LivePage(driver, window, shared.settings, shared.ref_numbers)
        page.policy_allows = lambda address: shared.may_read(address)
        page.worlds.main.redact = shared.redact_answer
        observer = PageObserver(page, lambda: shared.withheld)
        self.input: InputDevices = InputDevices(
            page, shared.clipboard, shared.scratch, observer.note_touched, observer.aria
        )
        popups = Popups(page.events, shared.settings.limits.tabs, page.stop_opening_windows, page.origins)
        super().__init__(identity, shared.settings, page, observer, self.input, popups)
        self._page = page
        self._shared = shared
        self.redact = shared.redact
        self.network: PageRequests = PageRequests(page.origins)
        self._console = PageConsole(page.events, page.origins)
        self.workers: NoWorkers = NoWorkers()
        self.cookies: PageCookies = PageCookies(page)
        self.storage: PageStorage = PageStorage(page.worlds)
        self.screencast: NoScreencast = NoScreencast()
        self.consequences: PageConsequences = PageConsequences(self.input)
        self._navigator = Navigator(page)
        page.on_report = self._on_report
        page.on_document = self._on_document
        page.on_moved = lambda: shared.on_changed()

    @property
    def page(self) -> LivePage:
        return self._page

    @property
    def console(self) -> tuple[PageConsole, ...]:
        return (self._console,)

    async def open(self) -> None:
        """Follow the page, and give it the size that the settings say."""
        await self.page.open()
        await self.resize(self.settings.viewport.width, self.settings.viewport.height)

    def _on_document(self, url: str) -> None:
        self.input.page_modes.start_document()
        self.popups.start_document()
        self.network.start_document()
        self._shared.on_changed()

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

    # Navigation

    async def navigate(self, url: str, until: LoadStage = "domcontentloaded") -> None:
        """Load a URL until the document has come so far: parsed, unless time is short; a later stage in any case."""
        await self._navigator.navigate(url, until)

    async def go_in_history(self, steps: int) -> bool:
        """Go back or forward in history; False when there is no such entry."""
        return await self._navigator.go_in_history(steps)

    async def reload(self) -> None:
        await self._navigator.reload()

    # Scripts and pictures

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        """Run JavaScript in the page; a function is called."""
        return await evaluate(self.page, self.page.place, expression, self.url.around, await_promise)

    async def take_screenshot(
        self, box: Box | None, full_page: bool, kind: ImageFormat, max_side: int | None = None
    ) -> ScreenshotImage:
        """Capture the viewport, the full page, or a box of the viewport."""
        capture = take_screenshot(self.page, box, full_page, kind, max_side or self.settings.observing.picture)
        async with without_withheld_frames(self.page):
            return await self.page.painted(capture)

    async def take_picture(self, quality: int) -> bytes:
        """Return a JPEG of the viewport as it is shown now."""
        return await take_picture(self.page, quality)

    async def print_pdf(self, options: PdfOptions, name: str, folder: str = "") -> PdfFile:
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

    async def end_input(self) -> None:
        """Do nothing: there is no input of a person."""

    async def close(self) -> None:
        """Close the window."""
        page = self.page
        try:
            if not page.is_closed:
                await page.end_dialog()
                page.mark_closed()
                with contextlib.suppress(WebDriverError):
                    await page.driver.send_to(page.place, "DELETE", "/window")
        finally:
            page.mark_closed()
            await self.release()


def _centred(size: dict[str, int]) -> dict[str, int]:
    """Return where a window covers the middle of the screen: without a window manager, the pointer there focuses it."""
    width, height = SCREEN_SIZE
    return {"x": max((width - size["width"]) // 2, 0), "y": max((height - size["height"]) // 2, 0)}
