"""How a session is opened, the set of open sessions and the videos of one, as actions see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rove.fields import Validated, arg
from rove.page_text import Own
from rove.records import dataclass
from rove.settings.sections import EngineName
from rove.storage.state import NO_LOGIN, LoginChoice

if TYPE_CHECKING:
    from rove.storage.saved_states import StateDesk


@dataclass(frozen=True)
class VideoFacts:
    """A video file. `withheld`: seconds in which pages were shown that may not be recorded; `problem`: why it ended."""

    path: Own
    seconds: float = 0.0
    width: int = 0
    height: int = 0
    size: int = 0
    withheld: float = 0.0
    problem: Own = Own("")

    def __str__(self) -> str:
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 100_000 else f"{self.size / 1000:.0f} kB"
        facts = f"{self.seconds:.1f} s, {self.width} x {self.height}, {size}"
        withheld = f" For {self.withheld:.1f} s it shows a grey picture, as a person drove or the page may not be read."
        return f"{self.path} ({facts}).{withheld if self.withheld else ''}{f' {self.problem}' if self.problem else ''}"


class VideoDesk(Protocol):
    """Starts and ends the videos of one session."""

    async def start_video(self, name: str | None, tab: str | None, /) -> Own:
        """Record a tab, or whichever is current; return the path of the file."""
        ...

    async def stop_videos(self) -> tuple[VideoFacts, ...]:
        """End the videos that are being recorded, and return those that have ended since the last call too."""
        ...


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
