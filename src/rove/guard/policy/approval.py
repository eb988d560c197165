"""Approval requests, which a person answers on a channel that neither the page nor the agent can write to."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Hashable
from dataclasses import field
from typing import Any, Protocol, runtime_checkable

from rove.browser.consequences import Consequence
from rove.guard.hosts.origins import origin_text
from rove.guard.policy.policy import Place
from rove.validation.record import dataclass


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
