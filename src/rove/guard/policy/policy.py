"""The policy interface and its decisions: allow, deny, or ask a person."""

from __future__ import annotations

from typing import Protocol

from rove.action import AnyAction
from rove.browser.network import WorkspaceFiles
from rove.errors import RoveError
from rove.guard.hosts.urls import WEB_SCHEMES, scheme_of
from rove.page_text import PageText
from rove.validation.record import dataclass


@dataclass(frozen=True)
class Place:
    """Where an action would happen: a session, a tab, and the URL of the page or frame that it acts on."""

    session: str
    tab: str | None = None
    url: str | None = None

    @classmethod
    def of_page(cls, session: str, tab: str | None, url: str) -> Place:
        """Return the place of a page. If its address is not of the web, as `about:blank`, its origin decides."""
        if isinstance(url, PageText) and scheme_of(url) not in WEB_SCHEMES:
            return cls(session, tab, url.origin)
        return cls(session, tab, url)


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
    """Allows everything except URLs that are not http or https. It applies before every other policy.

    `files`: the files that `file:` URLs may open, if there are any.
    """

    def __init__(self, files: WorkspaceFiles | None = None) -> None:
        self._files = files

    def decide(self, action: AnyAction, place: Place) -> Decision:
        if action.destination is None or scheme_of(action.destination) in WEB_SCHEMES:
            return Allow()
        scheme = scheme_of(action.destination) or "no"
        if scheme == "file" and self._files is not None:
            return self._decide_file(self._files, action.destination)
        return Deny(
            f"rove does not open `{scheme}:` addresses: {action.destination[:200]}",
            hint="Use an http: or https: address.",
        )

    def _decide_file(self, files: WorkspaceFiles, url: str) -> Decision:
        try:
            files.check(url)
        except RoveError as error:
            return Deny(error.message, hint=error.hint)
        return Allow()
