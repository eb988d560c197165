"""How a session is opened, and the set of open sessions, as actions see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rove.settings.sections import EngineName
from rove.states.choice import NO_LOGIN, LoginChoice
from rove.validation.fields import Validated, arg
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.states.desk import StateDesk
    from rove.video.desk import VideoDesk


@dataclass(frozen=True)
class ViewportSize(Validated):
    """The size of the viewport of each tab of a session."""

    width: int = arg("CSS pixels.", ge=1, le=10_000)
    height: int = arg("CSS pixels.", ge=1, le=10_000)


@dataclass(frozen=True)
class WindowChoice:
    """What a session has instead of what the settings say: a window or none, the size of viewports, the engine."""

    headless: bool | None = None
    viewport: ViewportSize | None = None
    # Whether its browser is started at once, not with the first call that needs it.
    starts_now: bool = False
    engine: EngineName | None = None
    # Whether all of it is recorded as a video, and as HAR, also if the settings do not say so.
    video: bool = False
    har: bool = False


AS_SET = WindowChoice()


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
