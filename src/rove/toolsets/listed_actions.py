"""Actions as contract A lists them: `{type: navigate, url}`, `{type: click, selector}` and so on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar

from rove.action import AnyAction, CompositeAction, fields_of, registry
from rove.actions.batch import BatchDone
from rove.actions.readable_text import Extracted
from rove.actions.sessions import SessionOpened
from rove.advice import Verbatim, nearest, without_clauses
from rove.errors import Denied, InvalidArguments
from rove.fields import UNKNOWN, InvalidFields, build, schema_of
from rove.guard.cleaning import one_line, visible_line
from rove.guard.policy import Deny, Place, WebOnly
from rove.outcome import AnyOutcome, Outcome
from rove.page_text import Own
from rove.records import dataclass

MOST_ACTIONS = 50
LONGEST_PHRASE = 200
PAGE = "the page"
# What hints name and an action of a list does not have.
OPTIONS_OF_CALLS = ("`session`", "`tab`", "`timeout`")


@dataclass(frozen=True)
class ActionType:
    """A type of action in the words of this tool: the verb of the catalogue, its fields, and its phrases for people.

    `fields` maps each field to the argument of the catalogue; `fixed` are arguments that are always given.
    """

    verb: str
    fields: Mapping[str, str]
    summary: str
    progress: str
    fixed: Mapping[str, Any] = field(default_factory=dict[str, Any])


# The five types that every client may rely on. `type` replaces the value of a field, as people expect of it.
TYPES: Mapping[str, ActionType] = {
    "navigate": ActionType("navigate", {"url": "url"}, "Navigate to {url}", "Navigating to {url}..."),
    "click": ActionType("click", {"selector": "target"}, "Click {selector}", "Clicking {selector}..."),
    "type": ActionType(
        "fill", {"selector": "target", "text": "value"}, "Type into {selector}", "Typing into {selector}..."
    ),
    "screenshot": ActionType("screenshot", {}, "Take a screenshot", "Taking screenshot..."),
    "extract": ActionType(
        "extract",
        {"selector": "target"},
        "Extract text from {selector}",
        "Extracting text from {selector}...",
        {"all": True},
    ),
}


@dataclass(frozen=True)
class ListedAction:
    """One action, as the caller wrote it, as the catalogue has it, and in words for people.

    `is_first_match`: whether only the text of the first element that matches is told.
    """

    given: dict[str, Any]
    action: AnyAction
    summary: str
    progress: str
    is_first_match: bool = False

    @property
    def type(self) -> str:
        return str(self.given["type"])


def read_listed_actions(given: object) -> tuple[ListedAction, ...]:
    """Read a list of actions. Raises InvalidArguments with the index and the field of one that is not valid."""
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_ACTIONS:
        raise InvalidArguments(f"`actions` must be a list of 1 to {MOST_ACTIONS} actions.")
    return tuple(_read_step(index, step) for index, step in enumerate(given))


def steps_of(actions: Sequence[ListedAction]) -> list[dict[str, Any]]:
    """Return the actions as steps of a batch."""
    return [{"action": each.action.verb, **each.action.arguments} for each in actions]


def in_listed_words(outcome: AnyOutcome, actions: Sequence[ListedAction]) -> AnyOutcome:
    """Return the outcome of a batch in the words of the list: the types that it has, and the text of first matches."""
    batch: BatchDone = outcome.result
    done = tuple(_as_listed(each, part) for each, part in zip(actions, batch.done, strict=False))
    failed = batch.failed and replace(batch.failed, action=Own(actions[batch.failed.index].type))
    if failed is not None:
        failed.error.hint = Verbatim(without_clauses(failed.error.hint, OPTIONS_OF_CALLS))
    not_run = tuple(Own(each.summary) for each in actions[len(actions) - len(batch.not_run) :])
    return replace(outcome, result=replace(batch, done=done, failed=failed, not_run=not_run))


@dataclass(frozen=True)
class OpenedById(SessionOpened):
    """A session that was opened, for callers that name it with the argument of this tool."""

    argument: ClassVar[Own] = Own("sessionId")


def _as_listed(given: ListedAction, outcome: AnyOutcome) -> AnyOutcome:
    shown: AnyOutcome = _first_match(outcome) if given.is_first_match else outcome
    told = replace(shown, action=Own(given.type))
    if not isinstance(told.result, SessionOpened):
        return told
    facts = {each.name: getattr(told.result, each.name) for each in dataclasses.fields(told.result)}
    return replace(told, result=OpenedById(**facts))


def _other_types() -> dict[str, type[AnyAction]]:
    """Return the actions of the catalogue that a list may have besides the five."""
    return {verb: cls for verb, cls in registry().items() if verb not in TYPES and not issubclass(cls, CompositeAction)}


def _read_step(index: int, given: object) -> ListedAction:
    where = f"actions[{index}]"
    if not isinstance(given, dict):
        raise InvalidArguments(f'`{where}` must be an object such as {{"type": "screenshot"}}.')
    kind = given.get("type")
    if not isinstance(kind, str):
        wrong = "is missing" if kind is None else "must be a string"
        raise InvalidArguments(f'`{where}.type` {wrong}: an action is an object such as {{"type": "screenshot"}}.')
    known = TYPES.get(kind)
    fields = {str(name): value for name, value in given.items() if name != "type" and _is_given(name, value, known)}
    step = (
        _contract_step(where, known, fields)
        if known is not None and {*fields} <= {*known.fields}
        else _catalogue_step(where, kind, fields)
    )
    _refuse_address(where, step.action)
    return replace(step, given={"type": kind, **fields})


def _is_given(name: str, value: object, kind: ActionType | None) -> bool:
    """Whether a field has a value. Models that must write every field leave it empty where it means nothing."""
    required = schema_of(registry()[kind.verb]).get("required", ()) if kind is not None else ()
    return value not in (None, "") or (kind is not None and kind.fields.get(name) in required and value == "")


def _contract_step(where: str, kind: ActionType, fields: dict[str, Any]) -> ListedAction:
    arguments = {kind.fields[name]: value for name, value in fields.items()}
    fixed = kind.fixed if arguments else {}
    action = _made(where, kind.verb, {**arguments, **fixed}, {new: old for old, new in kind.fields.items()})
    words = {"selector": PAGE, **{name: visible_line(str(value), LONGEST_PHRASE) for name, value in fields.items()}}
    return ListedAction({}, action, kind.summary.format(**words), kind.progress.format(**words), bool(fixed))


def _catalogue_step(where: str, verb: str, fields: dict[str, Any]) -> ListedAction:
    """Read an action in the words of the catalogue, where `selector` may stand for `target`."""
    if verb not in registry() or issubclass(registry()[verb], CompositeAction):
        near = nearest(verb, {**TYPES, **_other_types()})
        meant = f": did you mean `{near}`?" if near else "."
        raise InvalidArguments(f"`{where}.type`: there is no action `{one_line(verb, LONGEST_PHRASE)}`{meant}")
    names = {} if "target" in fields else {"target": "selector"}
    if "selector" in fields and "target" not in fields and "target" in fields_of(registry()[verb]):
        fields = {**fields, "target": fields["selector"]}
        del fields["selector"]
    action = _made(where, verb, fields, names)
    words = _phrase(action)
    return ListedAction({}, action, words, f"{words.rstrip('.')}...")


def _phrase(action: AnyAction) -> str:
    """Say what an action of the catalogue does: `Select: [name=tea], Sencha`."""
    told: list[str] = []
    for name, value in action.arguments.items():
        values: list[Any] = value if isinstance(value, list) else [name if value is True else value]
        told += [str(each) for each in values]
    verb = action.verb.replace("_", " ").capitalize()
    return visible_line(f"{verb}: {', '.join(told)}" if told else verb, LONGEST_PHRASE)


def _made(where: str, verb: str, arguments: dict[str, Any], names: Mapping[str, str]) -> AnyAction:
    """Make an action. Raises InvalidArguments with each field that is wrong, in the caller's words."""
    try:
        made: AnyAction = build(registry()[verb], arguments)
    except InvalidFields as error:
        complaints = [
            f"`{where}.{names.get(place, place)}` {'is not known' if why == UNKNOWN else why}"
            for place, why in error.complaints
        ]
        raise InvalidArguments("; ".join(complaints) + ".") from error
    return made


def _refuse_address(where: str, action: AnyAction) -> None:
    """Raise Denied for an address that is not of the web, before a person is asked about it."""
    decision = WebOnly().decide(action, Place(""))
    if isinstance(decision, Deny):
        raise Denied(f"`{where}.url`: {decision.reason}", hint=decision.hint)


def _first_match(outcome: Outcome[Extracted]) -> Outcome[Extracted]:
    """Return an extraction with the text of the first element that matched."""
    found = outcome.result
    first = replace(found, content=found.content[:1], unseen=(), unseen_count=0, origins=found.origins[:1])
    return replace(outcome, result=first)
