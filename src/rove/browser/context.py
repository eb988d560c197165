"""A browser context: the cookies, storage and tabs of one session."""

from __future__ import annotations

import asyncio
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from rove.browser.emulation import Overrides
from rove.browser.network import Throttling
from rove.browser.refs import RefNumbers
from rove.page_text import Own, PageText, Text
from rove.records import dataclass
from rove.storage.state import BrowserState

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.page_data import OpenDialog

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


class TabInfo(Protocol):
    """The facts that are listed of a tab."""

    @property
    def id(self) -> str: ...
    @property
    def url(self) -> PageText: ...
    @property
    def open_dialog(self) -> OpenDialog | None:
        """The dialog that blocks it, if there is one."""
        ...

    async def title(self) -> PageText: ...
