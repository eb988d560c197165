"""The load state of a tab's main document: navigating, committed, parsed, loaded."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Literal, get_args

Stage = Literal["DOMContentLoaded", "load", "networkIdle"]
# A page that commits this many documents in this many seconds is in a navigation loop.
LOOP_DOCUMENTS = 10
LOOP_SECONDS = 10.0
# The loop has ended if the last document has stayed this long.
LOOP_END_SECONDS = 2.0
# The network is idle after so many seconds without requests, in which is looked so often.
IDLE_SECONDS = 0.5
IDLE_LOOKS = 5


class LoadState:
    """Follows the main frame's document as an engine reports its navigations and the stages of its loading.

    `loader` is the engine's id of the navigation that led to a document.
    """

    def __init__(self, url: str) -> None:
        self.url = url or "about:blank"
        self.mime_type = ""
        self._stages: set[str] = set(get_args(Stage))
        self._loader: str | None = None
        self._is_body_complete = False
        self._changed = asyncio.Event()
        self._commit_times: deque[float] = deque(maxlen=LOOP_DOCUMENTS)
        self._committed_loaders: deque[str] = deque(maxlen=LOOP_DOCUMENTS)
        # A navigation is first requested by the page, then started by the browser, which may also refuse it.
        self._is_requested = False
        self._is_started = False
        # Commits count documents and navigations within a document.
        self.commits = 0
        self.documents = 0
        # Addresses of pages that stayed empty, or busy as they showed, for as long as a page is waited for.
        self.never_ready: set[str] = set()
        # The commits before the last action that may have navigated, or that a wait for a navigation has seen.
        self._seen_commits = 0

    def has_reached(self, stage: Stage) -> bool:
        """Return whether the document has reached a stage and no other document is about to replace it."""
        return stage in self._stages and not self.is_navigating

    @property
    def is_navigating(self) -> bool:
        """Whether another document has been requested and is not committed yet."""
        return self._is_requested or self._is_started

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself."""
        now = time.monotonic()
        is_loop = len(self._commit_times) == LOOP_DOCUMENTS and now - self._commit_times[0] < LOOP_SECONDS
        return is_loop and now - self._commit_times[-1] < LOOP_END_SECONDS

    @property
    def has_navigated(self) -> bool:
        """Whether another page was loaded since the last act began, and no further one is on its way."""
        return self.commits > self._seen_commits and self.has_reached("load")

    def mark_seen(self) -> None:
        """Count only navigations from now on."""
        self._seen_commits = self.commits

    def forget_recent_commits(self) -> None:
        """Start counting documents anew: the caller is about to ask for one."""
        self._commit_times.clear()

    def set_initial_document(self, url: str, mime_type: str) -> None:
        """Set the URL of a document that was there before events were received, unless another was committed since."""
        if self.commits == 0:
            self.url, self.mime_type = url, mime_type

    def mark_stopped(self) -> None:
        """Note that loading was stopped: no more of the document will arrive."""
        self._is_body_complete = True

    async def wait_for_stage(self, stage: Stage) -> None:
        """Wait until the document has reached a stage, or until the page is in a navigation loop."""
        while not self.has_reached(stage) and not self.keeps_navigating:
            await self._next_event()

    async def note_idle(self, navigation: str, has_pending: Callable[[], bool]) -> None:
        """Reach the stage `networkIdle` once no request has been under way for half a second."""
        quiet = 0
        while quiet < IDLE_LOOKS:
            await asyncio.sleep(IDLE_SECONDS / IDLE_LOOKS)
            quiet = 0 if has_pending() else quiet + 1
        self.reach("networkIdle", navigation)

    async def wait_until_navigating(self) -> None:
        """Wait until another document is requested."""
        while not self.is_navigating:
            await self._next_event()

    async def wait_until_not_navigating(self) -> None:
        """Wait until the requested document is committed or the navigation has ended without one."""
        while self.is_navigating:
            await self._next_event()

    async def wait_for_commit(self, after: int) -> None:
        """Wait until `commits` is more than `after`; navigations within the document count."""
        while self.commits <= after:
            await self._next_event()

    async def wait_for_loader(self, loader: str) -> None:
        """Wait until the document with this loader id has been committed."""
        while not self.has_committed(loader):
            await self._next_event()

    def has_committed(self, loader: str) -> bool:
        """Return whether the document with this loader id is, or was lately, the one that is shown."""
        return loader in self._committed_loaders

    async def wait_for_document(self, after: int) -> None:
        """Wait until `documents` is more than `after`."""
        while self.documents <= after:
            await self._next_event()

    async def _next_event(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    # What an engine reports of the main frame

    def begin_document(self, loader: str) -> None:
        """Note that a document takes the place of the last one; no stage is reached."""
        self._loader, self._stages, self._is_body_complete = loader, set(), False
        self._changed.set()

    def reach(self, stage: str, loader: str) -> None:
        """Note that the document of a navigation has reached a stage."""
        if loader == self._loader:
            self._stages.add(stage)
        self._changed.set()

    def commit_document(self, url: str, loader: str, mime_type: str) -> None:
        """Note that another document is shown."""
        self.documents += 1
        self._commit_times.append(time.monotonic())
        self._committed_loaders.append(loader)
        self.url, self.mime_type = url, mime_type
        self._commit()

    def commit_within(self, url: str) -> None:
        """Note a navigation within the document."""
        self.url = url
        self._commit()

    def note_requested(self) -> None:
        """Note that the page has asked for another document, which the browser may refuse."""
        self._is_requested = True
        self._changed.set()

    def note_cleared(self) -> None:
        """Note that the page cancelled its navigation, or handed it over to the browser."""
        self._is_requested = False
        self._changed.set()

    def note_started(self) -> None:
        """Note that the browser has started to load another document."""
        self._is_started = True
        self._changed.set()

    def note_loading_stopped(self) -> None:
        """Note that the browser loads nothing any more."""
        if self._is_started:
            # A navigation that became a download, or was refused, commits no document.
            self._is_requested = self._is_started = False
        elif self._is_body_complete and "load" not in self._stages:
            # Chromium reports no `load` for a page that tried to navigate while it was loading. After a `load` there is
            # more to come: when the network is idle.
            self._complete()
        self._changed.set()

    def note_body_complete(self, loader: str) -> None:
        """Note that all of a document has arrived."""
        if loader == self._loader:
            self._is_body_complete = True

    def note_body_failed(self, loader: str) -> None:
        """Note that the rest of a document will not arrive."""
        if loader == self._loader:
            self._complete()
            self._changed.set()

    def _complete(self) -> None:
        """Mark every stage as reached: no further lifecycle events will come."""
        self._stages |= set(get_args(Stage))

    def _commit(self) -> None:
        self.commits += 1
        self._is_requested = self._is_started = False
        self._changed.set()
