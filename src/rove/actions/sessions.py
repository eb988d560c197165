"""Sessions: named, isolated from each other, closed when idle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rove.action import Effect, House, HouseAction, action, arg


@dataclass(frozen=True)
class StatusReport:
    sessions: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        lines: list[str] = []
        for session in self.sessions:
            lines.append(f"session {session['session']}")
            lines += [f"  {'*' if tab['is_current'] else ' '} {tab['id']} {tab['url']}" for tab in session["tabs"]]
        return "\n".join(lines) or "No session is open."


@action(Effect.READ)
class Status(HouseAction[StatusReport]):
    """Tell which sessions and tabs are open and where they are."""

    async def perform(self, house: House) -> StatusReport:
        return StatusReport(tuple(house.sessions()))


@dataclass(frozen=True)
class SessionOpened:
    session: str

    def __str__(self) -> str:
        return f"Opened session {self.session}: pass it as `session`."


@action(Effect.SPAWN, observes=False)
class OpenSession(HouseAction[SessionOpened]):
    """Open a session of its own, with no cookies or storage of others."""

    name: str | None = arg("Name to use as `session`; made up if not given.", default=None, max_length=64,
                           pattern=r"^[A-Za-z0-9_.-]+$")  # fmt: skip

    async def perform(self, house: House) -> SessionOpened:
        return SessionOpened(await house.open_session(self.name))


@dataclass(frozen=True)
class SessionClosed:
    session: str

    def __str__(self) -> str:
        return f"Closed session {self.session}."


@action(Effect.ACT, observes=False)
class CloseSession(HouseAction[SessionClosed]):
    """Close a session and forget its cookies and storage."""

    name: str | None = arg("Which; the one of this call if not given.", default=None)

    async def perform(self, house: House) -> SessionClosed:
        return SessionClosed(await house.close_session(self.name))
