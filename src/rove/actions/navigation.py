"""Navigation: load an address, go back or forward, reload; open an address and look at the page in one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from rove.action import AnyAction, CompositeAction, Effect, StepRunner, TabAction, Url, action, arg, parse
from rove.browser.documents import read_downloaded, read_shown
from rove.browser.network import seconds_in
from rove.browser.page_data import DownloadedFile, LoadStage
from rove.browser.page_state import DIALOG_OPEN
from rove.content.pdf.report import PdfRead
from rove.errors import DialogOpen, NavigationFailed
from rove.outcome import AnyOutcome, Attachment, Passage, Result
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# How often a visit waits for a dialog to be dismissed.
MOST_DIALOGS = 3
FILE = "The address is that of a file, not of a page: it is downloaded, and the tab shows what it showed before."


@dataclass(frozen=True)
class Navigated(Result):
    url: PageText
    status: int | None = None
    # The file, if the address was that of a download.
    download: DownloadedFile | None = None
    # What the address leads to, if that is a PDF.
    document: PdfRead | None = None
    # Seconds after which the server asks to be called again.
    retry_after: float | None = None

    def __str__(self) -> str:
        if self.download is not None:
            return FILE
        return f"The server answered with HTTP {self.status}." if self.status and self.status >= 400 else ""

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the status, and the text of a PDF, which counts as written by the origin that it came from."""
        yield Passage(str(self))
        if self.document is not None:
            yield from self.document.passages(origin)


@action(Effect.NAVIGATE)
class Navigate(TabAction[Navigated]):
    """Go to a URL. Answers with a snapshot of the page."""

    command: ClassVar[str | None] = "open"
    phrase: ClassVar[str | None] = "Navigate to"

    url: Url = arg("Address; https:// is assumed where no scheme is given.")
    wait_until: LoadStage | None = arg("Answer then; by default, when the page is quiet.", default=None)

    @property
    def destination(self) -> str | None:
        return self.url

    @property
    def settles(self) -> bool:
        return self.wait_until not in ("commit", "domcontentloaded")

    async def perform(self, tab: Tab) -> Navigated:
        page = tab.page
        downloads, documents = page.downloads.count, page.load_state.documents
        await tab.navigate(self.url, self.wait_until or "domcontentloaded")
        # A page that has loaded may start downloads too.
        if page.load_state.documents != documents:
            return await _loaded(tab)
        download = page.downloads.latest(downloads)
        document = await read_downloaded(tab, download, self.url) if download is not None else None
        return Navigated(tab.url, page.status, download, document)


@action(Effect.NAVIGATE)
class Back(TabAction[Navigated]):
    """Go back one page."""

    async def perform(self, tab: Tab) -> Navigated:
        return await _travel(tab, -1)


@action(Effect.NAVIGATE)
class Forward(TabAction[Navigated]):
    """Go forward one page."""

    async def perform(self, tab: Tab) -> Navigated:
        return await _travel(tab, 1)


@action(Effect.NAVIGATE)
class Reload(TabAction[Navigated]):
    """Load the page again."""

    async def perform(self, tab: Tab) -> Navigated:
        await tab.reload()
        return await _loaded(tab)


async def _travel(tab: Tab, steps: int) -> Navigated:
    if not await tab.go_in_history(steps):
        where = "before" if steps < 0 else "after"
        message = f"There is no page {where} this one in the tab's history."
        raise NavigationFailed(message, hint="Use {navigate}.", retryable=False)
    return await _loaded(tab)


async def _loaded(tab: Tab) -> Navigated:
    """Tell of the page that was loaded; of a PDF, also its text, which its viewer does not give to scripts."""
    answer = tab.page.requests.document
    retry_after = seconds_in(answer.headers.get("retry-after")) if answer is not None else None
    return Navigated(tab.url, tab.page.status, document=await read_shown(tab), retry_after=retry_after)


@dataclass(frozen=True)
class Visited(Result):
    """What was read or pictured, and how the address was opened, if one was. Of a file, nothing is pictured."""

    opened: AnyOutcome | None = None
    seen: AnyOutcome | None = None
    # The waits for dialogs to be dismissed, after which the page goes on loading.
    waits: tuple[AnyOutcome, ...] = ()

    @property
    def parts(self) -> tuple[AnyOutcome, ...]:
        return tuple(part for part in (self.opened, *self.waits, self.seen) if part is not None)

    @property
    def was_blocked(self) -> bool:
        """Whether a dialog was open when the address had been opened."""
        return self.opened is not None and any(event.kind == DIALOG_OPEN for event in self.opened.events)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return self.seen.attachments if self.seen is not None else ()

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell how the server answered, then what was read; of a file, where it is and the text of a PDF."""
        if self.opened is not None:
            yield from self._opening(origin)
        if self.seen is not None:
            yield from self.seen.result.passages(self.seen.origin)

    def _opening(self, origin: str) -> Iterator[Passage]:
        navigated: Navigated = self.opened.result if self.opened else Navigated(PageText("", NOWHERE))
        if self.seen is not None:
            yield Passage(str(navigated))
            return
        yield from navigated.passages(origin)


@action(Effect.NAVIGATE, observes=False, group="reading")
class Visit(CompositeAction[Visited]):
    """Open an address and read or picture the page as one step, in which no other call uses the tab."""

    url: Url | None = arg("Address; the page that is open if not given.", default=None)
    show: Literal["text", "picture"] = arg("The readable text of the page, or a picture of it.", default="text")
    full_page: bool = arg("A picture of the whole page, not only of what is in view.", default=False)

    @property
    def actions(self) -> Sequence[AnyAction]:
        return (*self._opening, self._looking)

    @property
    def shares_time(self) -> bool:
        return True

    @property
    def _opening(self) -> Sequence[AnyAction]:
        return (parse("navigate", {"url": self.url}),) if self.url else ()

    @property
    def _looking(self) -> AnyAction:
        if self.show == "picture":
            # The file is the result, so that it has the size of the page.
            return parse("screenshot", {"path": "screenshots/", "full_page": self.full_page, "full_size": True})
        return parse("extract", {"mode": "readable"})

    async def perform(self, runner: StepRunner) -> Visited:
        opened = None
        for step in self._opening:
            opened = await runner.run(step)
            if opened.result.download is not None:
                return Visited(opened)
        return await self._look(runner, Visited(opened))

    async def _look(self, runner: StepRunner, visited: Visited, dialogs: int = 0) -> Visited:
        """Look at the page; if a dialog was in the way, once that is dismissed and the page has gone on loading."""
        try:
            if dialogs or visited.was_blocked:
                waited = await runner.run(parse("wait", {"load": "load"}))
                visited = replace(visited, waits=(*visited.waits, waited))
            return replace(visited, seen=await runner.run(self._looking))
        except DialogOpen:
            if dialogs == MOST_DIALOGS:
                raise
            return await self._look(runner, visited, dialogs + 1)
