"""Navigation, as far as it is the same on every engine: dialogs, stages, downloads, and what is wrong in the end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from typing import Generic, TypeVar

from rove.browser.page_data import DocumentRequest, LoadStage
from rove.errors import DeadlineExceeded
from rove.page.events.load_state import Stage
from rove.page.live_page import LivePage
from rove.page.navigation_failures import raise_failure

P = TypeVar("P", bound=LivePage)
_LATE_STAGES: dict[LoadStage, Stage] = {"load": "load", "networkidle": "networkIdle"}


class Navigator(Generic[P]):
    """Navigates one tab. An engine adds how a document is asked for."""

    def __init__(self, page: P) -> None:
        self._page = page
        self._previous: DocumentRequest | None = None

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

    async def wait_for_download(self, since: int) -> None:
        """Wait for the download that the URL started; one that takes longer continues in the background."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._page.time.for_loading):
                await self._page.downloads.wait_until_started(since)
                await self._page.downloads.wait_until_finished(since)
