"""One of the sessions of a worker: pages go through it one after the other."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from rove.engine.sessions.sessions import Sessions
from rove.errors import BrowserUnavailable, DeadlineExceeded, JournalFailed, RoveError
from rove.jobs.options import PageOptions
from rove.jobs.page_work import Visit, Work
from rove.jobs.worker import PageAnswer, PageError, PageTask
from rove.render.cleaning import readable
from rove.states.choice import LoginChoice
from rove.states.state import BrowserState

log = logging.getLogger(__name__)

# Pages of one host in one context. A context that is used for ever would hold more and more memory.
PAGES_PER_CONTEXT = 30
# Part of the time of a visit that one action may take, so that its error can say what it waited for.
ACTION_SHARE = 0.9
SCRIPT_ERROR = "script_error"
# Errors that say nothing of the context in which they came up.
KEEPS_CONTEXT = ("navigation_failed", "denied", "invalid_arguments", "element_not_found")
# Makes the session that a script of the caller's is given, as `rove.Session` is made.
MakeFacade = Callable[..., Any]


class SessionSlot:
    """A session under one name, and so with one journal, whose context is replaced between pages where need be."""

    def __init__(
        self,
        name: str,
        sessions: Sessions,
        options: PageOptions,
        work: Work,
        make_facade: MakeFacade,
        head_start: int = 0,
    ) -> None:
        """`head_start`: pages by which its first context is replaced earlier, so that not all are at the same time."""
        self.name = name
        self.host: str | None = None
        self.is_busy = False
        # Cookies and storage that the next context begins with.
        self.state: BrowserState | None = None
        self._sessions = sessions
        self._options = options
        self._work = work
        self._make_facade = make_facade
        self._pages = 0
        self._head_start = head_start

    async def run(self, task: PageTask) -> PageAnswer:
        """Visit a page. What goes wrong is in the answer."""
        began = time.monotonic()
        result, error, visit, status = None, None, None, None
        try:
            async with asyncio.timeout(self._options.seconds):
                await self._prepare(task.host)
                visit = self._visit(task)
                result = await self._work(visit)
        except Exception as failure:  # noqa: BLE001 - whatever a script of the caller's raises is the answer
            error = _error_of(failure, self._options.seconds)
            status = failure.status if isinstance(failure, RoveError) else None
            if error.code not in KEEPS_CONTEXT:
                self._pages = PAGES_PER_CONTEXT  # the context may be in any state
        seconds = round(time.monotonic() - began, 3)
        if visit is None:
            return PageAnswer(result, error, seconds=seconds)
        title = readable(visit.title) if visit.title is not None else None
        status = visit.status if visit.status is not None else status
        return PageAnswer(result, error, visit.final_url, title, status, visit.files, seconds, visit.is_incomplete)

    def _visit(self, task: PageTask) -> Visit:
        seconds = self._options.seconds * ACTION_SHARE
        facade = self._make_facade(self._sessions, self.name, timeout=seconds, quiet=True)
        return Visit(self._sessions.session(self.name), facade, task, self._options, seconds)

    async def close(self) -> None:
        """Close the session; what is kept of it is in `state`."""
        if self._is_open:
            await self._sessions.close_session(self.name)

    async def read_state(self) -> BrowserState | None:
        """Return cookies and storage of the session now."""
        return await self._sessions.session(self.name).read_state() if self._is_open else self.state

    async def _prepare(self, host: str) -> None:
        """Open the session, in a new context unless the page may share that of the page before."""
        if self._is_open and self._must_renew(host):
            if self._options.keep_session:
                self.state = await self.read_state()
            await self.close()
        if not self._is_open:
            self.host = None
            await self._open()
        self.host = host
        self._pages += 1

    @property
    def _is_open(self) -> bool:
        return self.name in self._sessions.open_sessions(None)

    def _must_renew(self, host: str) -> bool:
        is_used_up = self._pages >= PAGES_PER_CONTEXT or self._options.fresh or len(self._tabs) > 1
        # Without a host, opening it was broken off.
        return is_used_up or self.host is None or (host != self.host and not self._options.keep_session)

    @property
    def _tabs(self) -> Any:
        """The tabs of the session: more than one if a page has opened others."""
        return self._sessions.session(self.name).describe()["tabs"]

    async def _open(self) -> None:
        login = LoginChoice(self._options.state if self.state is None else None)
        await self._sessions.open_session(self.name, login=login)
        self._pages, self._head_start = self._head_start, 0
        if self.state is not None:
            await self._sessions.session(self.name).load_state(self.state, "state of the session before")


def _error_of(failure: Exception, seconds: float) -> PageError:
    if isinstance(failure, TimeoutError):
        message = f"The page was not done within {seconds:g} s."
        return PageError.of(DeadlineExceeded(message))
    if isinstance(failure, RoveError):
        is_unusable = isinstance(failure, BrowserUnavailable) and failure.retry_after is None
        return PageError.of(failure, is_fatal=is_unusable or isinstance(failure, JournalFailed))
    log.debug("a page failed", exc_info=failure)
    message = readable(f"{type(failure).__name__}: {failure}")
    return PageError(SCRIPT_ERROR, message, "Correct the script, then --retry-failed.")
