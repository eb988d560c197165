"""A toolset as its TOML file declares it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, get_args

from rove import errors
from rove.action import AnyAction, fields_of, registry
from rove.errors import InvalidSettings, RoveError
from rove.fields import UNKNOWN, InvalidFields, Validated, arg, build
from rove.records import dataclass
from rove.toolsets.answers.form import DEFAULT_FORM, find_answer_form, find_error_form
from rove.toolsets.catalogue import OPTIONS, options_of
from rove.toolsets.conversions import find_conversion
from rove.toolsets.tool import Access

EVERY_OTHER = "*"
HINT = "Correct the file; docs/toolsets.md describes its syntax."


@dataclass(frozen=True)
class Argument(Validated):
    """An argument of a tool. Without a type it has that of the action's argument that it is passed to."""

    description: str | None = arg("What a model is told of it.", default=None)
    type: Literal["string", "integer", "number", "boolean", "array", "object"] | None = arg("JSON type.", default=None)
    required: bool = arg("Whether every call must have it.", default=False)
    default: Any = arg("Value where a call has none.", default=None)
    nullable: bool = arg("Whether null is a value of its own; else it is as none.", default=False)
    schema: dict[str, Any] | None = arg("Further parts of its JSON schema, such as `enum` and `items`.", default=None)


@dataclass(frozen=True)
class Source(Validated):
    """Where the value of an action's argument comes from: arguments of the tool, which may be converted."""

    names: tuple[str, ...] = arg("Arguments of the tool.")
    conversion: str | None = arg("How the value is made of them.", default=None)
    default: Any = arg("Value where a call has none of them.", default=None)


@dataclass(frozen=True)
class Case(Validated):
    """One way to use a tool: the action that it runs, and what is passed to it."""

    action: str = arg("The action.")
    passed: dict[str, Any] = arg("Arguments of the action: `$argument`, a table with `from` and `as`, or a constant.")
    answer: str | None = arg("Form of the answer.", default=None)
    says: str | None = arg("Template of the answer.", default=None)
    required: tuple[str, ...] = arg("Arguments that a call must have in this case.", default=())
    refused: tuple[str, ...] = arg("Arguments that a call must not have in this case.", default=())
    one_of: tuple[str, ...] = arg("Arguments of which a call must have one at least.", default=())

    @property
    def cls(self) -> type[AnyAction]:
        return registry()[self.action]


@dataclass(frozen=True)
class ToolDeclaration:
    """A tool. With `select`, that argument of a call chooses the case; otherwise there is one, without a name."""

    name: str
    description: str | None
    arguments: Mapping[str, Argument] | None
    select: str | None
    cases: Mapping[str, Case]
    answer: str
    errors: str
    needs_session: bool
    asks_once: bool
    # The path of the file that a call wants its result in.
    file: Source | None
    # What to try next after an error, by its code, instead of what rove says.
    hints: Mapping[str, str]


@dataclass(frozen=True)
class ToolsetDeclaration:
    """A toolset: the tools that it declares, and groups of the catalogue whose actions are tools as they are."""

    name: str
    summary: str
    instructions: str
    groups: tuple[str, ...]
    tools: tuple[ToolDeclaration, ...]
    access: Access = "all"
    # What hints call an action, instead of the first tool that runs it.
    names: Mapping[str, str] = field(default_factory=dict[str, str])


SHAPE_KEYS = ("summary", "instructions", "groups", "access", "answer", "errors", "hints", "names")
TOOLSET_KEYS = (*SHAPE_KEYS, "settings", "approval", "tools")
TOOL_KEYS = (
    "name",
    "description",
    "arguments",
    "select",
    "cases",
    "answer",
    "errors",
    "needs_session",
    "asks_once",
    "file",
)
# What only toolsets pass to a call: to show all of the page instead of what changed (`rove.outcome.ViewKind`).
VIEW = "view"
CASE_KEYS = ("action", "pass", "answer", "says", "required", "refused", "one_of")


def declaration_of(name: str, tree: Mapping[str, Any]) -> ToolsetDeclaration:
    """Read a toolset. Raises InvalidSettings with the tool and the key that are wrong."""
    reader = _Reader(name)
    reader.refuse_unknown("the file", tree, TOOLSET_KEYS)
    reader.check_hints(tree.get("hints", {}))
    tools = tuple(reader.tool(each, tree) for each in tree.get("tools", ()))
    groups, access = tuple(tree.get("groups", ())), tree.get("access", "all")
    if access not in get_args(Access):
        raise reader.refuse("`access`", f"must be one of {', '.join(get_args(Access))}")
    names = reader.names(tree.get("names", {}), tools)
    return ToolsetDeclaration(name, tree.get("summary", ""), tree.get("instructions", ""), groups, tools, access, names)


