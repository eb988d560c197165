"""What the origins of a page and of a whole context store, read and restored."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from rove.browser.failures import BrowserError, StateNotRestored
from rove.browser.scripts import state_script, storage_script
from rove.browser.shared.frames import World, Worlds
from rove.errors import InvalidArguments, ScriptFailed
from rove.states.state import BrowserState, OriginState
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# Filled in with the items of each origin, as JSON.
SCRIPT = """(() => {
  const items = (%s)[location.origin];
  if (!items || window !== window.top || sessionStorage.length) return;
  for (const { name, value } of items) sessionStorage.setItem(name, value);
})()"""

# Seconds in which a hidden page has to show an empty document and restore what one origin had stored.
RESTORE_TIMEOUT = 10.0
MAX_ORIGINS = 200


class PageStorage:
    """The storage of the origin of the page. Its script runs in rove's own world, where the page cannot change it."""

    def __init__(self, worlds: Worlds[World]) -> None:
        self._worlds = worlds

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation in the page; raise InvalidArguments with the reason if it fails."""
        document = await self._worlds.main.document()
        answer: dict[str, Any] = await document.call(storage_script(), request)
        if "error" in answer:
            raise InvalidArguments(answer["error"], hint="{storage} with operation=list shows what there is.")
        return answer


@dataclass(frozen=True)
class ReadLimits:
    """Most characters and records of one origin, and most seconds for its databases and for all of it."""

    characters: int
    records: int
    database_seconds: float
    seconds: float

    @property
    def arguments(self) -> tuple[int, int, float]:
        """The arguments of `readStorage`."""
        return self.characters, self.records, self.database_seconds * 1000


# After each call, in case that the browser is lost: it must not slow down the next call.
QUICK = ReadLimits(1_000_000, 1_000, 0.7, 1.0)
# For a state that is saved by name.
FULL = ReadLimits(50_000_000, 200_000, 8.0, 10.0)


class HiddenPage(Protocol):
    """A page that is no tab, and shows an empty document of any origin."""

    @property
    def is_closed(self) -> bool: ...
    async def visit(self, origin: str, /) -> None:
        """Show an empty document of an origin. Raises BrowserError."""

    async def call(self, function: str, /, *arguments: Any) -> Any:
        """Call a function of `state_script` and return what it returns. Raises BrowserError."""


class HiddenPages(Protocol):
    """Opens pages that are no tabs."""

    def open(self) -> AbstractAsyncContextManager[HiddenPage]:
        """Open a hidden page, and close it at the end of the block."""
        ...


class Cookies(Protocol):
    """The cookies of a context."""

    async def all(self) -> list[dict[str, Any]]: ...
    async def set(self, cookies: Sequence[dict[str, Any]], /) -> None:
        """Set cookies. Raises BrowserError if the browser refuses one."""


class ContextState:
    """Reads and restores cookies and storage, and remembers what each origin had when it was last looked at."""

    def __init__(self, hidden: HiddenPages, cookies: Cookies) -> None:
        self._hidden = hidden
        self._cookies = cookies
        # What each origin that pages have shown had stored; None if that has not been read yet.
        self._origins: dict[str, OriginState | None] = {}
        # The session storage that new tabs begin with.
        self.session_storage: dict[str, list[dict[str, str]]] = {}

    def note_url(self, url: str) -> None:
        """Note that a tab shows a page, whose origin may have stored something."""
        match = re.match(r"https?://[^/?#]+", url)
        if match and len(self._origins) < MAX_ORIGINS:
            self._origins.setdefault(match[0], None)

    async def read(self, tabs: Iterable[Tab], is_complete: bool = False) -> BrowserState:
        """Return the state now. Unless it must be complete, origins without a page are as they were last seen."""
        cookies = await self._cookies.all()
        unread = set(self._origins) if is_complete else set[str]()
        for tab in tabs:
            self.note_url(tab.url)
            if is_complete or not tab.lock.locked():
                stored = await _read(tab, FULL if is_complete else QUICK)
                unread -= self._note(stored)
        if unread:
            await self._read_hidden(sorted(unread))
        return BrowserState(cookies, {origin: stored for origin, stored in self._origins.items() if stored})

    async def restore(self, state: BrowserState, keeps_own: bool = False) -> None:
        """Put back a state before any page of the context is loaded. Raises StateNotRestored.

        `keeps_own`: the browser has cookies and databases of its own, from a profile; these databases stay.
        """
        await self._set_cookies(state.cookies)
        self.session_storage = state.session_storage
        self._origins.update(state.origins)
        stored = {
            origin: replace(each, databases=[]) if keeps_own else each
            for origin, each in state.origins.items()
            if each.local or (each.databases and not keeps_own)
        }
        if stored:
            async with self._hidden.open() as page:
                for origin, each in stored.items():
                    await _write(page, origin, each)

    async def _set_cookies(self, cookies: list[dict[str, Any]]) -> None:
        try:
            await self._cookies.set(cookies)
        except BrowserError as error:
            raise StateNotRestored(f"the browser refuses its cookies ({error})") from error

    def _note(self, stored: dict[str, Any] | None) -> set[str]:
        """Remember what an origin has stored; return that origin, or none where nothing could be read."""
        if stored is None:
            return set()
        origin: str = stored["origin"]
        before = self._origins.get(origin) or OriginState()
        parts = {part: stored[part] for part in ("local", "session", "databases") if stored[part] is not None}
        self._origins[origin] = replace(before, left_out=stored["leftOut"], **parts)
        return {origin}

    async def _read_hidden(self, origins: Iterable[str]) -> None:
        """Read the origins that no tab shows; their session storage ended with the tab."""
        async with self._hidden.open() as page:
            for origin in origins:
                await page.visit(origin)
                stored = await page.call("readStorage", *FULL.arguments)
                self._note({**stored, "session": None} if stored else None)


async def _read(tab: Tab, limits: ReadLimits) -> dict[str, Any] | None:
    """Return what the origin of a tab's page has stored; None if it has no storage or cannot be read in time."""
    read = f"(...limits) => {state_script()}.readStorage(...limits)"
    try:
        async with asyncio.timeout(limits.seconds):
            stored: dict[str, Any] | None = await tab.page.worlds.main.call(read, *limits.arguments)
    except (TimeoutError, BrowserError, ScriptFailed):
        return None
    return stored


async def _write(page: HiddenPage, origin: str, stored: OriginState) -> None:
    try:
        async with asyncio.timeout(RESTORE_TIMEOUT):
            await page.visit(origin)
            await page.call("writeStorage", stored.local, stored.databases)
    except (BrowserError, TimeoutError) as error:
        if page.is_closed:
            raise  # the browser is gone, and the state may be good
        raise StateNotRestored(f"what {origin} had stored cannot be put back ({error or 'no answer'})") from error
