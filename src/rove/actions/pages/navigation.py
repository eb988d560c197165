"""Navigation: load an address, go back or forward, reload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Url, action, arg
from rove.browser.documents.pdf import read_downloaded, read_shown
from rove.browser.network.retry_after import seconds_in
from rove.browser.page_data import DownloadedFile, LoadStage
from rove.documents.report import PdfRead
from rove.errors import NavigationFailed
from rove.outcome import Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab


@dataclass(frozen=True)
class Navigated(Result):
    url: str
    status: int | None = None
    # The file, if the address was that of a download.
    download: DownloadedFile | None = None
    # What the address leads to, if that is a PDF.
    document: PdfRead | None = None
    # Seconds after which the server asks to be called again.
    retry_after: float | None = None

    def __str__(self) -> str:
        return f"The server answered with HTTP {self.status}." if self.status and self.status >= 400 else ""

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the status, and the text of a PDF, which counts as written by the origin that it came from."""
        yield Passage(str(self))
        if self.document is not None:
            yield from self.document.passages(origin)


@action(Effect.NAVIGATE)
class Navigate(TabAction[Navigated]):
    """Go to a URL. Answers with a snapshot of the page."""

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
