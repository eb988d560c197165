"""A browser context: the cookies, storage and tabs of one session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from rove.browser.emulation import Overrides
from rove.browser.network import NetworkConditions, TextRedactor, Throttling
from rove.browser.refs import RefNumbers
from rove.browser.storage import ContextCookies
from rove.page_text import Own, PageText, Text
from rove.settings.tree import Settings
from rove.states.state import BrowserState
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.page_data import TypedField
    from rove.browser.tab import Tab, TabInfo

RESTARTED = "browser restarted"
# How a browser was lost, in the words of errors and events.
DIED = "died"
FROZE = "froze"
LOST_NETWORK = "lost its network process"


class BrowserLoss(asyncio.Event):
    """Set when the browser is lost; `reason` says how."""

    reason: str = DIED


@dataclass(frozen=True)
class SharedState:
    """The state that the tabs of a session share, to be restored after a restart of the browser."""

    is_offline: bool = False
    throttling: Throttling = Throttling()
    clipboard_text: Text = Own()
    ref_numbers: RefNumbers = field(default_factory=RefNumbers)
    overrides: Overrides = Overrides()
    secrets: SecretSource | None = None


@dataclass(frozen=True)
class SavedTarget:
    """A page of an attached browser, which stays open when the connection is lost, and whether rove opened it."""

    id: str
    target: str
    is_ours: bool
    is_current: bool


@dataclass(frozen=True)
class SavedContext:
    """What a context is opened with: the state and tabs of a lost or suspended one, or a state that was saved by name.

    Without a state, cookies and storage are lost.
    """

    state: BrowserState | None = None
    tabs: tuple[tuple[str, PageText], ...] = ()
    current: str | None = None
    kind: str = RESTARTED
    reason: str = ""
    shared: SharedState = field(default_factory=SharedState)
    targets: tuple[SavedTarget, ...] = ()
    ids_given: int = 0


class Context(Protocol):
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

    settings: Settings
    # Set when the browser is lost.
    lost: BrowserLoss
    # Awaited before a tab is opened; raises if there is no memory for it.
    before_new_tab: Callable[[], Awaitable[None]] | None

    @property
    def is_alive(self) -> bool: ...
    @property
    def tabs(self) -> Sequence[Tab]: ...
    @property
    def tab_infos(self) -> Sequence[TabInfo]:
        """Every tab that the agent is shown."""
        ...

    @property
    def current(self) -> Tab | None: ...
    @property
    def tab_urls(self) -> tuple[tuple[str, PageText], ...]: ...
    @property
    def ids_given(self) -> int:
        """How many tab ids have been given."""
        ...

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        """The pages that could be found again if only the connection to the browser were lost."""
        ...

    @property
    def shared_state(self) -> SharedState: ...
    @property
    def network_conditions(self) -> NetworkConditions: ...
    def redact(self, text: str, /) -> str:
        """Return a text without secrets, and without what a person has typed."""
        ...

    @property
    def clipboard_text(self) -> Text: ...
    def set_clipboard(self, text: str, /) -> None: ...
    def may_read(self, address: str, /) -> bool:
        """Return whether text of a page at this URL, or of this origin, may be shown to the agent."""
        ...

    def restrict_reading(self, may_read: Callable[[str], bool], withheld: str, redactor: TextRedactor, /) -> None:
        """Let `may_read` decide which pages and frames may be shown; `withheld` is shown in place of others.

        `redactor` replaces secrets in all that is read of pages.
        """

    def watch(self, on_changed: Callable[[], object], on_typed: Callable[[TypedField], object], /) -> None:
        """Report when a tab was opened, closed or made current or shows another URL, and what a person types."""

    async def tab(self, name: str | None = None, reloads: bool = False, /) -> Tab:
        """Return the named tab, or the current one, which is opened if there is none.

        If its page has crashed, the tab is given an empty one; with `reloads`, the same page is loaded anew.
        """
        ...

    async def new_tab(self) -> Tab: ...
    async def new_background_tab(self) -> Tab:
        """Open a tab that rove itself uses: it counts like others, but is not listed and not the current one."""
        ...

    def switch(self, tab: TabInfo, /) -> None: ...
    async def close_tab(self, tab: TabInfo, /) -> None: ...
    async def unblock_tab(self, tab: TabInfo, /) -> Tab:
        """Return a tab that answers: the same one, or a new page under the same id."""
        ...

    async def replace_tab(self, tab: TabInfo, reason: str, /) -> Tab:
        """Replace a page that cannot be used any more by an empty one under the same id."""
        ...

    @property
    def cookies(self) -> ContextCookies:
        """The cookies of all its pages."""
        ...

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        ...

    @property
    def overrides(self) -> Overrides:
        """What the session emulates, grants and intercepts."""
        ...

    async def override(self, overrides: Overrides, /) -> None:
        """Emulate, grant and intercept this instead, in all tabs, also in those that are opened later."""

    @property
    def secrets(self) -> SecretSource | None:
        """Where the passwords of servers, and headers that name a secret, are taken from."""
        ...

    def use_secrets(self, secrets: SecretSource, /) -> None: ...

    @property
    def awaits_popups(self) -> bool:
        """Whether pages have opened popups that are no tabs yet, or may have."""
        ...

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs with ids."""

    async def save(self, is_complete: bool = False, /) -> SavedContext:
        """Return what is needed to restore the context if the browser is lost.

        Unless it must be complete, origins that no tab shows are as they were last seen.
        """
        ...

    async def close(self) -> None: ...
