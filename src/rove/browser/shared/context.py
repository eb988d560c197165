"""The tabs of one context: opened, found, replaced and closed; and its state, for a browser that is lost."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rove.browser.context import BrowserLoss, SavedContext, SavedTarget, SharedState
from rove.browser.failures import BrowserError, StateNotRestored
from rove.browser.scripts import state_script
from rove.browser.shared.downloads import Downloads
from rove.browser.shared.process import discard
from rove.browser.shared.resources import NetworkConditions, SharedResources
from rove.browser.shared.storage import ContextCookies, HiddenPage, HiddenPages
from rove.browser.shared.tab import Tab
from rove.errors import LimitReached, NavigationFailed, NotOpen, ScriptFailed, Unsupported
from rove.page_text import Own, PageText, Text
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.storage.state import BrowserState, OriginState

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.element import SecretSource
    from rove.browser.emulation import Overrides, PermissionGrant
    from rove.browser.network import TextRedactor
    from rove.browser.page_data import TypedField

LONGEST_URL = 200
RELOAD_TIMEOUT = 3.0
UNBLOCK_TIMEOUT = 0.5
CLOSE_TIMEOUT = 3.0
# Seconds from the script that opens a window until its page is a tab.
POPUP_TIMEOUT = 2.0
# Seconds in which a hidden page has to show an empty document and restore what one origin had stored.
RESTORE_TIMEOUT = 10.0
MAX_ORIGINS = 200


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


class ContextState:
    """Reads and restores cookies and storage, and remembers what each origin had when it was last looked at."""

    def __init__(self, hidden: HiddenPages, cookies: ContextCookies) -> None:
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


def refuse_another_tab(
    tabs: Sequence[str], used: Mapping[str, float], urls: Mapping[str, PageText], limit: int
) -> None:
    """Raise LimitReached if as many tabs are open as may be; it names the one that was unused for longest."""
    if len(tabs) < limit:
        return
    # Tabs that rove itself uses are not listed, and are closed by themselves.
    oldest = min((tab for tab in tabs if tab in urls), key=lambda tab: used.get(tab, 0), default=tabs[0])
    said = [f"{len(tabs)} tabs are open, which is the limit."]
    if url := urls.get(oldest):
        said += [f" {oldest} is longest unused: ", url.around(url[:LONGEST_URL])]
    raise LimitReached(*said, hint=f"Close one with {{tabs}}, such as {oldest}.")


async def load_again(tab: Tab, url: PageText) -> None:
    """Load the address at which a tab was before."""
    if not url.startswith(("http://", "https://", "file://")):
        return
    try:
        async with asyncio.timeout(RELOAD_TIMEOUT):
            await tab.navigate(url)
    except (TimeoutError, NavigationFailed, BrowserError):
        _report(tab, "page lost", url, f"The page of {tab.id} could not be loaded again.")


def note_reopened(tab: Tab, url: PageText, saved: SavedContext) -> None:
    """Report a tab of a context that was lost, or whose state was replaced."""
    lost = "what was typed is lost" if saved.state is not None else "cookies and what was typed are lost"
    reason = f"{saved.reason}: " if saved.reason else ""
    _report(tab, saved.kind, url, f"{reason}{tab.id} was loaded anew, and {lost}.")


def note_reset(tab: Tab, url: PageText, reason: str) -> None:
    """Report a tab whose page could not be used any more."""
    _report(tab, "tab reset", url, f"{tab.id} was reset because {reason}: what was typed is lost.")


def _report(tab: Tab, kind: str, url: PageText, said: str) -> None:
    tab.page.events.add(kind, url.around(f"{tab.id} was at {url}"), said)


T_co = TypeVar("T_co", bound=Tab, covariant=True)


class ContextTabs(ABC, Generic[T_co]):
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

    # Whether the browser keeps it on the disk.
    is_persistent = False

    # Made by the engine's context.
    cookies: ContextCookies
    _downloads: Downloads
    _state: ContextState

    def __init__(self, settings: Settings, shared: SharedResources, uploads: Path) -> None:
        """`uploads`: the folder for copies of uploaded files, which pages may read until they are closed."""
        self.settings = settings
        self._shared = shared
        self._uploads = uploads
        self._tabs: dict[str, T_co] = {}
        self._ids_given = 0
        self._current: str | None = None
        # The tabs that rove itself uses, which are not listed.
        self._background: set[str] = set()
        # The first tab, until it is used.
        self._unused_tab: T_co | None = None
        self._used: dict[str, float] = {}
        # The pages that are being set up, by the engine's ids.
        self._opening: dict[str, asyncio.Task[Any]] = {}
        self._popup_opened = asyncio.Event()
        # Set when the browser is lost.
        self.lost = BrowserLoss()
        # Awaited before a tab is opened; raises if there is no memory for it.
        self.before_new_tab: Callable[[], Awaitable[None]] | None = None
        self.on_closed: Callable[[], object] = lambda: None

    # Primitives of an engine

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether the connection to the browser is open."""

    @abstractmethod
    async def open(self, saved: SavedContext | None) -> None:
        """Set up the context and its first tab, or restore the tabs, cookies and storage of a lost one."""

    @abstractmethod
    async def _create_tab(self) -> T_co:
        """Open an empty page under the next id."""

    @abstractmethod
    async def set_permission(self, origin: str, name: str, setting: str) -> None:
        """Grant or deny a permission to an origin. `setting`: `granted` or `denied`."""

    @abstractmethod
    async def dispose(self) -> None:
        """Close all pages and drop all state."""

    @abstractmethod
    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""

    async def prepare_tab(self, tab: Tab) -> None:
        """Give a page that no other has opened what it needs before it is used."""

    # What the tabs share

    @property
    def shared_state(self) -> SharedState:
        return self._shared.state

    @property
    def network_conditions(self) -> NetworkConditions:
        return self._shared.network_conditions

    def may_read(self, address: str) -> bool:
        """Return whether text of a page at this URL, or of this origin, may be shown to the agent."""
        return self._shared.may_read(address)

    def restrict_reading(self, may_read: Callable[[str], bool], withheld: str, redactor: TextRedactor) -> None:
        """Let `may_read` decide which pages and frames may be shown; `withheld` is shown in place of others.

        `redactor` replaces secrets in all that is read of pages.
        """
        self._shared.may_read, self._shared.withheld, self._shared.redactor = may_read, withheld, redactor
        self._shared.clipboard.may_read = may_read

    def watch(self, on_changed: Callable[[], object], on_typed: Callable[[TypedField], object]) -> None:
        """Report when a tab was opened, closed or made current or shows another URL, and what a person types."""
        self._shared.on_changed, self._shared.on_typed = on_changed, on_typed

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        return self._shared.redact(text)

    @property
    def clipboard_text(self) -> Text:
        return self._shared.clipboard.text

    def set_clipboard(self, text: str) -> None:
        self._shared.clipboard.text = text if isinstance(text, PageText) else Own(text)

    @property
    def secrets(self) -> SecretSource | None:
        """Where the passwords of servers, and headers that name a secret, are taken from."""
        return self._shared.interceptor.secrets

    def use_secrets(self, secrets: SecretSource) -> None:
        self._shared.use_secrets(secrets)

    @property
    def overrides(self) -> Overrides:
        """What the session emulates, grants and intercepts."""
        return self._shared.overrides.values

    async def override(self, overrides: Overrides) -> None:
        """Emulate, grant and intercept this instead, in all tabs, also in those that are opened later."""
        self._shared.overrides.check(overrides)
        try:
            await self._set_grants(self.overrides.grants, overrides.grants)
        except BrowserError as error:
            raise Unsupported(f"This browser does not have the permission: {error}.") from error
        await self._shared.overrides.apply(overrides)

    async def _set_grants(self, before: tuple[PermissionGrant, ...], after: tuple[PermissionGrant, ...]) -> None:
        """Grant each origin its permissions, and deny what was granted before and is not any more."""
        for grant in before:
            kept = next((each.names for each in after if each.origin == grant.origin), ())
            for name in (name for name in grant.names if name not in kept):
                await self.set_permission(grant.origin, name, "denied")
        for grant in after:
            for name in grant.names:
                await self.set_permission(grant.origin, name, "granted")

    # Opening, saving and closing

    async def _open_first_tab(self) -> None:
        first = await self._create_tab()
        self._unused_tab, self._current = first, first.id

    async def _restore(self, saved: SavedContext) -> None:
        """Restore the tabs, cookies and storage of a lost context."""
        await self._shared.restore(saved.shared)
        await self._set_grants((), self.overrides.grants)
        if saved.state is not None:
            await self._restore_state(saved.state)
        await self._reopen(saved)

    async def _restore_state(self, state: BrowserState) -> None:
        await self._state.restore(state, self.is_persistent)

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return what is needed to restore the context if the browser is lost.

        Unless it must be complete, origins that no tab shows are as they were last seen.
        """
        return SavedContext(await self._state.read(self.tabs, is_complete), self.tab_urls, self._current)

    async def close(self) -> None:
        """Close every tab and drop all state, in a bounded time, since the browser may never answer."""
        with contextlib.suppress(TimeoutError, BrowserError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self.dispose()
        await self._downloads.close()
        await self.release()
        await asyncio.to_thread(discard, self._uploads)
        self.on_closed()

    async def release(self) -> None:
        """Cancel the background tasks of a context that is closed."""
        await asyncio.gather(*(tab.release() for tab in self.tabs), self._shared.tasks.close())

    # Popups, and pages that go

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs with ids."""
        if not self.awaits_popups:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POPUP_TIMEOUT):
                while self.awaits_popups:
                    self._popup_opened.clear()
                    await self._popup_opened.wait()

    @property
    def awaits_popups(self) -> bool:
        """Whether pages have opened popups that are no tabs yet, or may have."""
        return any(tab.popups.expected_count > 0 for tab in self.tabs)

    def _refuses_popup(self, opener: Tab | None) -> bool:
        """Count a window that was just opened; return whether it has to be closed."""
        if opener is None or not (opener.id in self._background or opener.popups.is_refused(len(self._tabs))):
            return False
        self._popup_opened.set()
        return True

    async def _set_up(self, tab: Tab, opener: Tab | None) -> None:
        """Set up a page; it is forgotten if it was closed before."""
        try:
            await tab.open()
            if opener is None:
                await self.prepare_tab(tab)
        except BrowserError:
            self._forget(tab)
            await tab.release()

    def _begin_download(self, tab: Tab, identity: str, event: Mapping[str, Any], origin: str) -> None:
        """Note a download that a frame of this origin has started; `event` has its address and the suggested name."""
        name = PageText(event["suggestedFilename"] or "download", origin)
        url = PageText(event["url"], origin)
        self._downloads.begin(identity, name, url, tab.page.events, tab.page.downloads)
        tab.page.requests.note_download(event["url"])

    def _drop(self, tab: Tab) -> None:
        """Forget a tab whose page is gone."""
        self._forget(tab)
        self._shared.tasks.start(tab.release())

    def _note_change(self) -> None:
        """Report that a tab was opened, closed or made current."""
        self._shared.on_changed()

    def _end(self, tab: Tab, reason: str) -> None:
        """End the refs of a tab whose page is gone, and what it shares with other tabs."""
        tab.page.worlds.end(reason)
        tab.opener_group.remove(tab.page)

    def _close_replaced(self, tab: Tab) -> None:
        """Close a page that another has replaced."""
        self._shared.tasks.start(tab.close())

    # Tabs

    @property
    def tabs(self) -> list[T_co]:
        return list(self._tabs.values())

    @property
    def tab_infos(self) -> Sequence[TabInfo]:
        """Every tab that the agent is shown."""
        return [tab for tab in self.tabs if tab.id not in self._background]

    @property
    def current(self) -> T_co | None:
        return self._tabs.get(self._current or "")

    async def tab(self, name: str | None = None, reloads: bool = False) -> T_co:
        """Return the named tab, or the current one, which is opened if there is none."""
        if name is not None and name not in self._tabs:
            open_now = ", ".join(tab.id for tab in self.tab_infos) or "none"
            raise NotOpen(f"There is no tab {name}.", hint=f"Open now: {open_now}. List them with {{tabs}}.")
        tab = self._tabs[name] if name is not None else self.current
        if tab is None:
            return await self.new_tab()
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        return await self._replace_crashed(tab, reloads) if tab.page.is_crashed else tab

    async def new_tab(self) -> T_co:
        tab = self._unused_tab
        if tab is None or tab is not self.current:
            await self._admit_tab()
            tab = await self._create_tab()
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        self.switch(tab)
        return tab

    async def new_background_tab(self) -> T_co:
        """Open a tab that rove itself uses: it counts like others, but is not listed and not the current one."""
        await self._admit_tab()
        tab = await self._create_tab()
        self._background.add(tab.id)
        self._note_change()
        return tab

    async def _admit_tab(self) -> None:
        """Raise LimitReached if no other tab may be opened, or there is no memory for it."""
        refuse_another_tab(self._own_tab_ids, self._used, dict(self.tab_urls), self.settings.limits.tabs)
        if self.before_new_tab is not None:
            await self.before_new_tab()

    async def unblock_tab(self, blocked: TabInfo) -> T_co:
        """Return a tab that answers: the same one with its script terminated, or a new page under the same id."""
        tab = self._tabs[blocked.id]
        if tab.page.keeps_navigating:
            # The page's own navigations would interrupt the one that the caller wants.
            return await self.replace_tab(tab, "its page kept navigating by itself")
        if await tab.page.answers_within(UNBLOCK_TIMEOUT):
            return tab
        await tab.page.terminate_script()
        return (
            tab
            if await tab.page.answers_within(UNBLOCK_TIMEOUT)
            else await self.replace_tab(tab, "its page did not answer any more")
        )

    async def _replace_crashed(self, crashed: Tab, reloads: bool) -> T_co:
        fresh = await self.replace_tab(crashed, "its page crashed")
        if reloads:
            await load_again(fresh, crashed.url)
        return fresh

    async def replace_tab(self, replaced: TabInfo, reason: str) -> T_co:
        """Replace a page that cannot be used any more by an empty one under the same id; cookies stay."""
        tab = self._tabs[replaced.id]
        fresh = await self._create_tab()
        self._rename(fresh, tab.id)
        self._end(tab, f"{fresh.id} was reset because {reason}")
        self._close_replaced(tab)
        await self._resize_again(fresh)
        note_reset(fresh, tab.url, reason)
        return fresh

    def switch(self, tab: TabInfo) -> None:
        self._current = tab.id
        self._note_change()

    async def close_tab(self, tab: TabInfo) -> None:
        closing = self._tabs[tab.id]
        self._forget(closing)
        await closing.close()

    @property
    def tab_urls(self) -> tuple[tuple[str, PageText], ...]:
        return tuple((tab.id, tab.url) for tab in self.tab_infos)

    @property
    def ids_given(self) -> int:
        """How many tab ids have been given."""
        return self._ids_given

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        """The pages that could be found again if only the connection to the browser were lost."""
        return ()

    @property
    def _own_tab_ids(self) -> list[str]:
        """The ids of the tabs that rove opened, which count towards the limit."""
        return list(self._tabs)

    def _next_id(self) -> str:
        self._ids_given += 1
        return f"t{self._ids_given}"

    async def _reopen(self, saved: SavedContext) -> None:
        """Open the tabs of a lost context again, with their ids and URLs."""
        for identity, url in saved.tabs:
            self._rename(await self._create_tab(), identity)
            await self._resize_again(self._tabs[identity])
            note_reopened(self._tabs[identity], url, saved)
        # The tabs had other ids until they were renamed. Those of tabs that were closed before are not given again.
        self._ids_given = max(saved.ids_given, *(int(identity.removeprefix("t")) for identity, _ in saved.tabs), 0)
        await asyncio.gather(*(load_again(self._tabs[identity], url) for identity, url in saved.tabs))
        self._current = saved.current or next(iter(self._tabs), None)

    async def _resize_again(self, tab: Tab) -> None:
        """Give a tab that replaces another of its id the size that was set for that one."""
        if size := self.overrides.sizes.get(tab.id):
            await tab.resize(size.width, size.height)

    def _rename(self, tab: Tab, identity: str) -> None:
        self._tabs[identity] = self._tabs.pop(tab.id)
        tab.rename(identity)
        self._note_change()
        self._ids_given = max(self._ids_given, int(identity.removeprefix("t")))

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return  # another page has its id meanwhile
        del self._tabs[tab.id]
        self._end(tab, f"{tab.id} is closed")
        self._used.pop(tab.id, None)
        self._background.discard(tab.id)
        if self._current == tab.id:
            self._current = next((name for name in reversed(self._tabs) if name not in self._background), None)
        self._note_change()


# A context as the layers above see it.
Context = ContextTabs[Tab]
