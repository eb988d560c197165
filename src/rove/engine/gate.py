"""The gate: the policy decides on every action, and a person where the policy asks for one. An error denies."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import cast

from rove.action import AnyAction, CompositeAction, parse
from rove.actions.sessions import OpenSession
from rove.actions.snapshot import Snapshot
from rove.actions.states import States
from rove.browser.network import WorkspaceFiles
from rove.engine.redaction import redacted_outcome
from rove.errors import DeadlineExceeded, Denied, InvalidArguments, LimitReached
from rove.guard.network.urls import origin_text
from rove.guard.policy import (
    Allow,
    ApprovalAnswer,
    ApprovalRequest,
    Approver,
    Ask,
    Decision,
    Deny,
    InformedApprover,
    NoApprover,
    Place,
    Policy,
    WebOnly,
)
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.storage.saved_states import OWNER_MARK
from rove.storage.state import LoginChoice

log = logging.getLogger(__name__)
BATCH = "batch"
MAX_PENDING = 5
MAX_PER_MINUTE = 20
MINUTE = 60.0
# Stands for reading a page when the policy is asked whether a page may be read.
READING = Snapshot()


class ShownSteps:
    """The steps that a person has approved together. Each answers for one request, once.

    What they were not shown is asked about: a step at another origin, on an element that appeared later, or one that
    sends or opens something.
    """

    def __init__(
        self,
        session: str,
        steps: Sequence[AnyAction],
        origins: Iterable[str | None] = (),
        elements: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._session = session
        self._elements = elements
        destinations = {origin_text(step.destination) for step in steps if step.destination}
        self._origins = {*origins, *destinations} - {None}
        self._left = [(step.verb, step.arguments) for step in steps]

    def answer(self, request: ApprovalRequest) -> bool:
        """Whether the yes answers a request, which uses up the step that it is for."""
        asked = (request.action, request.arguments)
        if request.place.session != self._session or asked not in self._left or not self._has_shown(request):
            return False
        self._left.remove(asked)
        return True

    def _has_shown(self, request: ApprovalRequest) -> bool:
        """Whether a person has seen all that a request would show of a step besides its arguments."""
        elements = {(each.ref, each.line) for each in request.elements}
        return (
            not request.consequences
            and not request.steps
            and elements <= self._elements
            and {*request.origins} <= self._origins
        )


class AsksOnce:
    """Asks a person about a batch as a whole. Their yes answers for the steps that they were shown, too."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._shown: ShownSteps | None = None

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        answer = await self._approver.answer(request)
        if is_whole_batch(request) and answer is not ApprovalAnswer.NO:
            self._shown = _steps_in(request)
        return answer

    async def has_approved(self, request: ApprovalRequest) -> bool:
        return self._shown is not None and self._shown.answer(request)


def is_whole_batch(request: ApprovalRequest) -> bool:
    """Whether a request is about a batch itself, and not about some of its steps."""
    return request.action == BATCH and not request.steps


def _steps_in(request: ApprovalRequest) -> ShownSteps | None:
    try:
        batch = parse(BATCH, request.arguments)
    except InvalidArguments:
        return None  # a secret in it was hidden from the person: its steps are asked about
    steps = batch.actions if isinstance(batch, CompositeAction) else ()
    return ShownSteps(request.place.session, steps, request.origins)


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


class Gate:
    """Decides on every action, and has the approvals that wait for a person."""

    def __init__(
        self,
        policy: Policy,
        approver: Approver | None,
        timeout: float,
        secrets: Secrets = NO_SECRETS,
        files: WorkspaceFiles | None = None,
    ) -> None:
        """`files`: what `file:` addresses may open, if the settings let them."""
        self._policy = policy
        self._web_only = WebOnly(files)
        self.approvals = Approvals(approver, timeout, secrets)

    def decide(self, action: AnyAction, places: Sequence[Place]) -> Decision:
        """Return the policy's decision; for an action that touches several places, the strictest one."""
        decisions = [self._decide(action, place) for place in places]
        return min(decisions, key=_permissiveness)

    def refuse_login(self, choice: LoginChoice, session: str) -> None:
        """Raise Denied if the policy does not allow a session the state or profile that the settings choose for it."""
        if choice.is_made:
            opening = OpenSession(name=session, state=choice.state, profile=choice.profile)
            decision = self.decide(opening, (Place(session),))
            # The owner has asked for it, so that no person need be asked again.
            if isinstance(decision, Deny):
                raise Denied(decision.reason, hint=decision.hint)

    def may_read(self, place: Place) -> bool:
        """Whether text of the page at `place` may be returned without asking a person."""
        return isinstance(self.decide(READING, (place,)), Allow)

    def asks_to_read(self, place: Place) -> bool:
        """Whether a person has to be asked before text of the page at `place` may be returned."""
        return isinstance(self.decide(READING, (place,)), Ask)

    def may_show_state(self, name: str, session: str) -> bool:
        """Whether a session may be told of a saved state: those that are bound to other sessions stay unknown to it."""
        # A name with the mark of a client is no argument of an action; only the person who runs rove sees it.
        plain = name.partition(OWNER_MARK)[0]
        return not isinstance(self.decide(States(name=plain), (Place(session),)), Deny)

    def _decide(self, action: AnyAction, place: Place) -> Decision:
        try:
            # Comes before every policy: an address that is not of the web never passes the egress proxy.
            web_only = self._web_only.decide(action, place)
            if not isinstance(web_only, Allow):
                return web_only
            decision = cast(object, self._policy.decide(action, place))
            if isinstance(decision, Allow | Deny | Ask):
                return decision
            raise TypeError(f"{decision!r} is no decision")
        except Exception:
            log.exception("the policy failed on %s", action.verb)
            return Deny("The policy could not decide, which counts as no.", hint="The owner must repair the policy.")


def _permissiveness(decision: Decision) -> int:
    return 0 if isinstance(decision, Deny) else 1 if isinstance(decision, Ask) else 2
