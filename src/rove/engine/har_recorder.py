"""Records the network traffic of a session from its beginning, which the bounded log of a tab does not keep."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.failures import BrowserError
from rove.page_text import Own
from rove.recordings.har import Bodies, Disclosure, HarArchive, entry_of, may_show, page_id, page_of, read_bodies
from rove.tasks import BackgroundTasks, Signal

if TYPE_CHECKING:
    from pathlib import Path

    from rove.browser.shared.logs import LoggedRequest
    from rove.browser.shared.tab import Tab

log = logging.getLogger(__name__)
# Bodies that are read from the browser at once.
BODIES_AT_ONCE = 4
BODY_SECONDS = 5.0
MAX_PAGES = 2000


class HarRecorder:
    """Writes each request of every tab when it is over, and at the end those that are not."""

    def __init__(
        self, path: Path, archive: HarArchive, tabs: Callable[[], Sequence[Tab]], changed: Signal, max_body: int
    ) -> None:
        self.path = Own(path)
        self._archive = archive
        self._tabs = tabs
        self._changed = changed
        self._max_body = max_body
        self._watched: dict[Tab, Callable[[], None]] = {}
        # The numbers of the requests of each tab that are written.
        self._written: dict[Tab, set[int]] = {}
        self._pages: dict[str, dict[str, Any]] = {}
        self._places = asyncio.Semaphore(BODIES_AT_ONCE)
        self._writing = asyncio.Lock()
        self._tasks = BackgroundTasks("a HAR file", expected=(BrowserError,))
        self._additions: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Follow the tabs that there are, and those that are opened later."""
        self._watch_tabs()
        self._tasks.start(self._follow())

    async def stop(self) -> None:
        """Write what is not over yet, and close the file."""
        for tab in [*self._watched]:
            self._leave(tab)
        if self._additions:
            await asyncio.wait(self._additions, timeout=2 * BODY_SECONDS)
        await self._tasks.close()
        async with self._writing:
            await asyncio.to_thread(self._archive.close, [*self._pages.values()])

    async def _follow(self) -> None:
        while True:
            await self._changed.wait()
            self._watch_tabs()

    def _watch_tabs(self) -> None:
        tabs = self._tabs()
        for tab in [*self._watched]:
            if tab not in tabs:
                self._leave(tab)
        for tab in tabs:
            if tab not in self._watched:
                self._watched[tab] = tab.network.watch(functools.partial(self._add, tab))
                self._written[tab] = set()
                for request in tab.network:  # those that were over before
                    if request.seconds is not None:
                        self._add(tab, request)

    def _leave(self, tab: Tab) -> None:
        """Write the requests of a tab that are not over, and will not be heard of again."""
        self._watched.pop(tab)()
        for request in tab.network:
            if request.seconds is None:
                self._add(tab, request)
        del self._written[tab]

    def _add(self, tab: Tab, request: LoggedRequest) -> None:
        if request.number in self._written[tab] or self._archive.is_full:
            return
        self._written[tab].add(request.number)
        addition = self._tasks.start(self._write(tab, request))
        self._additions.add(addition)
        addition.add_done_callback(self._additions.discard)

    async def _write(self, tab: Tab, request: LoggedRequest) -> None:
        shown = Disclosure(tab.redact, tab.page.may_read, self._max_body)
        if not may_show(request, shown):
            return
        bodies = await self._bodies(request, shown)
        self._note_pages(tab, shown)
        page = page_id(tab.id, request.page)
        line = shown.line(entry_of(request, shown, bodies, page if page in self._pages else None))
        if line is None:
            return
        async with self._writing:
            try:
                await asyncio.to_thread(self._archive.add, line, [*self._pages.values()])
            except OSError:
                log.exception("a request is not in %s", self.path)

    async def _bodies(self, request: LoggedRequest, shown: Disclosure) -> Bodies:
        if not shown.max_body:
            return Bodies()
        try:
            async with self._places, asyncio.timeout(BODY_SECONDS):
                return await read_bodies(request, shown)
        except TimeoutError:
            return Bodies()

    def _note_pages(self, tab: Tab, shown: Disclosure) -> None:
        """Note the pages of a tab, and when they were loaded, as far as that is known now."""
        for load in tab.network.pages:
            identity = page_id(tab.id, load.number)
            if identity in self._pages or len(self._pages) < MAX_PAGES:
                self._pages[identity] = page_of(tab.id, load, shown)
