"""Navigation, as far as it is the same on every engine: dialogs, stages, downloads, and what is wrong in the end."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from rove.browser.failures import credentials_error, interrupted_error, navigation_error, quoted_url
from rove.browser.page_data import DocumentRequest, LoadStage
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.loading import Stage
from rove.errors import DeadlineExceeded, Denied, NavigationFailed

NO_CONTENT_STATUSES = (204, 205)
R = TypeVar("R")
# Seconds that the scripts of the current page may delay a navigation before they are asked for.
UNLOAD_TIMEOUT = 0.5
# How often a URL is tried while the current page keeps navigating elsewhere.
MAX_ATTEMPTS = 5
# Seconds from the browser's answer until it reports what it tells of.
COMMIT_TIMEOUT = 1.0
_LATE_STAGES: dict[LoadStage, Stage] = {"load": "load", "networkidle": "networkIdle"}


def raise_failure(document: DocumentRequest) -> None:
    """Raise if the document failed to load, failed halfway, or asks for a password."""
    if document.failure and document.status is None:
        raise navigation_error(document.failure, document.url, document.hops)
    if document.failure:
        raise interrupted_error(document.failure, document.url)
    if document.challenge and document.status:
        raise credentials_error(document.status, document.url, document.challenge)


def refuse_other_schemes(url: str, engine: str) -> None:
    """Raise Denied unless an address is of the web: only on Chromium does rove read files of the workspace itself.

    The policy may allow such files for a session on Chromium that runs beside this one.
    """
    if not url.lower().startswith(("http:", "https:", "about:blank")):
        raise Denied(quoted_url(url), f" is not opened on {engine}.", hint="Use an http: or https: address.")


def no_content_error(status: int, url: str) -> NavigationFailed:
    """Return the error for an address that answers with nothing to show."""
    message = (f"HTTP {status}: ", quoted_url(url), " has no content to show.")
    return NavigationFailed(*message, hint="The tab shows the page it had before.")


class Navigator(ABC):
    """Navigates one tab. An engine adds how a document is asked for."""

    def __init__(self, page: LivePage) -> None:
        self._page = page
        self._previous: DocumentRequest | None = None

    # Primitives of an engine

    @abstractmethod
    async def navigate(self, url: str, until: LoadStage) -> None:
        """Load a URL until the document has come so far: parsed, unless time is short; a later stage in any case."""

    @abstractmethod
    async def go_in_history(self, steps: int) -> bool:
        """Go back or forward in history; False when there is no such entry."""

    @abstractmethod
    async def reload(self) -> None:
        """Load the document again."""

    # What they are made of

    @property
    def has_asked(self) -> bool:
        """Whether the server of the next document has been asked for it."""
        return self._page.requests.document is not self._previous

    @property
    def waits_for_server(self) -> bool:
        """Whether the navigation waits for the server of the next document, not for the current page."""
        document = self._page.requests.document
        return self.has_asked and document is not None and document.is_awaited

    @contextlib.contextmanager
    def navigating(self) -> Generator[None]:
        """Dismiss the dialogs of the current page within this block, then raise what is wrong with the new document."""
        page = self._page
        page.requests.is_caller_waiting = True
        page.allow_navigation()
        previous = self._previous = page.requests.document
        try:
            with page.dialogs.dismissing():
                yield
        except (asyncio.CancelledError, TimeoutError):
            # The agent gets the error that the document did not load, so it must not appear later all the same.
            page.stop_loading()
            raise
        finally:
            page.requests.is_caller_waiting = False
        page.load_state.mark_seen()
        if page.requests.document is not None and page.requests.document is not previous:
            raise_failure(page.requests.document)

    async def wait_for_late_stage(self, until: LoadStage) -> None:
        """Wait for a stage after that of a parsed document. Raises DeadlineExceeded, as the caller has asked for it."""
        if (stage := _LATE_STAGES.get(until)) is None:
            return
        page = self._page
        try:
            async with asyncio.timeout(page.time.for_loading):
                await page.dialogs.run_until_dialog(page.load_state.wait_for_stage(stage))
        except TimeoutError:
            raise DeadlineExceeded(f"The page did not reach {until} in time.") from None

    async def until_parsed(self, loading: Coroutine[Any, Any, R], parses: bool = True) -> R:
        """Return the result of loading, once the document is parsed, a dialog blocks it, or time is short.

        Unless it `parses`, it is not waited for that.
        """
        page, results = self._page, list[R]()
        try:
            async with asyncio.timeout(page.time.for_loading):
                results.append(await loading)
                if parses:
                    await page.dialogs.run_until_dialog(page.load_state.wait_for_stage("DOMContentLoaded"))
        except TimeoutError:
            if not results:
                raise
        return results[0]

    async def wait_for_download(self, since: int) -> None:
        """Wait for the download that the URL started; one that takes longer continues in the background."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._page.time.for_loading):
                await self._page.downloads.wait_until_started(since)
                await self._page.downloads.wait_until_finished(since)
