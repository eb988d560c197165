"""Navigation: loading a URL, reloading and history, until the document is parsed or the reason why not is known."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from rove.browser.failures import PageStuck, navigation_error, quoted_url
from rove.browser.page_data import LoadStage
from rove.browser.shared import navigation
from rove.browser.shared.navigation import refuse_other_schemes
from rove.browser.webkit.connection import WebDriverError
from rove.browser.webkit.live_page import LivePage
from rove.errors import NavigationFailed

# Seconds in which the current page has to let another document take its place.
UNLOAD_SECONDS = 5.0
# Seconds in which the browser has to write the file of an address that led to no document.
DOWNLOAD_SECONDS = 2.0
EMPTY = "about:blank"
FAILED = "net::ERR_FAILED"


class Navigator(navigation.Navigator):
    """Navigates one tab."""

    _page: LivePage

    async def navigate(self, url: str, until: LoadStage) -> None:
        refuse_other_schemes(url, "WebKit")
        page = self._page
        with self.navigating():
            await self._end_of_current_page()
            documents = page.load_state.documents
            await self._load(url, lambda: self._send("/url", {"url": url}))
            if page.load_state.documents == documents:
                return  # a place within the document, or a download
            if page.load_state.url == EMPTY and not url.startswith("about:"):
                raise navigation_error(FAILED, url)
            await self._wait_until_parsed(until)

    async def go_in_history(self, steps: int) -> bool:
        commits = self._page.load_state.commits
        with self.navigating():
            self._page.begin_leaving()
            for _ in range(abs(steps)):
                await self._send("/back" if steps < 0 else "/forward", {})
            async with asyncio.timeout(self._page.time.for_loading):
                await self._wait_for_commit(commits, until_stopped=True)
            if self._page.load_state.commits == commits:
                return False
            await self._wait_until_parsed("domcontentloaded")
        return True

    async def reload(self) -> None:
        url = self._page.load_state.url
        with self.navigating():
            await self._load(url, lambda: self._send("/refresh", {}))
            await self._wait_until_parsed("domcontentloaded")

    async def _send(self, path: str, body: dict[str, Any]) -> None:
        await self._page.send_to(self._page.place, "POST", path, body)

    async def _end_of_current_page(self) -> None:
        """Raise PageStuck if the page is too busy for another document to take its place."""
        if not await self._page.answers_within(min(UNLOAD_SECONDS, self._page.time.for_loading)):
            raise PageStuck(self._page.url)

    async def _load(self, url: str, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask for a document and wait until it is shown. Raises NavigationFailed if the page stays as it is."""
        page, commits, downloads = self._page, self._page.load_state.commits, self._page.downloads.count
        page.begin_leaving(url)
        try:
            await ask()
        except WebDriverError as error:
            page.load_state.note_loading_stopped()
            if page.is_closed:
                raise
            raise navigation_error("net::ERR_INVALID_URL", url) from error
        async with asyncio.timeout(page.time.for_loading):
            await page.dialogs.run_until_dialog(self._wait_for_commit(commits, until_stopped=True))
        if page.load_state.commits > commits or page.dialogs.open or page.load_state.url == url:
            return
        if not await self._has_downloaded(downloads):
            raise NavigationFailed(
                "net::ERR_ABORTED: ",
                quoted_url(url),
                " led to no document.",
                hint="The tab shows the page it had before.",
            )

    async def _has_downloaded(self, since: int) -> bool:
        """Return whether the address is one of a download, which is waited for as long as there is time."""
        downloads = self._page.downloads
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(DOWNLOAD_SECONDS, self._page.time.for_loading)):
                await downloads.wait_until_started(since)
            async with asyncio.timeout(self._page.time.for_loading):
                await downloads.wait_until_finished(since)
        return downloads.count > since

    async def _wait_for_commit(self, commits: int, until_stopped: bool = False) -> None:
        load_state = self._page.load_state
        while load_state.commits <= commits and not (until_stopped and not load_state.is_navigating):
            waits = {asyncio.ensure_future(load_state.wait_for_commit(commits))}
            if until_stopped:
                waits.add(asyncio.ensure_future(load_state.wait_until_not_navigating()))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()

    async def _wait_until_parsed(self, until: LoadStage) -> None:
        page = self._page
        if until == "commit":
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(page.time.for_loading):
                await page.dialogs.run_until_dialog(page.load_state.wait_for_stage("DOMContentLoaded"))
        await self.wait_for_late_stage(until)
