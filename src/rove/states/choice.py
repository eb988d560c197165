"""What a session is opened with, and which states and profiles an action uses."""

from __future__ import annotations

from typing import Literal

from rove.validation.record import dataclass

LoginKind = Literal["state", "profile"]


@dataclass(frozen=True)
class LoginChoice:
    """The state or the profile that a session begins with, and whether the state is saved again."""

    state: str | None = None
    profile: str | None = None
    keeps_state: bool = False

    @property
    def is_made(self) -> bool:
        return self.state is not None or self.profile is not None


@dataclass(frozen=True)
class LoginUse:
    """A state or a profile that an action uses, and the session that gets it.

    `session`: None for the session of the call; empty for a new one whose name is not known yet.
    """

    kind: LoginKind
    name: str
    session: str | None = None


NO_LOGIN = LoginChoice()
