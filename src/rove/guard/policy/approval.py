"""Asking a person, on a channel that neither page nor agent can write to."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Hashable
from dataclasses import field
from typing import Any, Protocol

from rove.guard.policy.policy import Place
from rove.record import dataclass


class ApprovalAnswer(enum.Enum):
    """What a person says. Nothing else lets an action through, and nobody else can say it."""

    NO = "no"
    ONCE = "once"
    # For the same action at the same origin in the same session, until that session is closed.
    FOR_SESSION = "for_session"


@dataclass(frozen=True)
class ShownElement:
    """An element that an action is about, as the page shows it at this moment."""

    argument: str
    ref: str
    line: str


@dataclass(frozen=True)
class ApprovalRequest:
    """Exactly what would be done; an answer holds for this and nothing else.

    `origins` are those of the page and of the frames that it acts on, or the one that it goes to; None is one that
    belongs to nobody, such as a sandboxed frame's. `steps` are the parts of a batch that are asked about together.
    """

    action: str
    summary: str
    arguments: dict[str, Any]
    question: str
    place: Place
    origins: tuple[str | None, ...] = ()
    elements: tuple[ShownElement, ...] = ()
    steps: tuple[ApprovalRequest, ...] = ()
    id: str = field(default_factory=lambda: os.urandom(16).hex())
    created: float = field(default_factory=time.time)
    expires: float = float("inf")

    @property
    def value(self) -> dict[str, Any]:
        """What it would do it with: the arguments that are not elements."""
        targets = {element.argument for element in self.elements}
        return {name: value for name, value in self.arguments.items() if name not in targets}

    @property
    def memory_key(self) -> Hashable | None:
        """What a person may say once for a whole session: this action at these origins. None where there are none."""
        if self.steps or not self.origins or None in self.origins:
            return None
        return self.place.session, self.action, self.origins

    @property
    def can_be_remembered(self) -> bool:
        return all(step.memory_key for step in self.steps) if self.steps else self.memory_key is not None

    def covers(self, other: ApprovalRequest) -> bool:
        """Whether a yes to this is a yes to that: the same deed, on the same elements, in the same place."""
        return self._deed == other._deed

    @property
    def _deed(self) -> tuple[Any, ...]:
        where = self.place.session, self.place.tab, self.origins
        return self.action, self.arguments, where, self.elements


class Approver(Protocol):
    """Someone who can say yes."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer: ...


class NoApprover:
    """With no person on the line, the answer is no."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.NO
