"""What an action on the set of sessions may ask of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rove.browser.emulation.window import AS_SET, WindowChoice
from rove.states.choice import NO_LOGIN, LoginChoice

if TYPE_CHECKING:
    from rove.states.desk import StateDesk
    from rove.video.desk import VideoDesk


class SessionDirectory(Protocol):
    """The sessions of one client, and what it has saved and records."""

    @property
    def states(self) -> StateDesk:
        """The saved states."""
        ...

    @property
    def captures(self) -> VideoDesk:
        """The videos of the session that the action runs in."""
        ...

    async def open_session(self, name: str | None, login: LoginChoice = NO_LOGIN, window: WindowChoice = AS_SET) -> str:
        """Open a session, with a name of its own if none is given; return the name."""
        ...

    async def refuse_if_full(self, name: str | None) -> None:
        """Raise LimitReached if no session of this name can be opened now, nor waited for."""

    async def close_session(self, name: str | None) -> str:
        """Close a session, by default the one that the action runs in; return its name."""
        ...

    async def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        ...
