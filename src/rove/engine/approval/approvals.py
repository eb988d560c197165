"""Approval requests that wait for a person: how many, for how long, and what is approved for a whole session."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict, deque
from collections.abc import Hashable
from dataclasses import replace

from rove.engine.approval.shown_steps import is_whole_batch
from rove.engine.outcome_redaction import redacted_outcome
from rove.errors import DeadlineExceeded, Denied, LimitReached
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver, InformedApprover, NoApprover
from rove.guard.secrets.secrets import NO_SECRETS, Secrets

log = logging.getLogger(__name__)

MAX_PENDING = 5
MAX_PER_MINUTE = 20
MINUTE = 60.0


class Approvals:
    """Asks a person. Only a clear yes within `timeout` seconds approves; everything else denies."""

    def __init__(self, approver: Approver | None, timeout: float, secrets: Secrets = NO_SECRETS) -> None:
        self._approver = approver
        self._secrets = secrets
        self._pending: dict[str, ApprovalRequest] = {}
        # When each question of the last minute was asked, by session. A session that is closed keeps its count, as
        # its name may be used again.
        self._asked: defaultdict[str, deque[float]] = defaultdict(deque)
        # The keys of what a person has approved for a whole session.
        self._remembered: set[Hashable] = set()
        self.timeout = timeout

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The requests that wait for an answer now, oldest first."""
        return tuple(redacted_outcome(request, self._secrets) for request in self._pending.values())

    def remembers(self, request: ApprovalRequest) -> bool:
        """Whether a person has approved every request of this kind for the session."""
        return request.session_key is not None and request.session_key in self._remembered

    def forget(self, session: str) -> None:
        """Drop what was approved or is being asked for a session that is closed, as its name may be used again."""
        self._pending = {key: request for key, request in self._pending.items() if request.place.session != session}
        self._remembered = {key for key in self._remembered if not _is_of(key, session)}

    def approver(self, channel: Approver | None) -> Approver | None:
        """Return the approver that the owner has set, or else the caller's; None if no person can be asked."""
        approver = self._approver or channel
        return None if isinstance(approver, NoApprover) else approver

    async def has_answer(self, request: ApprovalRequest, approver: Approver) -> bool:
        """Whether the person has approved this already, as a part of a call that they were shown."""
        if not isinstance(approver, InformedApprover):
            return False
        try:
            return await approver.has_approved(redacted_outcome(request, self._secrets)) is True
        except Exception:
            log.exception("the approver failed on %s", request.action)
            return False

    async def ask(self, request: ApprovalRequest, approver: Approver) -> None:
        """Return if the person approves. Raises Denied after any other answer, and LimitReached for too many."""
        self._refuse_too_many(request.place.session)
        asked = time.monotonic()
        self._asked[request.place.session].append(asked)
        # A page may show a secret in an element's name or value, and a question leaves this process.
        request = redacted_outcome(replace(request, expires=time.time() + self.timeout), self._secrets)
        answer = await self._wait_for_answer(request, approver)
        if is_whole_batch(request) and isinstance(approver, InformedApprover) and answer is ApprovalAnswer.ONCE:
            self._uncount(request.place.session, asked)
        if answer is ApprovalAnswer.FOR_SESSION:
            # A step without an origin has no key, and is approved just once.
            keys = [part.session_key for part in request.steps or (request,)]
            self._remembered.update(key for key in keys if key is not None)
        elif answer is not ApprovalAnswer.ONCE:
            raise Denied(f"Not approved: {request.question}")

    async def _wait_for_answer(self, request: ApprovalRequest, approver: Approver) -> object:
        self._pending[request.id] = request
        try:
            async with asyncio.timeout(self.timeout) as limit:
                answer = await approver.answer(request)
            # An approver may ignore its cancellation, and its session may be closed: the answer is too late then.
            is_valid = request.id in self._pending and not limit.expired()
            return answer if is_valid else ApprovalAnswer.NO
        except TimeoutError:
            raise Denied(
                f"There was no answer within {self.timeout:g} s: {request.question}",
                hint="Tell the owner that their answer is needed, then call again.",
            ) from None
        except (Denied, DeadlineExceeded):
            raise  # a no with the person's reason, or the end of the time that the caller has
        except Exception:
            log.exception("the approver failed on %s", request.action)
            return ApprovalAnswer.NO
        finally:
            self._pending.pop(request.id, None)

    def _uncount(self, session: str, asked: float) -> None:
        """Take a question out of the count: an agent floods no person with calls that the person approves."""
        times = self._asked.get(session, deque[float]())
        if asked in times:
            times.remove(asked)

    def _refuse_too_many(self, session: str) -> None:
        """Raise LimitReached beyond a few questions, since a person who is asked too often stops reading them."""
        expiries = [request.expires for request in self._pending.values() if request.place.session == session]
        if len(expiries) >= MAX_PENDING:
            raise LimitReached(
                f"{len(expiries)} questions of session {session} wait for an answer already.",
                hint=f"Wait until one is answered; the oldest expires in {max(min(expiries) - time.time(), 0):.0f} s.",
            )
        now = time.monotonic()
        for name, times in [*self._asked.items()]:
            while times and now - times[0] >= MINUTE:
                times.popleft()
            if not times:
                del self._asked[name]
        asked = self._asked.get(session)
        if asked and len(asked) >= MAX_PER_MINUTE:
            wait = MINUTE - (now - asked[0])
            raise LimitReached(
                f"A person was asked {len(asked)} times within a minute by session {session}, which is the limit.",
                hint=f"Call again in {wait:.0f} s, or do without.",
            )


def _is_of(key: Hashable, session: str) -> bool:
    return isinstance(key, tuple) and key[0] == session
