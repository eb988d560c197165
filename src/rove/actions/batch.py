"""Several actions in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from rove.action import AnyAction, CompositeAction, Effect, StepRunner, action, arg, parse, registry
from rove.advice import Verbatim
from rove.errors import InvalidArguments, RoveError
from rove.outcome import AnyOutcome, Attachment, Passage, Result, error_passages, is_one_line
from rove.page_text import Own
from rove.records import dataclass

Step = dict[str, Any]
LONGEST_STEP = 300
# What models are told of a step. The arguments of all actions would cost more than all other tools together.
STEP_SCHEMA = {
    "type": "object",
    "description": "An action and any of its arguments.",
    "properties": {
        "action": {"type": "string", "description": "Such as click."},
        "target": {"type": "string", "description": "Element."},
        "url": {"type": "string", "description": "For navigate."},
        "value": {"type": "string", "description": "For fill."},
        "text": {"type": "string", "description": "For type and wait."},
        "key": {"type": "string", "description": "For press."},
    },
    "required": ["action"],
}


@dataclass(frozen=True)
class StepFailed:
    index: int
    action: Own
    error: RoveError


@dataclass(frozen=True)
class BatchDone(Result):
    done: tuple[AnyOutcome, ...]
    failed: StepFailed | None = None
    # The steps after the one that failed, in the agent's words.
    not_run: tuple[Own, ...] = ()

    def __str__(self) -> str:
        """Say how far it got; what each step returned is in its outcome."""
        if self.failed is None:
            return "1 step done." if len(self.done) == 1 else f"{len(self.done)} steps done."
        return f"Step {self.failed.index + 1}, {self.failed.action}, failed; {len(self.not_run)} not run."

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
        """Tell what each step did, why the batch stopped, and which steps did not run."""
        for number, outcome in enumerate(self.done, 1):
            yield from _numbered(f"{number}. {outcome.action}:", _step_passages(outcome))
        if self.failed is not None:
            yield Passage(f"{self.failed.index + 1}. {self.failed.action}: failed.")
            yield from error_passages(self.failed.error)
        for number, step in enumerate(self.not_run, len(self.done) + 2):
            yield Passage(f"{number}. not run: {step}", longest=LONGEST_STEP)


def _step_passages(outcome: AnyOutcome) -> list[Passage]:
    """Return what a step said; where the tab is if it said nothing, as a navigation does."""
    said = [passage for passage in outcome.result.passages(outcome.origin) if passage.text]
    has_left = outcome.action in registry() and registry()[outcome.action].effect is Effect.NAVIGATE
    return said or [Passage(outcome.url or Own(), outcome.origin) if has_left else Passage("done, with no text.")]


def _numbered(head: str, passages: list[Passage]) -> Iterator[Passage]:
    """Put a step's number on the line of its text if that is one line, which then cannot imitate another step."""
    if len(passages) == 1 and is_one_line(passages[0].text):
        yield replace(passages[0], text=f"{head} {passages[0].text}")
    else:
        yield Passage(head)
        yield from passages


def _parsed(index: int, step: Step) -> AnyAction:
    """Return a step as an action. Raises InvalidArguments with the number of the step."""
    where = f"`steps`: step {index + 1}"
    name = step.get("action")
    if not isinstance(name, str):
        raise InvalidArguments(
            f'{where} has no `action`: it must be the name of one, as in {{"action": "click", "target": "e12"}}.'
        )
    try:
        made = parse(name, {key: value for key, value in step.items() if key != "action"})
    except InvalidArguments as error:
        raise InvalidArguments(f"{where}: {error.message}", hint=error.hint) from error
    if isinstance(made, CompositeAction):
        raise InvalidArguments(f"{where}: a batch cannot hold a {made.verb}.")
    return made


@action(Effect.ACT, observes=False)
class Batch(CompositeAction[BatchDone]):
    """Run several actions in order, within one `timeout`; stop at the first that fails."""

    steps: tuple[Step, ...] = arg("In order.", min_length=1, max_length=50, items=STEP_SCHEMA)

    @property
    def actions(self) -> tuple[AnyAction, ...]:
        return self._actions

    @cached_property
    def _actions(self) -> tuple[AnyAction, ...]:
        """The steps as actions, read once."""
        return tuple(_parsed(index, step) for index, step in enumerate(self.steps))

    @property
    def recorded(self) -> dict[str, Any]:
        """The steps; of texts that a step conceals, only the lengths."""
        made = zip(self.steps, self.actions, strict=True)
        hidden = [{**step, **{name: each.recorded[name] for name in each.concealed}} for step, each in made]
        return {"steps": hidden}

    def describe(self) -> str:
        """Tell how many actions there are, and the first, in the words of contract A."""
        return f"{len(self.steps)} browser action(s) — first: {self.actions[0].describe()}"

    def complete(self) -> None:
        """Refuse a step that is no valid action before the first one runs."""
        _ = self._actions

    async def perform(self, runner: StepRunner) -> BatchDone:
        done: list[AnyOutcome] = []
        await runner.ask_ahead(self.actions)
        for index, made in enumerate(self.actions):
            runner.report(made.describe(), index, len(self.steps))
            try:
                done.append(await runner.run(made))
            except RoveError as error:
                not_run = tuple(Own(left.describe()) for left in self.actions[index + 1 :])
                return BatchDone(tuple(done), StepFailed(index, Own(made.verb), _not_to_repeat(error, index)), not_run)
        return BatchDone(tuple(done))


def _not_to_repeat(error: RoveError, done: int) -> RoveError:
    """Return the error of a step, which is no reason to run the steps before it again."""
    if done:
        error.retryable, error.retry_after = False, None
        steps = "Step 1 is" if done == 1 else f"Steps 1 to {done} are"
        error.hint = Verbatim(f"{error.hint} {steps} done: do not repeat {'it' if done == 1 else 'them'}.")
    return error
