"""What would be restored if the browser died: saved in the background after calls, and kept as the session's login."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.browser.context import DIED, RESTARTED, SavedContext, SharedState
from rove.browser.failures import BrowserError
from rove.browser.refs import RefNumbers
from rove.engine.logins import SessionLogin
from rove.page_text import PageText
from rove.storage.state import BrowserState
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.shared.context import Context

# Seconds between two saves, since saving after every call would slow down each of them.
SAVE_INTERVAL = 2.0
SAVE_TIMEOUT = 3.0
# Seconds for the last save of a session whose state is kept, which reads every origin.
LAST_SAVE_TIMEOUT = 15.0


class ContextBackup:
    """The saved state of a session's context, from the first call to the last."""

    def __init__(self, session: str, login: SessionLogin, ref_numbers: RefNumbers | None) -> None:
        self.saved = _first(login, ref_numbers)
        self._login = login
        self._context: Context | None = None
        # The URL of each tab, which is newer than what was saved.
        self._tab_urls: tuple[tuple[str, PageText], ...] = ()
        self._last_save = 0.0
        # A save fails if the page or the browser closes meanwhile; the one before it is kept then.
        self._tasks = BackgroundTasks(f"session {session}", expected=(BrowserError,))
        self._save_task: asyncio.Task[None] | None = None
        self._save_timer: asyncio.TimerHandle | None = None
        # Called with each save; set where a copy is kept in another place.
        self.on_saved: Callable[[SavedContext], object] = lambda saved: None

    def follow(self, context: Context | None) -> None:
        """Save this context from now on, or none."""
        self._context = context

    def save_soon(self) -> None:
        """Save in the background what would be restored if the browser died."""
        if self._context is not None:
            self._tab_urls = self._context.tab_urls or self._tab_urls
        # A call within the interval starts a timer, so that the state after the last call is saved too.
        wait = self._last_save + SAVE_INTERVAL - time.monotonic()
        if wait <= 0:
            self._save_now()
        elif self._save_timer is None:
            self._save_timer = asyncio.get_running_loop().call_later(wait, self._save_now)

    async def save(self, context: Context, is_complete: bool = False) -> SavedContext:
        """Return the state of the context; if the browser does not answer in time, at least the URLs of its tabs."""
        try:
            async with asyncio.timeout(LAST_SAVE_TIMEOUT if is_complete else SAVE_TIMEOUT):
                return await context.save(is_complete)
        except (TimeoutError, BrowserError):
            return replace(self.saved or SavedContext(), tabs=context.tab_urls)

    def keep(self, saved: SavedContext, context: Context) -> None:
        """Keep what was saved of a context that is closed on purpose, and the refs and ids that it has given."""
        self.saved = replace(saved, shared=context.shared_state, ids_given=context.ids_given)

    def restore_as(self, kind: str, reason: str = "", state: BrowserState | None = None) -> None:
        """Set what is told of the next context, and the state that it gets instead of the one that was saved."""
        saved = self.saved or SavedContext()
        self.saved = replace(saved, kind=kind, reason=reason, state=saved.state if state is None else state)

    def forget_state(self) -> None:
        """Keep the tabs for the next context, and no cookies and storage."""
        self.saved = replace(self.saved or SavedContext(), state=None)

    def mark_lost(self, context: Context, reason: str) -> None:
        """Note that the browser of a context died or froze."""
        # A dying browser may close its tabs one by one, so the URLs from before that are restored.
        self.saved = replace(
            self.saved or SavedContext(),
            tabs=self._tab_urls,
            kind=RESTARTED,
            reason=f"The browser {'crashed' if reason == DIED else reason} and was replaced",
            shared=context.shared_state,
            targets=context.targets,
            ids_given=context.ids_given,
        )

    async def complete(self) -> SavedContext | None:
        """Return what the session would be opened with again: all of its state now, or what was saved last."""
        context = self._context
        if context is None or not context.is_alive:
            return self.saved
        return replace(await self.save(context, is_complete=True), ids_given=context.ids_given)

    @property
    def ids_given(self) -> int:
        """How many tab ids the session has given."""
        if self._context is not None:
            return self._context.ids_given
        return self.saved.ids_given if self.saved is not None else 0

    @property
    def ref_numbers(self) -> RefNumbers | None:
        """The numbers of the refs that the session has given; None if it has given none."""
        if self._context is not None:
            return self._context.shared_state.ref_numbers
        return self.saved.shared.ref_numbers if self.saved is not None else None

    def tabs(self) -> tuple[tuple[tuple[str, PageText], ...], str | None]:
        """Return the id and URL of each tab, and the id of the current one: those that are open, or would be opened."""
        if self._context is not None:
            current = self._context.current
            return self._context.tab_urls, current.id if current else None
        saved = self.saved or SavedContext()
        return saved.tabs, saved.current

    def described_tabs(self, shown: Callable[[PageText], PageText]) -> list[dict[str, object]]:
        """Return the facts that are listed of each tab; `shown` returns what is shown of an address."""
        tabs, current = self.tabs()
        return [{"id": tab, "url": shown(url), "is_current": tab == current} for tab, url in tabs]

    def cookies(self) -> list[dict[str, Any]]:
        """Return the cookies that the next context is opened with."""
        return self.saved.state.cookies if self.saved is not None and self.saved.state is not None else []

    async def keep_login(self) -> None:
        """Save the session's login for the last time, if it is to be saved. Raises StateUnusable."""
        if not self._login.is_kept:
            return
        saved = self.saved
        if self._context is not None and self._context.is_alive:
            with contextlib.suppress(TimeoutError, BrowserError):
                async with asyncio.timeout(LAST_SAVE_TIMEOUT):
                    saved = await self._context.save(True)
        if saved is not None and saved.state is not None:
            await self._login.keep(saved.state, is_final=True)

    async def stop(self) -> None:
        """Cancel the save that is running or due, and start no other."""
        if self._save_timer is not None:
            self._save_timer.cancel()
        await self._tasks.close()

    def _save_now(self) -> None:
        if self._save_timer is not None:
            self._save_timer.cancel()
            self._save_timer = None
        if self._context is not None and (self._save_task is None or self._save_task.done()):
            self._last_save = time.monotonic()
            self._save_task = self._tasks.start(self._save(self._context))

    async def _save(self, context: Context) -> None:
        saved = await context.save()
        if self._context is context:
            self.saved = saved
            self.on_saved(saved)
            await self._login.keep(saved.state or BrowserState())


def _first(login: SessionLogin, ref_numbers: RefNumbers | None) -> SavedContext | None:
    """Return what the first context of a session is opened with; None for nothing."""
    if login.begins_with is None and ref_numbers is None:
        return None
    shared = SharedState(ref_numbers=ref_numbers) if ref_numbers is not None else SharedState()
    return SavedContext(login.begins_with or BrowserState(), shared=shared)
