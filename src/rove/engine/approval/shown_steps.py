"""What a person's yes to a list of actions answers for: the steps that they were shown whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rove.action import AnyAction, CompositeAction, parse
from rove.errors import InvalidArguments
from rove.guard.hosts.origins import origin_text
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver

BATCH = "batch"


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
