"""What is allowed, what is not, and what a person must be asked."""

from __future__ import annotations

from typing import Protocol

from rove.action import AnyAction
from rove.guard.hosts.urls import WEB_SCHEMES, scheme_of
from rove.record import dataclass


@dataclass(frozen=True)
class Place:
    """Where an action would happen: a session, a tab, and the address of the page or the frame that it acts on."""

    session: str
    tab: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Allow:
    """Go ahead."""


@dataclass(frozen=True)
class Deny:
    """Not this, for this reason."""

    reason: str
    hint: str | None = None


@dataclass(frozen=True)
class Ask:
    """Only if a person says so; the hint tells whoever was stopped how the owner could allow it."""

    question: str
    hint: str | None = None


Decision = Allow | Deny | Ask


class Policy(Protocol):
    """Decides on an action before it is performed. One that raises denies."""

    def decide(self, action: AnyAction, place: Place) -> Decision: ...


class WebOnly:
    """The floor under every policy: everything, as long as it stays on the web."""

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if action.destination is None or scheme_of(action.destination) in WEB_SCHEMES:
            return Allow()
        scheme = scheme_of(action.destination) or "no"
        return Deny(
            f"Addresses of the scheme `{scheme}:` are not opened: {action.destination[:200]}",
            hint="Use an http: or https: address.",
        )
