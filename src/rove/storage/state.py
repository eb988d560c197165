"""The state of a browser context that keeps its logins, and what a session is opened with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal

from rove.records import dataclass

LoginKind = Literal["state", "profile"]
Items = list[dict[str, str]]


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


@dataclass(frozen=True)
class OriginState:
    """What one origin has stored. Session storage is that of the tab that was last looked at.

    A database has the form that Playwright gives it in a storage state.
    """

    local: Items = field(default_factory=Items)
    session: Items = field(default_factory=Items)
    databases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    # Records that cannot be written as JSON, such as files.
    left_out: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.local or self.session or self.databases)

    @property
    def record_count(self) -> int:
        """How many records the databases hold."""
        return sum(len(store["records"]) for database in self.databases for store in database["stores"])


@dataclass(frozen=True)
class BrowserState:
    """Cookies as the DevTools protocol has them, and what each origin has stored."""

    cookies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    origins: Mapping[str, OriginState] = field(default_factory=dict[str, OriginState])

    @property
    def session_storage(self) -> dict[str, Items]:
        """The session storage of each origin that has some."""
        return {origin: stored.session for origin, stored in self.origins.items() if stored.session}

    def without_storage(self) -> BrowserState:
        """Return the cookies alone."""
        return replace(self, origins={})

    def to_json(self) -> str:
        origins = {origin: vars(stored) for origin, stored in self.origins.items() if not stored.is_empty}
        return json.dumps({"cookies": self.cookies, "origins": origins}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> BrowserState:
        """Read what `to_json` has written."""
        facts = json.loads(text)
        return cls(facts["cookies"], {origin: OriginState(**stored) for origin, stored in facts["origins"].items()})
