"""Navigation: loading a URL, reloading and history, until the document is parsed or the reason why not is known."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

from rove.browser.chromium.connection import CdpError, CdpResult
from rove.browser.chromium.live_page import LivePage
from rove.browser.failures import PageStuck, navigation_error, quoted_url
from rove.browser.page_data import LoadStage
from rove.browser.shared import navigation
from rove.browser.shared.loading import ABORTED, PROXY_UNREACHABLE
from rove.browser.shared.navigation import (
    COMMIT_TIMEOUT,
    MAX_ATTEMPTS,
    NO_CONTENT_STATUSES,
    UNLOAD_TIMEOUT,
    no_content_error,
)
from rove.errors import NavigationFailed, RoveError

R = TypeVar("R")
# As `UNLOAD_TIMEOUT`, once a script of the page has been terminated.
REPEATED_UNLOAD_TIMEOUT = 0.1
# After this many failed attempts to terminate the page's script, the page is stuck.
MAX_FAILED_TERMINATIONS = 2
# Chromium never calls a response complete whose body the page does not read. It is waited for so many seconds.
UNREAD_SECONDS = 1.0


class Navigator(navigation.Navigator):
    """Navigates one tab. Scripts and dialogs of the current page that delay a navigation are ended."""

    _page: LivePage

    def __init__(self, page: LivePage, is_attached: bool) -> None:
        super().__init__(page)
        self._is_attached = is_attached
        if not is_attached:
            page.requests.on_proxy_unreachable = page.mark_network_lost

    async def navigate(self, url: str, until: LoadStage) -> None:
        commits, downloads = self._page.load_state.commits, self._page.downloads.count
        with self.navigating():
            if self._page.dialogs.are_recent:
                await self._end_script()
            answer = await self._load(url)
            if answer.get("isDownload"):
                await self.wait_for_download(downloads)
            elif answer.get("errorText") == PROXY_UNREACHABLE and not self._is_attached:
                raise self._page.mark_network_lost()
            elif answer.get("errorText"):
                raise self._error(answer["errorText"], url)
            elif "loaderId" in answer:
                loading = self._page.load_state.wait_for_loader(answer["loaderId"])
                await self.until_parsed(self._terminate_scripts_during(loading), until != "commit")
                with self._noting_idle(answer["loaderId"]) if until == "networkidle" else contextlib.nullcontext():
                    await self.wait_for_late_stage(until)
            else:
                await self._wait_for_commit(commits)

    async def go_in_history(self, steps: int) -> bool:
        history = await self._page.cdp.send("Page.getNavigationHistory")
        index = history["currentIndex"] + steps
        if not 0 <= index < len(history["entries"]):
            return False
        await self._send_navigation("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})
        return True

    async def reload(self) -> None:
        await self._send_navigation("Page.reload", {})

    async def _send_navigation(self, method: str, params: dict[str, Any]) -> None:
        commits = self._page.load_state.commits
        with self.navigating():
            if self._page.dialogs.are_recent or not await self._page.answers_within(UNLOAD_TIMEOUT):
                await self._end_script()
            await self._page.cdp.send(method, params)
            await self.until_parsed(self._terminate_scripts_during(self._page.load_state.wait_for_commit(commits)))

    async def _end_script(self) -> None:
        """End the page's script: a dialog that it opens while the page is replaced cannot be answered."""
        for _ in range(MAX_ATTEMPTS):
            if await self._page.suppress_dialogs(UNLOAD_TIMEOUT):
                return
            await self._page.terminate_script()

    async def _load(self, url: str) -> CdpResult:
        """Load a URL; try again if the current page navigates elsewhere meanwhile."""
        answer: CdpResult = {}
        for _ in range(MAX_ATTEMPTS):
            try:
                answer = await self._start_navigation(url)
            except CdpError as error:
                if self._page.cdp.is_closed:
                    raise
                raise NavigationFailed(quoted_url(url), f" cannot be opened: {error}.") from error
            if answer.get("errorText") != ABORTED or not self._is_superseded(answer.get("loaderId")):
                break
        if answer.get("errorText") == ABORTED and not answer.get("isDownload") and self.waits_for_server:
            # So ends a request without an answer when the network process dies. The next one shows whether it did.
            answer = await self._start_navigation(url)
        return answer

    async def _start_navigation(self, url: str) -> CdpResult:
        # This command is sent first: once the browser navigates, the current page receives no more commands.
        answering = asyncio.ensure_future(self._page.answers_within(UNLOAD_TIMEOUT))
        navigation = asyncio.ensure_future(self._page.cdp.send("Page.navigate", {"url": url}))
        try:
            await asyncio.wait({navigation}, timeout=UNLOAD_TIMEOUT)
            # A request that has been sent is not sent again: that a new page is slow to answer does not hold it up.
            if navigation.done() or self.has_asked or await answering:
                return await self._terminate_scripts_during(navigation, REPEATED_UNLOAD_TIMEOUT)
            self._page.stop_loading()
            await self._page.terminate_script()
            return await self._terminate_scripts_during(self._page.cdp.send("Page.navigate", {"url": url}))
        finally:
            answering.cancel()
            navigation.cancel()

    def _is_superseded(self, loader: str | None) -> bool:
        """Return whether the page has requested another document in place of the one with this loader id."""
        document = self._page.requests.document
        return document is not None and document.loader != loader

    async def _terminate_scripts_during(self, work: Awaitable[R], pause: float = UNLOAD_TIMEOUT) -> R:
        """Return the result of the work; meanwhile terminate the scripts with which the page delays its unloading."""
        task, timeout, failures = asyncio.ensure_future(work), UNLOAD_TIMEOUT, 0
        try:
            while not (await asyncio.wait({task}, timeout=pause))[0]:
                pause = REPEATED_UNLOAD_TIMEOUT
                if not self.waits_for_server and not await self._page.answers_within(timeout) and not task.done():
                    failures += not await self._page.terminate_script()
                    timeout = REPEATED_UNLOAD_TIMEOUT
                if failures >= MAX_FAILED_TERMINATIONS and not task.done():
                    raise PageStuck(self._page.url)
            return task.result()
        finally:
            task.cancel()

    @contextlib.contextmanager
    def _noting_idle(self, loader: str) -> Generator[None]:
        """Within this block, count the network as idle when only responses are left that the page does not read."""
        page = self._page
        watching = page.tasks.start(page.load_state.note_idle(loader, lambda: not self._leaves_responses_unread))
        try:
            yield
        finally:
            watching.cancel()

    @property
    def _leaves_responses_unread(self) -> bool:
        """Whether the page has loaded, and all that is under way are responses that it does not read."""
        since, pending = time.monotonic() - UNREAD_SECONDS, self._page.requests.pending
        is_answered = bool(pending) and all(each.answered is not None and each.answered < since for each in pending)
        return is_answered and self._page.load_state.has_reached("load")

    async def _wait_for_commit(self, commits: int) -> None:
        """Wait for a navigation within the document, which the browser may report after its answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(COMMIT_TIMEOUT):
                await self._page.load_state.wait_for_commit(commits)

    def _error(self, reason: str, url: str) -> RoveError:
        document = self._page.requests.document
        if document is None:
            return navigation_error(reason, url)
        if document.status in NO_CONTENT_STATUSES:
            return no_content_error(document.status, url)
        return navigation_error(reason, document.url, document.hops)
