"""Several actions in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from rove.action import AnyAction, CompositeAction, Effect, StepRunner, action, arg, parse
from rove.errors import RoveError
from rove.outcome import AnyOutcome, Attachment, Passage, Result, error_passages, is_one_line
from rove.validation.fields import InvalidFields
from rove.validation.record import dataclass

Step = dict[str, Any]


@dataclass(frozen=True)
class StepFailed:
    index: int
    action: str
    error: RoveError


@dataclass(frozen=True)
class BatchDone(Result):
    done: tuple[AnyOutcome, ...]
    failed: StepFailed | None
    left_out: int

    def __str__(self) -> str:
        """Say how far it got; what each step returned is in its outcome."""
        if self.failed is None:
            return f"{len(self.done)} steps done."
        return f"Step {self.failed.index + 1}, {self.failed.action}, failed; {self.left_out} left out."

    @property
    def error(self) -> RoveError | None:
        return self.failed.error if self.failed else None

    @property
    def parts(self) -> tuple[AnyOutcome, ...]:
        return self.done

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(attachment for outcome in self.done for attachment in outcome.attachments)

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell what each step said, what the last one changed, and why the batch stopped."""
        for number, outcome in enumerate(self.done, 1):
            yield from _numbered(f"{number}. {outcome.action}:", list(outcome.result.passages(outcome.origin)))
        if self.done:
            last = self.done[-1]
            yield from (passage.of(last.origin) for passage in last.changes.passages)
        if self.failed is not None:
            yield Passage(f"{self.failed.index + 1}. {self.failed.action} failed, {self.left_out} left out:")
            yield from error_passages(self.failed.error)


def _numbered(head: str, passages: list[Passage]) -> Iterator[Passage]:
    """Put a step's number on the line of its text if that is one line, which then cannot imitate another step."""
    if len(passages) == 1 and is_one_line(passages[0].text):
        yield replace(passages[0], text=f"{head} {passages[0].text}")
    else:
        yield Passage(head)
        yield from passages


def _parsed(index: int, step: Step) -> AnyAction:
    try:
        made = parse(str(step.get("action", "")), {key: value for key, value in step.items() if key != "action"})
    except RoveError as error:
        raise ValueError(f"step {index + 1}: {error.message.rstrip('.')}") from error
    if isinstance(made, CompositeAction):
        raise ValueError(f"step {index + 1}: a batch cannot hold a {made.verb}")
    return made


@action(Effect.ACT, observes=False)
class Batch(CompositeAction[BatchDone]):
    """Run several actions in order, within one `timeout`; stop at the first that fails."""

    steps: tuple[Step, ...] = arg('Each {"action": "click", ...its arguments}.', min_length=1, max_length=50)

    @property
    def actions(self) -> tuple[AnyAction, ...]:
        return self._actions

    @cached_property
    def _actions(self) -> tuple[AnyAction, ...]:
        """The steps as actions, read once."""
        return tuple(_parsed(index, step) for index, step in enumerate(self.steps))

    def complete(self) -> None:
        """Refuse a step that is no valid action before the first one runs."""
        try:
            _ = self._actions
        except ValueError as error:
            raise InvalidFields([("steps", str(error))]) from error

    async def perform(self, runner: StepRunner) -> BatchDone:
        done: list[AnyOutcome] = []
        await runner.ask_ahead(self.actions)
        for index, made in enumerate(self.actions):
            runner.report(made.describe(), index, len(self.steps))
            try:
                done.append(await runner.run(made))
            except RoveError as error:
                failed = StepFailed(index, made.verb, error)
                return BatchDone(tuple(done), failed, len(self.steps) - index - 1)
        return BatchDone(tuple(done), None, 0)
