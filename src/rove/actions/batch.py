"""Several actions in one call."""

from __future__ import annotations

from typing import Any

from rove.action import AnyAction, CompositeAction, Effect, StepRunner, action, arg, parse
from rove.errors import RoveError
from rove.outcome import AnyOutcome, Attachment
from rove.record import dataclass

Step = dict[str, Any]


@dataclass(frozen=True)
class StepFailed:
    index: int
    action: str
    error: RoveError


@dataclass(frozen=True)
class BatchDone:
    done: tuple[AnyOutcome, ...]
    failed: StepFailed | None
    left_out: int

    def __str__(self) -> str:
        """How far it got; what each step said is in its outcome."""
        if self.failed is None:
            return f"{len(self.done)} steps done."
        return f"Step {self.failed.index + 1}, {self.failed.action}, failed; {self.left_out} left out."

    @property
    def error(self) -> RoveError | None:
        """What stopped it."""
        return self.failed.error if self.failed else None

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(attachment for outcome in self.done for attachment in outcome.attachments)


def _parsed(index: int, step: Step) -> AnyAction:
    try:
        made = parse(str(step.get("action", "")), {key: value for key, value in step.items() if key != "action"})
    except RoveError as error:
        raise ValueError(f"step {index + 1}: {error.message.rstrip('.')}") from error
    if isinstance(made, CompositeAction):
        raise ValueError(f"step {index + 1}: a batch cannot hold a {made.verb}")
    return made


def _checked(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    for index, step in enumerate(steps):
        _parsed(index, step)
    return steps


@action(Effect.ACT, observes=False)
class Batch(CompositeAction[BatchDone]):
    """Run several actions in order; stop at the first that fails."""

    steps: tuple[Step, ...] = arg(
        'Each {"action": "click", ...its arguments}.', min_length=1, max_length=50, check=_checked
    )

    async def perform(self, runner: StepRunner) -> BatchDone:
        done: list[AnyOutcome] = []
        steps = [_parsed(index, step) for index, step in enumerate(self.steps)]
        await runner.ask_ahead(steps)
        for index, made in enumerate(steps):
            runner.report(made.describe(), index, len(self.steps))
            try:
                done.append(await runner.run(made))
            except RoveError as error:
                failed = StepFailed(index, made.verb, error)
                return BatchDone(tuple(done), failed, len(self.steps) - index - 1)
        return BatchDone(tuple(done), None, 0)
