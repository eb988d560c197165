"""A tool that a toolset's file declares: its schema, how its calls become actions, and its answers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from rove.action import AnyAction, Effect, fields_of
from rove.advice import Names, insert_names, without_clauses
from rove.browser.page_state import LOSSES
from rove.errors import InvalidArguments, RoveError
from rove.fields import UNKNOWN, InvalidFields, build, schema_of, truth_of
from rove.guard.cleaning import readable
from rove.guard.wrapping import wrapped
from rove.outcome import AnyOutcome, Passage
from rove.page_text import Own, PageText
from rove.settings.tree import Settings
from rove.toolsets.answers.form import find_answer_form, find_error_form
from rove.toolsets.catalogue import OPTIONS, call_of, one_line_of, options_of, split_options
from rove.toolsets.conversions import NULL, also_read_by, find_conversion, refuses_empty_text
from rove.toolsets.declaration import VIEW, Argument, Case, Source, ToolDeclaration
from rove.toolsets.listed_actions import read_listed_actions
from rove.toolsets.tool import Answer, Call, FiledAnswer, ToolRequest
from rove.workspace import Workspace

WORDS = {
    "string": "must be a string",
    "number": "must be a number",
    "integer": "must be a whole number",
    "boolean": "must be true or false",
    "array": "must be a list",
    "object": "must be an object",
}
_ARGUMENT = re.compile(r"`([a-z_]+)`")
_PLACEHOLDER = re.compile(r"\{([a-zA-Z_.]+)\}")
# Placeholders of a template that stand for what the page says.
PAGE_FACTS = ("url", "title")
NOTHING: tuple[object, ...] = (None, "", [], {})


def as_meant(kind: str | None, value: object) -> object:
    """Return a switch or a number that a model wrote as text, such as "true" or "15"; any other value as it is."""
    if kind == "boolean":
        said = truth_of(value)
        return value if said is None else said
    if kind in ("number", "integer") and isinstance(value, str):
        with contextlib.suppress(ValueError):
            number = float(value)
            return int(number) if number.is_integer() else number
        return value
    return value


def refuse_wrong_type(schema: Mapping[str, Any], value: object) -> None:
    """Raise ValueError with why a value, or a part of it, is not what its schema says."""
    if {"type": "null"} in schema.get("anyOf", ()):
        own, _ = schema["anyOf"]
        if value is not None:
            refuse_wrong_type(own, value)
        return
    kind = schema.get("type")
    if kind in WORDS and not _has_type(kind, value):
        raise ValueError(WORDS[kind])
    options = schema.get("enum")
    if options is not None and value not in options:
        raise ValueError(f"must be one of {', '.join(map(str, options))}")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            _refuse_part(f"item {index + 1}", schema["items"], item)
    elif isinstance(value, dict):
        for name, part in schema.get("properties", {}).items():
            if name in value:
                _refuse_part(f"`{name}`", part, value[name])


def _refuse_part(where: str, schema: Mapping[str, Any], value: object) -> None:
    try:
        refuse_wrong_type(schema, value)
    except ValueError as error:
        raise ValueError(f"{where} {error}") from error


def _has_type(kind: str, value: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return _is_number(value, is_whole=kind == "integer")


def _is_number(value: object, is_whole: bool) -> bool:
    """Whether a value is a number that can be calculated with: JSON also has NaN, and numbers of any length."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    with contextlib.suppress(OverflowError):
        return math.isfinite(value) and (not is_whole or float(value).is_integer())
    return False


