"""The policy interface and its decisions: allow, deny, or ask a person."""

from __future__ import annotations

from typing import Protocol

from rove.action import AnyAction
from rove.guard.hosts.urls import WEB_SCHEMES, scheme_of
from rove.validation.record import dataclass


@dataclass(frozen=True)
class Place:
    """Where an action would happen: a session, a tab, and the URL of the page or frame that it acts on."""

    session: str
    tab: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Allow:
    """The action may run."""


@dataclass(frozen=True)
class Deny:
    """The action may not run, for this reason."""

    reason: str
    hint: str | None = None


@dataclass(frozen=True)
class Ask:
    """The action may run only if a person approves it. The hint tells the agent how the owner could allow it."""

    question: str
    hint: str | None = None


Decision = Allow | Deny | Ask


class Policy(Protocol):
    """Decides on an action before it is performed. A policy that raises an exception denies the action."""

    def decide(self, action: AnyAction, place: Place) -> Decision: ...


class WebOnly:
    """Allows everything except URLs that are not http or https. It applies before every other policy."""

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if action.destination is None or scheme_of(action.destination) in WEB_SCHEMES:
            return Allow()
        scheme = scheme_of(action.destination) or "no"
        return Deny(
            f"rove does not open `{scheme}:` addresses: {action.destination[:200]}",
            hint="Use an http: or https: address.",
        )
