"""Navigation: loading a URL, reloading and history, until the document is parsed or the reason why not is known."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any, TypeVar

from rove.browser.failures import PageStuck, navigation_error, quoted_url
from rove.browser.firefox.connection import BidiError
from rove.browser.firefox.live_page import LivePage
from rove.browser.firefox.network import chromium_name
from rove.browser.page_data import LoadStage
from rove.browser.shared import navigation
from rove.browser.shared.live_page import same_document
from rove.browser.shared.loading import ABORTED
from rove.browser.shared.navigation import (
    COMMIT_TIMEOUT,
    MAX_ATTEMPTS,
    NO_CONTENT_STATUSES,
    UNLOAD_TIMEOUT,
    no_content_error,
    refuse_other_schemes,
)
from rove.errors import NavigationFailed, RoveError

R = TypeVar("R")
# How often the current page is found not to answer before it is stuck: Firefox cannot end its script.
MAX_SILENT_LOOKS = 4
NAVIGATION_SECONDS = 600.0


class Navigator(navigation.Navigator):
    """Navigates one tab. Dialogs of the current page that delay a navigation are dismissed."""

    _page: LivePage

    async def navigate(self, url: str, until: LoadStage) -> None:
        refuse_other_schemes(url, "Firefox")
        downloads = self._page.downloads.count
        with self.navigating():
            if self._page.dialogs.are_recent:
                await self._page.suppress_dialogs(UNLOAD_TIMEOUT)
            navigation = await self.until_parsed(self._unless_stuck(self._load(url)), until != "commit")
            if navigation is None:
                return
            if await self._ending(navigation) == "download":
                await self.wait_for_download(downloads)
            else:
                await self.wait_for_late_stage(until)

    async def _ending(self, navigation: str) -> str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(COMMIT_TIMEOUT):
                return await self._page.load_state.wait_for_ending(navigation)
        return "committed"

    async def go_in_history(self, steps: int) -> bool:
        try:
            await self._send_navigation("browsingContext.traverseHistory", {"delta": steps})
        except BidiError as error:
            if error.code != "no such history entry":
                raise
            return False
        return True

    async def reload(self) -> None:
        await self._send_navigation("browsingContext.reload", {"wait": "none"})

    async def _send_navigation(self, method: str, params: dict[str, Any]) -> None:
        commits = self._page.load_state.commits

        async def sent() -> None:
            try:
                await self._page.channel.send(method, params, timeout=NAVIGATION_SECONDS)
            except BidiError as error:
                if self._page.is_closed or error.code == "no such history entry":
                    raise
                # What could not be loaded is told by the request for it.
            await self._page.load_state.wait_for_commit(commits)

        with self.navigating():
            if self._page.dialogs.are_recent:
                await self._page.suppress_dialogs(UNLOAD_TIMEOUT)
            await self.until_parsed(self._unless_stuck(sent()))

    async def _load(self, url: str) -> str | None:
        """Load a URL and return the id of its navigation; try again if the page navigates elsewhere meanwhile."""
        for _ in range(MAX_ATTEMPTS):
            try:
                navigation = await self._started(url)
            except BidiError as error:
                if self._page.is_closed:
                    raise
                if not self._is_superseded(url, error):
                    raise self._error(error, url) from error
            else:
                if navigation is not None:
                    await self._ending(navigation)
                return navigation
        raise NavigationFailed(quoted_url(url), " cannot be opened: the page keeps navigating elsewhere.")

    async def _started(self, url: str) -> str | None:
        """Return the id of the navigation to a URL, once Firefox answers or the document is there.

        Firefox does not answer if the page before is parsed at this very moment: it gives the navigation another id.
        """
        params = {"url": url, "wait": "none"}
        sending = self._page.channel.send("browsingContext.navigate", params, timeout=NAVIGATION_SECONDS)
        answer, showing = asyncio.ensure_future(sending), asyncio.ensure_future(self._until_shown(url))
        try:
            await asyncio.wait({answer, showing}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({answer}, timeout=COMMIT_TIMEOUT)
            return answer.result()["navigation"] if answer.done() else self._page.load_state.loader
        finally:
            answer.cancel()
            showing.cancel()

    async def _until_shown(self, url: str) -> None:
        """Wait until the document that was asked for is shown, also after redirects."""
        load_state = self._page.load_state
        while True:
            await load_state.wait_for_document(load_state.documents)
            document = self._page.requests.document
            if document is None or not self.has_asked or url not in (document.url, *document.hops):
                continue
            if same_document(load_state.url, document.url):
                return

    def _is_superseded(self, url: str, error: BidiError) -> bool:
        """Return whether the page has requested another document in place of the one that was asked for."""
        document = self._page.requests.document
        is_aborted = chromium_name(str(error)) == ABORTED
        other = document is not None and document is not self._previous and url not in (document.url, *document.hops)
        return is_aborted and other

    async def _unless_stuck(self, work: Awaitable[R]) -> R:
        """Return the result of the work; raise PageStuck if the current page delays its unloading for too long."""
        task, looks = asyncio.ensure_future(work), 0
        try:
            while not (await asyncio.wait({task}, timeout=UNLOAD_TIMEOUT))[0]:
                is_silent = not self.waits_for_server and not await self._page.answers_within(UNLOAD_TIMEOUT)
                looks = looks + 1 if is_silent else 0
                if looks >= MAX_SILENT_LOOKS and not task.done():
                    raise PageStuck(self._page.url)
            return task.result()
        finally:
            task.cancel()

    def _error(self, error: BidiError, url: str) -> RoveError:
        document = self._page.requests.document
        if document is None or document is self._previous:
            return navigation_error(chromium_name(str(error)), url)
        if document.status in NO_CONTENT_STATUSES:
            return no_content_error(document.status, url)
        return navigation_error(document.failure or chromium_name(str(error)), document.url, document.hops)
