"""A session as servers of many clients use it, whether it runs in the same process or on a node of a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from rove.action import Action
from rove.advice import NO_NAMES, Names
from rove.browser.input_event import InputEvent
from rove.browser.page_data import Box
from rove.engine.gate import Gate
from rove.engine.journal import Journal
from rove.engine.live_view import LiveFrame
from rove.engine.logins import SessionLogin
from rove.engine.people import Lease, PersonControl
from rove.engine.run_request import Report, ignore_progress
from rove.outcome import Outcome, Result
from rove.settings.tree import Settings
from rove.snapshot.tree import Snapshot
from rove.storage.state import BrowserState

if TYPE_CHECKING:
    from rove.guard.policy import Approver
    from rove.outcome import ViewKind

R = TypeVar("R", bound=Result)


class ServedView(Protocol):
    """Frames of a tab, at the pace of the viewer, until it is closed or its session is."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
    def __aiter__(self) -> AsyncIterator[LiveFrame]: ...
    def acknowledge(self, frame: int, /) -> None:
        """Note that the viewer has shown a frame, and all before it, and can take another."""

    def close(self) -> None: ...


class ServedSession(Protocol):
    """One session. `engine.sessions.session.Session` is one of this process."""

    @property
    def name(self) -> str: ...
    @property
    def owner(self) -> str | None:
        """The client that alone may use it; None for those of the server itself."""
        ...

    @property
    def opened(self) -> float:
        """When it was opened, by the clock."""
        ...

    @property
    def has_slot(self) -> bool:
        """Whether it was opened or used; a default session that was not is only a name."""
        ...

    @property
    def gives_way(self) -> bool:
        """Whether its pages may be closed for another session's, as its client is done with them for now."""
        ...

    def let_give_way(self, may: bool, /) -> None: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def gate(self) -> Gate: ...
    @property
    def login(self) -> SessionLogin: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def control(self) -> PersonControl: ...
    async def run(
        self,
        action: Action[R],
        *,
        tab: str | None = None,
        timeout: float | None = None,
        report: Report = ignore_progress,
        quiet: bool = False,
        channel: Approver | None = None,
        names: Names = NO_NAMES,
        view: ViewKind | None = None,
    ) -> Outcome[R]:
        """Run an action and return its outcome. Every surface acts on pages through this method alone."""
        ...

    async def start(self) -> None:
        """Start its browser now, not with the first call that needs it."""

    def describe(self) -> dict[str, object]:
        """Return the facts that are listed of it."""
        ...

    def may_read(self, url: str, /) -> bool:
        """Whether text of the page at `url` may be returned without asking a person."""
        ...

    async def allow_host(self, host: str, /) -> None:
        """Let it reach one more host, written as in the settings. Raises InvalidSettings."""

    def watch(self, tab: str | None = None, max_width: int = 1280, quality: int = 60) -> ServedView:
        """Return a live view of a tab, or of the current one, whichever that is."""
        ...

    async def drive(self, lease: Lease, event: InputEvent, tab: str | None = None) -> None:
        """Send the input of the person who has the lease to a tab. Raises Denied without the lease."""

    async def picture(self, tab: str | None = None, quality: int = 50) -> bytes:
        """Return a JPEG of what a tab shows now."""
        ...

    async def element_box(self, ref: str, tab: str | None = None) -> Box:
        """Return where an element is in the viewport now."""
        ...

    async def locate(self, target: str, tab: str | None = None) -> tuple[str, str, Box]:
        """Return the ref, the line and the place of the first element that a target means now."""
        ...

    async def seen(self, tab: str | None = None) -> Snapshot | None:
        """Return what the agent was last shown of a tab; None if it has not looked at its page yet."""
        ...

    async def read_state(self) -> BrowserState:
        """Return the cookies and storage of it now."""
        ...

    async def load_state(self, state: BrowserState, label: str, /) -> None:
        """Replace cookies and storage by a state, and load the tabs anew."""
