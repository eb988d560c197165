"""Asking a person, on a channel that neither page nor agent can write to."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Protocol

from rove.guard.policy import Place


@dataclass(frozen=True)
class ApprovalRequest:
    """Exactly what would be done; an answer holds for this and nothing else."""

    action: str
    summary: str
    arguments: dict[str, Any]
    question: str
    place: Place
    id: str = field(default_factory=lambda: secrets.token_hex(8))


class Approver(Protocol):
    """Someone who can say yes."""

    async def approves(self, request: ApprovalRequest) -> bool: ...


class NobodyToAsk:
    """The default: with no person on the line, the answer is no."""

    async def approves(self, request: ApprovalRequest) -> bool:
        return False