class DeclaredTool:
    """One tool of a toolset. `names`: what the toolset calls each action."""

    def __init__(self, declaration: ToolDeclaration, settings: Settings, names: Names) -> None:
        self._declared = declaration
        self._settings = settings
        self._names = names

    @property
    def name(self) -> str:
        return self._declared.name

    @property
    def description(self) -> str:
        return self._declared.description or one_line_of(self._first.cls)

    @property
    def names(self) -> Names:
        return self._names

    @property
    def needs_session(self) -> bool:
        return self._declared.needs_session

    @property
    def asks_once(self) -> bool:
        return self._declared.asks_once

    @property
    def effect(self) -> Effect:
        """What its calls can do; where its cases differ, the most that one of them can."""
        effects = {case.cls.effect for case in self._declared.cases.values()}
        return effects.pop() if len(effects) == 1 else Effect.ACT

    @property
    def _first(self) -> Case:
        return next(iter(self._declared.cases.values()))

    @cached_property
    def _arguments(self) -> Mapping[str, Argument]:
        """Its arguments; those of the action, and the options of a call, if it declares none."""
        if self._declared.arguments is not None:
            return self._declared.arguments
        cls = self._first.cls
        required = schema_of(cls).get("required", ())
        return {name: Argument(required=name in required) for name in (*fields_of(cls), *options_of(cls))}

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._schema

    @cached_property
    def _schema(self) -> Mapping[str, Any]:
        properties = {name: self._described(name, each) for name, each in self._arguments.items()}
        if self._declared.select is not None:
            properties[self._declared.select]["enum"] = [*self._declared.cases]
        required = [name for name, each in self._arguments.items() if each.required]
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": required} if required else schema

    def _described(self, name: str, argument: Argument) -> dict[str, Any]:
        schema = {} if argument.type else self._schema_passed_to(name)
        schema.pop("default", None)
        schema |= {"type": argument.type} if argument.type else {}
        schema |= {"description": argument.description} if argument.description else {}
        schema |= {} if argument.default is None else {"default": argument.default}
        schema |= argument.schema or {}
        return _or_null(schema) if argument.nullable else schema

    def _schema_passed_to(self, name: str) -> dict[str, Any]:
        """Return the schema of the action's argument, or the option, that an argument is passed to as it is."""
        for case in self._declared.cases.values():
            known = {**OPTIONS, **schema_of(case.cls)["properties"]}
            taking = [into for into, value in case.passed.items() if value == Source((name,))]
            for into in (*taking, name):
                if into in known:
                    return dict(known[into])
        return {"type": "string"}

    def _needs(self, name: str, case: Case | None) -> bool:
        """Return whether an empty text counts: as a value, as missing or as unknown. Elsewhere it is as none."""
        if name not in self._arguments or self._arguments[name].required:
            return True
        if any(_refuses_empty(name, value) for each in self._declared.cases.values() for value in each.passed.values()):
            return True
        return case is not None and _may_be_empty(name, case)

    # Calls

    def request(self, arguments: Mapping[str, Any]) -> ToolRequest:
        given = {name: each.default for name, each in self._arguments.items() if each.default is not None}
        chosen = arguments.get(self._declared.select or "")
        case = self._declared.cases.get(chosen) if isinstance(chosen, str) else None
        given |= {
            name: as_meant(self._type_of(name), value)
            for name, value in arguments.items()
            if _is_given(value) or self._needs(name, case)
        }
        given |= {name: None for name, each in self._arguments.items() if each.nullable and _is_null(name, arguments)}
        return ToolRequest(self.name, chosen if isinstance(chosen, str) else None, given, self._settings)

    def _type_of(self, name: str) -> str | None:
        return self._arguments[name].type if name in self._arguments else None

    def call(self, arguments: Mapping[str, Any]) -> Call:
        request = self.request(arguments)
        self._refuse_unknown(request.arguments)
        case = self._case(request)
        required = [name for name, each in self._arguments.items() if each.required]
        for name in (*required, *case.required):
            if _is_missing(name, request.arguments.get(name), case):
                raise InvalidArguments(f"`{name}` is missing.")
        if case.one_of and all(request.arguments.get(name) in NOTHING for name in case.one_of):
            *others, last = (f'"{name}"' for name in case.one_of)
            raise InvalidArguments(f"At least one of {', '.join(others)} or {last} must be provided.")
        self._refuse_wrong_types(case, request.arguments)
        for name in case.refused:
            if name in request.arguments:
                raise InvalidArguments(f"`{name}` is not for `{self._declared.select}` {request.case}.")
        self._file(request)  # a path that is not allowed is refused before anything is done
        words, options = split_options(case.cls, self._passed(case, request.arguments))
        view = words.pop(VIEW, None)
        call = call_of(self._made(case, words), options)
        progress = _progress(case, request.arguments)
        return dataclasses.replace(call, view=view, needs_session=self.needs_session, progress=progress)

    def _refuse_unknown(self, arguments: Mapping[str, Any]) -> None:
        if unknown := [name for name in arguments if name not in self._arguments]:
            known = ", ".join(self._arguments) or "nothing"
            raise InvalidArguments(f"`{unknown[0]}` is not an argument of {self.name}, which takes: {known}.")

    def _refuse_wrong_types(self, case: Case, arguments: Mapping[str, Any]) -> None:
        """Refuse values of another type than is declared, unless what converts them reads them too.

        An argument without a declared type is checked by the action that it is passed to.
        """
        sources = [value for value in case.passed.values() if isinstance(value, Source)]
        for name, value in arguments.items():
            also = {kind for each in sources if name in each.names for kind in also_read_by(each.conversion)}
            if self._arguments[name].type is None or {type(value), object} & also:
                continue
            try:
                refuse_wrong_type(self.schema["properties"][name], value)
            except ValueError as error:
                raise InvalidArguments(f"`{name}`: {error}.") from error

    def _case(self, request: ToolRequest) -> Case:
        cases, select = self._declared.cases, self._declared.select
        if select is None:
            return self._first
        if request.case is None or request.case not in cases:
            raise InvalidArguments(f"`{select}`: must be one of {', '.join(cases)}.")
        return cases[request.case]

    def _passed(self, case: Case, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the action, and the options of the call."""
        takes = {*fields_of(case.cls), *options_of(case.cls), VIEW}
        used = {name for value in case.passed.values() if isinstance(value, Source) for name in value.names}
        words = {name: value for name, value in arguments.items() if name in takes - used - {self._declared.select}}
        for into, value in case.passed.items():
            if not isinstance(value, Source):
                words[into] = value
            elif any(
                _is_null(name, arguments) or _counts(name, arguments.get(name), value, case) for name in value.names
            ):
                words[into] = _converted(value, arguments)
            elif value.default is not None:
                words[into] = value.default
            else:
                words.pop(into, None)
        return {name: value for name, value in words.items() if name in takes}

    def _made(self, case: Case, words: Mapping[str, Any]) -> AnyAction:
        """Make the action. Raises InvalidArguments that names arguments as this tool does."""
        try:
            action: AnyAction = build(case.cls, words)
        except InvalidFields as error:
            said = [_complaint(self._own_name(case, place), why) for place, why in error.complaints]
            raise InvalidArguments("; ".join(said) + ".") from error
        return action

    def _own_name(self, case: Case, place: str) -> str:
        """Return what the tool calls an argument of the action, or a part of it such as `fields.0.value`."""
        into, dot, rest = place.partition(".")
        source = case.passed.get(into)
        own = " or ".join(source.names[:2]) if isinstance(source, Source) else into
        return f"{own}{dot}{rest}"

    def _file(self, request: ToolRequest) -> str | None:
        """Return the path of the file that a call wants its result in. Raises InvalidArguments."""
        source = self._declared.file
        if source is None or not any(_is_given(request.arguments.get(name)) for name in source.names):
            return None
        return str(_converted(source, request.arguments))

    # Answers

    async def answer(self, request: ToolRequest, outcome: AnyOutcome) -> Answer:
        wanted = self._file(request)
        answer = self._formed(dataclasses.replace(request, file=wanted), outcome)
        if isinstance(answer, FiledAnswer):
            try:
                answer = answer.told(await _saved(answer, wanted or "", request.settings))
            except RoveError as error:
                return self.error_answer(request, error)
        return answer if answer.tells_events else _with_losses(answer, outcome)

    def _formed(self, request: ToolRequest, outcome: AnyOutcome) -> Answer | FiledAnswer:
        case = self._declared.cases[request.case or ""]
        if case.says is not None and outcome.result.error is None:
            return Answer(_filled(case.says, request, outcome), outcome.attachments)
        return find_answer_form(case.answer or self._declared.answer)(request, outcome)

    def error_answer(self, request: ToolRequest, error: RoveError) -> Answer:
        """Tell what went wrong and what to try next, in the words of the toolset."""
        case = self._declared.cases.get(request.case or "", self._first)
        own = self._declared.hints.get(error.code)
        hints = (error.hint if own is None else insert_names(own, self._names), self._default_hint(error))
        error.hint = next((told for hint in hints if (told := self._hint(case, hint))), "")
        error.parts = tuple(
            part if isinstance(part, PageText) else self._in_own_words(case, part) for part in error.parts
        )
        return find_error_form(self._declared.errors)(request, error)

    def _hint(self, case: Case, hint: str) -> str:
        """Return a hint in the words of the tool, without what names an argument that no tool of its kind has."""
        strange = {*fields_of(case.cls), *OPTIONS} - {*self._renamed(case), *self._arguments}
        return self._in_own_words(case, without_clauses(hint, [f"`{name}`" for name in strange]))

    def _default_hint(self, error: RoveError) -> str:
        """Return what to try where nothing is left of the error's own hint."""
        if isinstance(error, InvalidArguments):
            return f"{self.name} takes: {', '.join(self._arguments)}."
        return insert_names(error.default_hint, self._names)

    def _in_own_words(self, case: Case, text: str) -> str:
        """Return text of rove's in which arguments of the action have the names of those that are passed to them."""
        names = self._renamed(case)
        return _ARGUMENT.sub(lambda match: f"`{names.get(match[1], match[1])}`", text)

    def _renamed(self, case: Case) -> Mapping[str, str]:
        """Return the arguments of the action that have another name here."""
        passed = ((into, value) for into, value in case.passed.items() if isinstance(value, Source))
        return {into: value.names[0] for into, value in passed if into not in value.names}


def _with_losses(answer: Answer, outcome: AnyOutcome) -> Answer:
    """Put before an answer that the browser or the page had crashed, in rove's words: its form may not have it."""
    losses = [event.advice for event in outcome.events if event.kind in LOSSES]
    if not losses:
        return answer
    structured = {**answer.structured, "notice": " ".join(losses)} if answer.structured is not None else None
    return dataclasses.replace(answer, text="\n".join([*losses, answer.text]), structured=structured)


async def _saved(answer: FiledAnswer, wanted: str, settings: Settings) -> str:
    """Write the file of an answer; return its path."""
    workspace = Workspace(settings.workspace_folder)
    data = answer.text.encode("utf-8", "replace")
    if answer.copied is not None:
        data = await asyncio.to_thread(workspace.content, answer.copied)
    folder, _, name = wanted.rpartition("/")
    return str(await workspace.save(folder or ".", name, data))


def _progress(case: Case, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is told before each step, if the action is given a list in the words of `batch`."""
    steps = case.passed.get("steps")
    if not isinstance(steps, Source) or steps.conversion != "steps":
        return ()
    return tuple(each.progress for each in read_listed_actions(arguments[steps.names[0]]))


def _is_given(value: object) -> bool:
    return value is not None and value != ""


def _is_null(name: str, arguments: Mapping[str, Any]) -> bool:
    return name in arguments and arguments[name] is None


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an argument that may be null too."""
    own = {key: schema.pop(key) for key in ("type", "enum") if key in schema}
    return {**schema, "anyOf": [own, {"type": "null"}]}


def _is_missing(name: str, value: object, case: Case) -> bool:
    """Return whether a case has no value of a required argument. An empty text is one, but names nothing."""
    if value != "":
        return value is None
    sources = (each for each in case.passed.values() if isinstance(each, Source))
    return name == "session" or any(name in each.names and each.conversion is not None for each in sources)


def _may_be_empty(name: str, case: Case) -> bool:
    """Return whether a case needs an argument that it passes on as it is: to type an empty text clears a field."""
    return name in case.required and Source((name,)) in case.passed.values()


def _refuses_empty(name: str, value: object) -> bool:
    """Return whether an argument is converted by what refuses an empty text."""
    return isinstance(value, Source) and name in value.names and refuses_empty_text(value.conversion)


def _counts(name: str, given: object, source: Source, case: Case) -> bool:
    """Return whether a value is converted: one that is given, or an empty text where that is a value."""
    return _is_given(given) or (given == "" and _refuses_empty(name, source)) or _may_be_empty(name, case)


def _converted(source: Source, arguments: Mapping[str, Any]) -> Any:
    if source.conversion is None:
        return arguments.get(source.names[0])
    values = [NULL if _is_null(name, arguments) else arguments.get(name) for name in source.names]
    try:
        return find_conversion(source.conversion)(*values)
    except ValueError as error:
        raise InvalidArguments(f"`{source.names[0]}`: {error}.") from error


def _complaint(name: str, why: str) -> str:
    return f"`{name}` {why}" if why in (UNKNOWN, "is missing") else f"`{name}`: {why}"


def _filled(template: str, request: ToolRequest, outcome: AnyOutcome) -> str:
    """Fill in a template. If a part of it is what the page says, all of it is wrapped as the page's."""
    facts = {name: _fact(name, request, outcome) for name in _PLACEHOLDER.findall(template)}
    text = _PLACEHOLDER.sub(lambda match: readable(str(facts[match[1]])), template)
    is_own = all(not isinstance(fact, str) or isinstance(fact, Own) for fact in facts.values())
    return text if is_own else wrapped([Passage(text, outcome.origin)])


def _fact(name: str, request: ToolRequest, outcome: AnyOutcome) -> Any:
    if name in PAGE_FACTS:
        return getattr(outcome, name) or ""
    if not name.startswith("result."):
        return Own(str(request.arguments.get(name, "")))
    value: Any = outcome.result
    for part in name.split(".")[1:]:
        value = getattr(value, part) if dataclasses.is_dataclass(value) or hasattr(value, part) else value[part]
    return value
