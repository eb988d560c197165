"""The policy interface and its decisions, and approval requests, which a person answers."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Hashable
from dataclasses import field
from typing import Any, Protocol, runtime_checkable

from rove.action import AnyAction
from rove.browser.consequences import Consequence
from rove.browser.network import WorkspaceFiles
from rove.errors import RoveError
from rove.guard.network.urls import WEB_SCHEMES, origin_text, scheme_of
from rove.page_text import PageText
from rove.records import dataclass


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


class ApprovalAnswer(enum.Enum):
    """A person's answer to an approval request."""

    NO = "no"
    ONCE = "once"
    # Holds for the same action at the same origin in the same session, until that session is closed.
    FOR_SESSION = "for_session"


@dataclass(frozen=True)
class ShownElement:
    """An element that an action targets, as the page shows it when approval is requested."""

    argument: str
    ref: str
    line: str
    # Tells it from an element that is drawn in its place, to which its ref may pass.
    identity: int = 0


@dataclass(frozen=True)
class ApprovalRequest:
    """Exactly what would be done. An answer holds for this request and for no other.

    `origins` are the origins of the page and the frames that the action acts on, or the origin that it navigates to.
    None stands for an opaque origin, such as that of a sandboxed frame. `consequences`: what it would send or open, as
    far as that can be known. `note` says what cannot. `steps` are the steps of a batch that are approved together.
    """

    action: str
    summary: str
    arguments: dict[str, Any]
    question: str
    place: Place
    origins: tuple[str | None, ...] = ()
    elements: tuple[ShownElement, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    secrets: tuple[str, ...] = ()
    note: str = ""
    steps: tuple[ApprovalRequest, ...] = ()
    id: str = field(default_factory=lambda: os.urandom(16).hex())
    created: float = field(default_factory=time.time)
    expires: float = float("inf")

    @property
    def value(self) -> dict[str, Any]:
        """The arguments that are not elements."""
        targets = {element.argument for element in self.elements}
        return {name: value for name, value in self.arguments.items() if name not in targets}

    @property
    def session_key(self) -> Hashable | None:
        """The key of an answer for the whole session: session, action, origins, and the origins that it sends to.

        None if one of them is no web origin.
        """
        if self.steps or not self.origins or None in self.origins or None in self.destinations:
            return None
        return self.place.session, self.action, self.origins, self.destinations

    @property
    def destinations(self) -> tuple[str | None, ...]:
        """The origins of the forms and links among the consequences, each once; None for one without an origin."""
        leading = (each for each in self.consequences if each.kind not in ("file",))
        return tuple(sorted({origin_text(each.url) for each in leading}, key=str))

    @property
    def can_be_remembered(self) -> bool:
        return all(step.session_key for step in self.steps) if self.steps else self.session_key is not None

    def covers(self, other: ApprovalRequest) -> bool:
        """Return whether approval of this request also approves another: same action, elements, tab and origins."""
        return self._content == other._content

    @property
    def _content(self) -> tuple[Any, ...]:
        place = self.place.session, self.place.tab, self.origins
        steps = tuple(step._content for step in self.steps)
        return self.action, self.arguments, place, self.elements, self.consequences, steps


class Approver(Protocol):
    """Asks a person to answer approval requests."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer: ...


@runtime_checkable
class InformedApprover(Approver, Protocol):
    """An approver whose person was shown a whole call, and approved it, before it began."""

    async def has_approved(self, request: ApprovalRequest) -> bool:
        """Whether that yes answers a request already. Each action that was shown answers one request, once."""
        ...


class NoApprover:
    """Answers no to every request, because there is no person to ask."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.NO
