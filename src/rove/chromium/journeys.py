"""Going places: from an address to a document that is there and parsed, or to the reason why not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any

from rove.chromium.failures import asks_for_password, broken_off, failure
from rove.chromium.traffic import Document
from rove.chromium.wire import Answer, WireError
from rove.errors import NavigationFailed, RoveError

if TYPE_CHECKING:
    from rove.chromium.tab import Tab

# How often an address is tried while the page that is there keeps navigating.
ATTEMPTS = 5
# From the browser's answer until the news of a move within the document is there.
NEWS_PATIENCE = 1.0
NO_CONTENT = (204, 205)
# A session's way out is in our own process and always open. A browser that does not find it has lost the process that
# knew of it, and all cookies with that: it is as good as gone.
NO_WAY_OUT = "net::ERR_PROXY_CONNECTION_FAILED"


class Journeys:
    """The journeys of one tab. What holds them up is left behind; what they end in is told."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    async def navigate(self, url: str) -> None:
        seen, begun = self._tab.loading.commits, self._tab.downloads.begun
        with self._leaving():
            answer = await self._load(url)
            if answer.get("isDownload"):
                await self._receive(begun)
            elif answer.get("errorText") == NO_WAY_OUT and not self._tab.is_guest:
                raise self._tab.give_up_browser("the browser has lost its way out")
            elif answer.get("errorText"):
                raise self._why_not(answer["errorText"], url)
            elif "loaderId" in answer:
                await self._arrive(self._tab.loading.shows(answer["loaderId"]))
            else:
                await self._move_within(seen)

    async def travel(self, steps: int) -> bool:
        history = await self._tab.session.send("Page.getNavigationHistory")
        index = history["currentIndex"] + steps
        if not 0 <= index < len(history["entries"]):
            return False
        await self._do("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})
        return True

    async def reload(self) -> None:
        await self._do("Page.reload", {})

    async def _do(self, method: str, params: dict[str, Any]) -> None:
        seen = self._tab.loading.commits
        with self._leaving():
            await self._tab.session.send(method, params)
            await self._arrive(self._tab.loading.commits_after(seen))

    async def _load(self, url: str) -> Answer:
        """Have the browser load it; a page that keeps navigating may get in between, but not every time."""
        answer: Answer = {}
        for _ in range(ATTEMPTS):
            try:
                answer = await self._tab.session.send("Page.navigate", {"url": url})
            except WireError as error:
                if self._tab.session.is_closed:
                    raise
                raise NavigationFailed(f"{url} cannot be opened: {error}.") from error
            if answer.get("errorText") != "net::ERR_ABORTED" or not self._is_superseded(answer.get("loaderId")):
                break
        return answer

    def _is_superseded(self, loader: str | None) -> bool:
        """Whether the page has asked for another document in place of one that we asked for."""
        document = self._tab.traffic.document
        return document is not None and document.loader != loader

    @contextlib.contextmanager
    def _leaving(self) -> Generator[None]:
        """While another document is waited for, nothing of the old one holds it up."""
        tab = self._tab
        tab.traffic.is_asked = True
        tab.let_move()
        before = tab.traffic.document
        try:
            with tab.dialogs.leaving():
                yield
        except (asyncio.CancelledError, TimeoutError):
            # The agent is told that it did not load: it must not appear all the same, later, under its hands.
            tab.stop_soon()
            raise
        finally:
            tab.traffic.is_asked = False
        if tab.traffic.document is not None and tab.traffic.document is not before:
            _complain(tab.traffic.document)

    async def _arrive(self, commit: Coroutine[Any, Any, None]) -> None:
        """Wait until a document is there and parsed, holds itself up with a dialog, or time is short."""
        tab, is_there = self._tab, False
        try:
            async with asyncio.timeout(self._tab.time_to_wait):
                await commit
                is_there = True
                await tab.dialogs.interrupts(tab.loading.reaches("DOMContentLoaded"))
        except TimeoutError:
            if not is_there:
                raise

    async def _receive(self, begun: int) -> None:
        """Wait for the download that an address turned out to be; one that takes longer goes on by itself."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._tab.time_to_wait):
                await self._tab.downloads.finish(begun)

    async def _move_within(self, seen: int) -> None:
        """A move within the document, of which the news may come a moment after the answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NEWS_PATIENCE):
                await self._tab.loading.commits_after(seen)

    def _why_not(self, reason: str, url: str) -> RoveError:
        document = self._tab.traffic.document
        if document is None:
            return failure(reason, url)
        if document.status in NO_CONTENT:
            return NavigationFailed(
                f"HTTP {document.status}: {url} has no content to show.", hint="The tab shows the page it had before."
            )
        return failure(reason, document.url, document.hops)


def _complain(document: Document) -> None:
    """Raise what is wrong with a document that has arrived."""
    if document.failure and document.status is None:
        raise failure(document.failure, document.url, document.hops)
    if document.failure:
        raise broken_off(document.failure, document.url)
    if document.challenge and document.status:
        raise asks_for_password(document.status, document.url, document.challenge)