class _Reader:
    """Reads the parts of one toolset's file."""

    def __init__(self, toolset: str) -> None:
        self._toolset = toolset

    def refuse(self, where: str, why: str) -> InvalidSettings:
        return InvalidSettings(f"The toolset {self._toolset} is not valid: {where}: {why}.", hint=HINT)

    def refuse_unknown(self, where: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
        if unknown := [key for key in table if key not in known]:
            raise self.refuse(where, f"`{unknown[0]}` is not known; there are: {', '.join(known)}")

    def check_hints(self, hints: object) -> None:
        codes = {each.code for each in vars(errors).values() if isinstance(each, type) and issubclass(each, RoveError)}
        if not isinstance(hints, dict):
            raise self.refuse("`hints`", "must be a table")
        for code, hint in hints.items():
            if code not in codes or not isinstance(hint, str):
                raise self.refuse("`hints`", f"`{code}` must be the code of an error, with a text")

    def names(self, table: object, tools: Sequence[ToolDeclaration]) -> Mapping[str, str]:
        """Read what hints call actions: by the action, or by `*` for all others, where {} stands for the action."""
        if not isinstance(table, dict):
            raise self.refuse("`names`", "must be a table")
        for verb, name in table.items():
            if verb not in (*registry(), EVERY_OTHER):
                raise self.refuse("`names`", f"there is no action `{verb}`")
            if not isinstance(name, str) or name.partition(" ")[0] not in {tool.name for tool in tools}:
                raise self.refuse("`names`", f"`{verb}` must be the name of a tool, and may say more after it")
        other = table.get(EVERY_OTHER)
        others = {} if other is None else {verb: other.replace("{}", verb) for verb in registry()}
        return {**others, **{verb: name for verb, name in table.items() if verb != EVERY_OTHER}}

    def tool(self, table: Mapping[str, Any], tree: Mapping[str, Any]) -> ToolDeclaration:
        name = table.get("name")
        if not isinstance(name, str) or not name:
            raise self.refuse("a tool", "`name` is missing")
        self.refuse_unknown(name, table, (*TOOL_KEYS, *(() if "select" in table else CASE_KEYS)))
        arguments = self._arguments(name, table.get("arguments"))
        tool = ToolDeclaration(
            name,
            table.get("description"),
            arguments,
            table.get("select"),
            dict(self._cases(name, table)),
            table.get("answer", tree.get("answer", DEFAULT_FORM)),
            table.get("errors", tree.get("errors", DEFAULT_FORM)),
            bool(table.get("needs_session", False)),
            bool(table.get("asks_once", False)),
            self._file(name, table.get("file")),
            tree.get("hints", {}),
        )
        self._check(tool)
        return tool

    def _cases(self, tool: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Case]]:
        if "select" not in table:
            yield "", self._case(tool, {key: value for key, value in table.items() if key in CASE_KEYS})
            return
        for name, case in table.get("cases", {}).items():
            self.refuse_unknown(f"{tool}, case {name}", case, CASE_KEYS)
            yield name, self._case(f"{tool}, case {name}", case)

    def _case(self, where: str, table: Mapping[str, Any]) -> Case:
        words = {"passed": table.get("pass", {}), **{key: table[key] for key in table if key != "pass"}}
        case: Case = self._built(where, Case, words)
        if case.action not in registry():
            raise self.refuse(where, f"there is no action `{case.action}`")
        return replace(case, passed={name: self._value(where, value) for name, value in case.passed.items()})

    def _value(self, where: str, value: Any) -> Any:
        """Return a value of `pass`: a source, or a constant as it is."""
        if isinstance(value, str) and value.startswith("$"):
            return Source((value.removeprefix("$"),))
        if isinstance(value, dict) and "from" in value:
            self.refuse_unknown(where, value, ("from", "as", "default"))
            names = value["from"]
            return Source((names,) if isinstance(names, str) else tuple(names), value.get("as"), value.get("default"))
        return value

    def _file(self, tool: str, value: object) -> Source | None:
        source = self._value(tool, value)
        if source is not None and not isinstance(source, Source):
            raise self.refuse(tool, "`file` must be `$argument` or a table with `from` and `as`")
        return source

    def _arguments(self, tool: str, table: object) -> Mapping[str, Argument] | None:
        if table is None:
            return None
        if not isinstance(table, dict):
            raise self.refuse(tool, "`arguments` must be a table")
        return {name: self._built(f"{tool}, argument {name}", Argument, each) for name, each in table.items()}

    def _built(self, where: str, cls: type[Any], table: Mapping[str, Any]) -> Any:
        try:
            return build(cls, table)
        except InvalidFields as error:
            key, why = error.complaints[0]
            raise self.refuse(where, f"`{key}` {why if why == UNKNOWN else f'{why}'}") from error

    def _check(self, tool: ToolDeclaration) -> None:
        """Refuse what names something that is not there."""
        find_error_form(tool.errors)
        known = {*(tool.arguments or {})}
        if not tool.cases:
            raise self.refuse(tool.name, "it has no `cases`")
        if tool.file is not None:
            self._check_source(tool.name, tool.file, known)
        for name, case in tool.cases.items():
            where = f"{tool.name}, case {name}" if name else tool.name
            find_answer_form(case.answer or tool.answer)
            takes = {*fields_of(case.cls), *options_of(case.cls), *OPTIONS, VIEW}
            if strange := sorted({*case.passed} - takes):
                raise self.refuse(where, f"`{strange[0]}` is not an argument of {case.action}")
            for source in (value for value in case.passed.values() if isinstance(value, Source)):
                self._check_source(where, source, known)

    def _check_source(self, where: str, source: Source, known: set[str]) -> None:
        if strange := sorted({*source.names} - known):
            raise self.refuse(where, f"`{strange[0]}`, which is passed, is not among its arguments")
        if source.conversion is not None:
            find_conversion(source.conversion)
