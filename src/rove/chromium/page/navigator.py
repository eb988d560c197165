"""Going places: from an address to a document that is there and parsed, or to the reason why not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Coroutine, Generator
from typing import Any, TypeVar

from rove.browser.failures import PageStuck
from rove.browser.navigation_errors import credentials_error, interrupted_error, navigation_error
from rove.browser.page_state import DocumentRequest
from rove.chromium.page.live_page import LivePage
from rove.chromium.protocol.connection import CdpError, CdpResult
from rove.errors import NavigationFailed, RoveError

R = TypeVar("R")
# How long a page that is being left may keep the browser waiting; once it has tried that, it is not trusted again.
LEAVING_PATIENCE = 0.5
NO_MORE_PATIENCE = 0.1
# A script that could not be broken off this often never will be.
IN_VAIN = 2
# How often an address is tried while the page that is there keeps navigating.
ATTEMPTS = 5
# From the browser's answer until the news of a move within the document is there.
NEWS_PATIENCE = 1.0
NO_CONTENT = (204, 205)
# A session's way out is in our own process and always open. A browser that does not find it has lost the process that
# knew of it, and all cookies with that: it is as good as gone.
NO_WAY_OUT = "net::ERR_PROXY_CONNECTION_FAILED"


class Navigator:
    """The journeys of one tab. What holds them up is left behind; what they end in is told."""

    def __init__(self, page: LivePage, is_attached: bool) -> None:
        self._page = page
        self._is_attached = is_attached
        self._left: DocumentRequest | None = None

    async def navigate(self, url: str) -> None:
        seen, begun = self._page.load_state.commits, self._page.downloads.begun
        with self._leaving():
            if self._page.dialogs.are_recent:
                await self._calm()
            answer = await self._load(url)
            if answer.get("isDownload"):
                await self._receive(begun)
            elif answer.get("errorText") == NO_WAY_OUT and not self._is_attached:
                raise self._page.mark_browser_lost("the browser has lost its way out")
            elif answer.get("errorText"):
                raise self._why_not(answer["errorText"], url)
            elif "loaderId" in answer:
                await self._arrive(self._unhindered(self._page.load_state.shows(answer["loaderId"])))
            else:
                await self._move_within(seen)

    async def travel(self, steps: int) -> bool:
        history = await self._page.cdp.send("Page.getNavigationHistory")
        index = history["currentIndex"] + steps
        if not 0 <= index < len(history["entries"]):
            return False
        await self._do("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})
        return True

    async def reload(self) -> None:
        await self._do("Page.reload", {})

    async def _do(self, method: str, params: dict[str, Any]) -> None:
        seen = self._page.load_state.commits
        with self._leaving():
            if self._page.dialogs.are_recent or not await self._page.answers(LEAVING_PATIENCE):
                await self._calm()
            await self._page.cdp.send(method, params)
            await self._arrive(self._unhindered(self._page.load_state.commits_after(seen)))

    async def _calm(self) -> None:
        """Have the page's script come to an end: a dialog that it opens while it is replaced cannot be answered."""
        for _ in range(ATTEMPTS):
            if await self._page.suppress_dialogs(LEAVING_PATIENCE):
                return
            await self._page.terminate_script()

    async def _load(self, url: str) -> CdpResult:
        """Have the browser load it; a page that keeps navigating may get in between, but not every time."""
        answer: CdpResult = {}
        for _ in range(ATTEMPTS):
            try:
                answer = await self._set_off(url)
            except CdpError as error:
                if self._page.cdp.is_closed:
                    raise
                raise NavigationFailed(f"{url} cannot be opened: {error}.") from error
            if answer.get("errorText") != "net::ERR_ABORTED" or not self._is_superseded(answer.get("loaderId")):
                break
        return answer

    async def _set_off(self, url: str) -> CdpResult:
        # Asked ahead: once the browser is on its way elsewhere, nothing more reaches the page that is there.
        asked = asyncio.ensure_future(self._page.answers(LEAVING_PATIENCE))
        going = asyncio.ensure_future(self._page.cdp.send("Page.navigate", {"url": url}))
        try:
            await asyncio.wait({going}, timeout=LEAVING_PATIENCE)
            if going.done() or await asked:
                return await self._unhindered(going, NO_MORE_PATIENCE)
            self._page.stop_loading()
            await self._page.terminate_script()
            return await self._unhindered(self._page.cdp.send("Page.navigate", {"url": url}))
        finally:
            asked.cancel()
            going.cancel()

    def _is_superseded(self, loader: str | None) -> bool:
        """Whether the page has asked for another document in place of one that we asked for."""
        document = self._page.requests.document
        return document is not None and document.loader != loader

    async def _unhindered(self, journey: Awaitable[R], pause: float = LEAVING_PATIENCE) -> R:
        """Go, and break off whatever script the page runs without end on being left: there are several it may run."""
        going, patience, in_vain = asyncio.ensure_future(journey), LEAVING_PATIENCE, 0
        try:
            while not (await asyncio.wait({going}, timeout=pause))[0]:
                pause = NO_MORE_PATIENCE
                if not self._waits_for_server and not await self._page.answers(patience) and not going.done():
                    in_vain += not await self._page.terminate_script()
                    patience = NO_MORE_PATIENCE
                if in_vain >= IN_VAIN and not going.done():
                    raise PageStuck(self._page.url)
            return going.result()
        finally:
            going.cancel()

    @property
    def _waits_for_server(self) -> bool:
        """Whether it is not the page that is left behind which keeps the next one from coming."""
        document = self._page.requests.document
        return document is not self._left and document is not None and document.is_awaited

    @contextlib.contextmanager
    def _leaving(self) -> Generator[None]:
        """While another document is waited for, nothing of the old one holds it up."""
        page = self._page
        page.requests.is_asked = True
        page.allow_navigation()
        before = self._left = page.requests.document
        try:
            with page.dialogs.leaving():
                yield
        except (asyncio.CancelledError, TimeoutError):
            # The agent is told that it did not load: it must not appear all the same, later, under its hands.
            page.stop_loading()
            raise
        finally:
            page.requests.is_asked = False
        if page.requests.document is not None and page.requests.document is not before:
            _complain(page.requests.document)

    async def _arrive(self, commit: Coroutine[Any, Any, None]) -> None:
        """Wait until a document is there and parsed, holds itself up with a dialog, or time is short."""
        page, is_there = self._page, False
        try:
            async with asyncio.timeout(self._page.time.for_loading):
                await commit
                is_there = True
                await page.dialogs.interrupts(page.load_state.reaches("DOMContentLoaded"))
        except TimeoutError:
            if not is_there:
                raise

    async def _receive(self, begun: int) -> None:
        """Wait for the download that an address turned out to be; one that takes longer goes on by itself."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._page.time.for_loading):
                await self._page.downloads.finish(begun)

    async def _move_within(self, seen: int) -> None:
        """A move within the document, of which the news may come a moment after the answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NEWS_PATIENCE):
                await self._page.load_state.commits_after(seen)

    def _why_not(self, reason: str, url: str) -> RoveError:
        document = self._page.requests.document
        if document is None:
            return navigation_error(reason, url)
        if document.status in NO_CONTENT:
            return NavigationFailed(
                f"HTTP {document.status}: {url} has no content to show.", hint="The tab shows the page it had before."
            )
        return navigation_error(reason, document.url, document.hops)


def _complain(document: DocumentRequest) -> None:
    """Raise what is wrong with a document that has arrived."""
    if document.failure and document.status is None:
        raise navigation_error(document.failure, document.url, document.hops)
    if document.failure:
        raise interrupted_error(document.failure, document.url)
    if document.challenge and document.status:
        raise credentials_error(document.status, document.url, document.challenge)
