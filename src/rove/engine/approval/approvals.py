"""Requests that wait for a person: how many at once, how many a minute, for how long, and what the person remembers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Hashable
from dataclasses import replace

from rove.engine.outcome_redaction import redacted_outcome
from rove.errors import Denied, LimitReached
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver, NoApprover
from rove.guard.secrets.secrets import NO_SECRETS, Secrets

log = logging.getLogger(__name__)

MOST_PENDING = 5
MOST_A_MINUTE = 20
MINUTE = 60.0


class Approvals:
    """Puts requests to someone. Everything that is not a clear yes, and in time, is a no."""

    def __init__(self, approver: Approver | None, patience: float, secrets: Secrets = NO_SECRETS) -> None:
        self._approver = approver
        self._patience = patience
        self._secrets = secrets
        self._pending: dict[str, ApprovalRequest] = {}
        self._asked: deque[float] = deque()
        self._remembered: set[Hashable] = set()

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """What is being asked at this moment, in the order of asking."""
        return tuple(redacted_outcome(request, self._secrets) for request in self._pending.values())

    @property
    def patience(self) -> float:
        return self._patience

    def remembers(self, request: ApprovalRequest) -> bool:
        """Whether a person has said yes to all of its kind, for this session."""
        return request.session_key is not None and request.session_key in self._remembered

    def forget(self, session: str) -> None:
        """The session is over, and with it what was said, or is being asked, for it: its name may come again."""
        self._pending = {key: asked for key, asked in self._pending.items() if asked.place.session != session}
        self._remembered = {memory for memory in self._remembered if not _is_of(memory, session)}

    def approver(self, channel: Approver | None) -> Approver | None:
        """Who can be asked: whom the owner appointed, or else whoever is at the caller's end; None for nobody."""
        someone = self._approver or channel
        return None if isinstance(someone, NoApprover) else someone

    async def ask(self, request: ApprovalRequest, approver: Approver) -> None:
        """Return after a yes; raise after anything else."""
        self._take_a_turn(request.place.session)
        # A page may show a secret in an element's name or value, and a question goes a long way to its person.
        request = redacted_outcome(replace(request, expires=time.time() + self._patience), self._secrets)
        answer = await self._answered(request, approver)
        if answer is ApprovalAnswer.FOR_SESSION:
            # A step without an origin cannot be remembered, and stays approved just once.
            memories = [part.session_key for part in request.steps or (request,)]
            self._remembered.update(memory for memory in memories if memory is not None)
        elif answer is not ApprovalAnswer.ONCE:
            raise Denied(f"Not approved: {request.question}")

    async def _answered(self, request: ApprovalRequest, approver: Approver) -> object:
        self._pending[request.id] = request
        try:
            async with asyncio.timeout(self._patience) as limit:
                answer = await approver.answer(request)
            # An approver that would not be broken off, and then said yes, said it too late.
            is_valid = request.id in self._pending and not limit.expired()
            return answer if is_valid else ApprovalAnswer.NO
        except TimeoutError:
            raise Denied(
                f"Nobody answered within {self._patience:g} s: {request.question}",
                hint="Tell the owner that their answer is needed, then call again.",
            ) from None
        except Exception:
            log.exception("the approver failed on %s", request.action)
            return ApprovalAnswer.NO
        finally:
            self._pending.pop(request.id, None)

    def _take_a_turn(self, session: str) -> None:
        """A person who is asked without end stops reading what they say yes to."""
        now = time.monotonic()
        while self._asked and now - self._asked[0] >= MINUTE:
            self._asked.popleft()
        waiting = sum(request.place.session == session for request in self._pending.values())
        if waiting >= MOST_PENDING:
            oldest = min(request.expires for request in self._pending.values() if request.place.session == session)
            raise LimitReached(
                f"{waiting} questions of session {session} wait for an answer already.",
                hint=f"Wait until one is answered; the oldest runs out in {max(oldest - time.time(), 0):.0f} s.",
            )
        if len(self._asked) >= MOST_A_MINUTE:
            wait = MINUTE - (now - self._asked[0])
            raise LimitReached(
                f"A person was asked {len(self._asked)} times within a minute, which is the limit.",
                hint=f"Call again in {wait:.0f} s, or do without.",
            )
        self._asked.append(now)


def _is_of(memory: Hashable, session: str) -> bool:
    return isinstance(memory, tuple) and memory[0] == session
