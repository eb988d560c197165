"""One address read in a tab of its own, which the agent does not see and which is closed afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from rove.action import Effect
from rove.browser.failures import BrowserError, PageStuck
from rove.engine.run.deadline import BUSY_PAGE_HINT, PAGE_LOAD, Deadline
from rove.engine.run.settle import StartState, settle
from rove.engine.run.tab_lock import TabLock, unless_crashed
from rove.errors import DeadlineExceeded, NavigationFailed
from rove.fetching.http.answer import Headers, HttpAnswer
from rove.fetching.page_facts import page_facts
from rove.fetching.signs.bot_walls import find_wall
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.engine.network_access import NetworkAccess
    from rove.reading.page_source import PageSource

# Seconds that a check for robots has to let the browser through by itself.
CHECK_SECONDS = 10.0
# Seconds that are kept to read the page once time is short.
READ_SECONDS = 2.0
CLOSE_SECONDS = 2.0
NO_PAGE_HINT = "Check the address: the server may have answered with nothing."


@dataclass(frozen=True)
class ShownPage:
    """The page that a browser shows at an address. `wall`: the product that still checks for robots, if one does.

    Without `source`, the browser did not show it but downloaded it: `file`, at `path` in the workspace.
    """

    url: str
    status: int
    source: PageSource | None
    wall: str | None = None
    file: HttpAnswer | None = None
    path: str = ""


class BrowserReading:
    """Reads addresses in a browser context, within the deadline of a call."""

    def __init__(self, context: Context, network: NetworkAccess, secrets: SecretSource, deadline: Deadline) -> None:
        self._context = context
        self._network = network
        self._secrets = secrets
        self._deadline = deadline

    async def read(self, url: str) -> ShownPage:
        """Load an address, wait until the page has settled, and read it. Raises RoveError."""
        async with self._tab() as tab, TabLock(tab, self._deadline, Effect.NAVIGATE):
            tab.allow_changes(self._secrets)
            start, downloads = StartState.of(tab), tab.page.downloads.count
            await self._load(tab, url, start)
            is_page = tab.url.startswith(("http:", "https:")) and not tab.page.shows_pdf
            work = self._settled(tab, start) if is_page else _downloaded(tab, start, downloads)
            return await self._deadline.limit_on_tab(tab, unless_crashed(tab, work), PAGE_LOAD)

    async def _load(self, tab: Tab, url: str, start: StartState) -> None:
        try:
            loading = unless_crashed(tab, tab.navigate(url))
            await self._deadline.limit_on_tab(tab, loading, PAGE_LOAD)
        except PageStuck:
            raise DeadlineExceeded("The page is busy and lets nothing else run.", hint=BUSY_PAGE_HINT) from None
        except NavigationFailed:
            document = tab.page.requests.document
            has_part = document is not None and document.status is not None
            for address in (document.url if document else "", url):
                self._network.raise_failure(address, start.moment, has_part)
            raise
        self._network.refuse_document(tab.page.requests.document)

    async def _settled(self, tab: Tab, start: StartState) -> ShownPage:
        """Return the page once it is quiet and, if it is a check for robots, once that has had its time."""
        until = min(time.monotonic() + CHECK_SECONDS, self._deadline.moment - READ_SECONDS)
        await settle(tab, start, False)
        while (wall := await _wall(tab)) is not None and time.monotonic() < until:
            await tab.wait_for_change(max(min(until - time.monotonic(), 1.0), 0.01))
            await settle(tab, StartState.of(tab), False)
        self._network.refuse_document(tab.page.requests.document)
        return ShownPage(tab.url, tab.page.status or 200, await tab.page_source(), wall)

    @contextlib.asynccontextmanager
    async def _tab(self) -> AsyncGenerator[Tab]:
        """Open a tab of which the agent is not told; close it, and the dialogs of its page, in the end."""
        tab = await self._deadline.limit(self._context.new_background_tab())
        tasks = BackgroundTasks("web_fetch", expected=(BrowserError,))
        tasks.start(_dismiss_dialogs(tab))
        try:
            yield tab
        finally:
            await tasks.close()
            # Also when the call was cancelled.
            await asyncio.shield(self._close(tab))

    async def _close(self, tab: Tab) -> None:
        with contextlib.suppress(BrowserError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._context.close_tab(tab)


async def _downloaded(tab: Tab, start: StartState, before: int) -> ShownPage:
    """Return the file that the browser downloaded instead of showing a page."""
    await settle(tab, start, False)
    page = tab.page
    file = await page.download_document() if page.shows_pdf else page.downloads.latest(before)
    if file is None or file.path is None or not file.url.startswith(("http:", "https:")) or not page.may_read(file.url):
        raise NavigationFailed("The browser showed no page, and saved no file.", hint=NO_PAGE_HINT, retryable=False)
    most = tab.settings.fetching.megabytes * 2**20
    data = await asyncio.to_thread(_read_file, Workspace(tab.settings.workspace_folder), file.path, most + 1)
    # Without a type, as the file is told by its beginning.
    answer = HttpAnswer(file.url, 200, Headers(), data[:most], is_cut=len(data) > most)
    return ShownPage(file.url, 200, None, file=answer, path=file.path)


def _read_file(workspace: Workspace, path: str, most: int) -> bytes:
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        return opened.read(most)


async def _dismiss_dialogs(tab: Tab) -> None:
    while True:
        await tab.page.dialogs.wait_until_open()
        await tab.page.dialogs.answer(False, None)


async def _wall(tab: Tab) -> str | None:
    """Return the product that checks for robots, if that is what the tab shows."""
    document = tab.page.requests.document
    headers = Headers(tuple((name.lower(), value) for name, value in (document.headers if document else {}).items()))
    elements = await tab.resolve_all(":root", wait=False)  # which is not `html` in a picture or in XML
    html = await elements[0].read_html()
    return await asyncio.to_thread(_wall_in, html, tab.url, tab.page.status, headers)


def _wall_in(html: str, url: str, status: int | None, headers: Headers) -> str | None:
    facts = page_facts(html, url)
    # A header says how the document began: once its check has been passed, the page has its own words.
    is_passed = status is not None and status < 400 and len(facts.text) > 2000
    return None if is_passed else find_wall(status or 200, headers, html, facts)
