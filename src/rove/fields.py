"""Validate values against the type hints of a class, and describe the hints to a model as a JSON schema.

rove does this itself because importing pydantic and declaring thirty models took half of the time from the start of a
server to its first answer. This knows only the types that actions and settings use.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Union, cast, get_args, get_origin, get_type_hints

from rove.records import dataclass

Schema = dict[str, Any]


@dataclass(frozen=True)
class FieldRule:
    """The description of a field, and the limits of its value."""

    description: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    check: Callable[[Any], Any] | None = None
    # The schema of the items of a list of objects whose keys are not those of one class.
    items: Mapping[str, Any] | None = None
    # Whether it is needed so seldom that the tools which every model is shown do not list it. It can be given anyway.
    rare: bool = False


class InvalidFields(ValueError):
    """Values that are not valid: for each, the field and the reason."""

    def __init__(self, complaints: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{where}: {why}" for where, why in complaints))
        self.complaints = complaints


class Validated:
    """A base for frozen dataclasses that validate and convert their values when they are made."""

    def __post_init__(self) -> None:
        values, complaints = _read_all(type(self), self.__dict__)
        if complaints:
            raise InvalidFields(complaints)
        self.__dict__.update(values)
        self.complete()

    def complete(self) -> None:
        """Check, or derive, what depends on more than one value. Called once, when each value by itself is valid."""


def arg(description: str, default: Any = MISSING, **rules: Any) -> Any:
    """Declare a field; the sentence is what models and people read."""
    metadata = {"rule": FieldRule(description, **rules)}
    return dataclasses.field(metadata=metadata) if default is MISSING else dataclasses.field(
        default=default, metadata=metadata
    )  # fmt: skip


_known: dict[type[Any], Mapping[str, tuple[Any, FieldRule]]] = {}


def declared(cls: type[Any]) -> Mapping[str, tuple[Any, FieldRule]]:
    """Return the type and the rule of each field; computed once for each class."""
    if cls not in _known:
        hints = _hints(cls)
        fields = dataclasses.fields(cls)
        _known[cls] = {field.name: (hints[field.name], field.metadata.get("rule") or FieldRule()) for field in fields}
    return _known[cls]


def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the type hints of a class, as `typing.get_type_hints` does, which takes twice as long for all tools."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        written = vars(base).get("__annotations__", {})
        if not all(isinstance(text, str) for text in written.values()):
            return get_type_hints(cls, include_extras=True)  # a module without `from __future__ import annotations`
        texts = {name: text for name, text in written.items() if "ClassVar" not in text}
        if texts:
            values = eval(f"[{', '.join(texts.values())}]", vars(sys.modules[base.__module__]))
            hints.update(zip(texts, values, strict=True))
    return hints


def build(cls: type[Any], values: Mapping[str, Any], where: str = "") -> Any:
    """Make a validated dataclass from untrusted values, or raise InvalidFields with all that is wrong with them."""
    defaults = defaults_of(cls)
    unknown = [(name, UNKNOWN) for name in values if name not in defaults]
    read, complaints = _read_all(cls, {**defaults, **values})
    if unknown or complaints:
        prefix = f"{where}." if where else ""
        raise InvalidFields([(prefix + place, why) for place, why in [*unknown, *complaints]])
    # Not through `__init__`, which would read every value a second time.
    made: Any = object.__new__(cls)
    made.__dict__.update(read)
    made.complete()
    return made


def fields_of(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of a class."""
    return tuple(defaults_of(cls))


def defaults_of(cls: type[Any]) -> Mapping[str, Any]:
    """Return the default of each field of a class, computed once; `MISSING` for one that must be given."""
    if cls not in _defaults:
        _defaults[cls] = {field.name: field.default for field in dataclasses.fields(cls)}
    return _defaults[cls]


_defaults: dict[type[Any], Mapping[str, Any]] = {}


def without_empty(cls: type[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out arguments that are null or empty and need not be given.

    Models write those for what they leave out, above all where their API demands a value for every property.
    """
    defaults = defaults_of(cls)
    return {
        name: value
        for name, value in arguments.items()
        if value not in (None, "") or defaults.get(name) is dataclasses.MISSING
    }


def _read_all(cls: type[Any], values: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return each value as its type wants it, and what is wrong with the others."""
    read: dict[str, Any] = {}
    complaints: list[tuple[str, str]] = []
    defaults = defaults_of(cls)
    for name, (hint, rule) in declared(cls).items():
        if values[name] is MISSING:
            complaints.append((name, "is missing"))
            continue
        if values[name] is defaults[name] and name in _valid_defaults(cls):
            read[name] = values[name]
            continue
        try:
            read[name] = _read(hint, rule, values[name], name)
        except InvalidFields as refused:
            complaints += refused.complaints
    return read, complaints


def _valid_defaults(cls: type[Any]) -> frozenset[str]:
    """Return the fields of a class whose defaults are read as they are, so that they need not be read each time."""
    if cls not in _valid:
        _valid[cls] = frozenset(
            name
            for name, (hint, rule) in declared(cls).items()
            if _is_read_as_it_is(hint, rule, defaults_of(cls)[name])
        )
    return _valid[cls]


_valid: dict[type[Any], frozenset[str]] = {}


def _is_read_as_it_is(hint: Any, rule: FieldRule, default: Any) -> bool:
    if default is MISSING:
        return False
    try:
        return _read(hint, rule, default, "") is default
    except InvalidFields:
        return False


UNKNOWN = "is not known"


def plain(value: Any) -> Any:
    """Return a value as JSON data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in cast(list[Any], value)]
    return str(value) if isinstance(value, Path) else value


def _read(hint: Any, rule: FieldRule, value: Any, where: str) -> Any:
    """Convert a value to its type. Raises Refused if that is not possible."""
    if get_origin(hint) is Annotated:
        hint, *others = get_args(hint)
        for other in others:
            value = _read(hint, other, value, where) if isinstance(other, FieldRule) else value
        return _ruled(rule, value, where)
    if get_origin(hint) in (Union, types.UnionType):
        return _read_any(get_args(hint), rule, value, where)
    return _ruled(rule, _typed(hint, value, where), where)


def _read_any(branches: tuple[Any, ...], rule: FieldRule, value: Any, where: str) -> Any:
    if value is None and type(None) in branches:
        return None
    kinds = [branch for branch in branches if branch is not type(None)]
    # The value's own type comes first: a string that looks like a number stays a string.
    for kind in kinds:
        if isinstance(kind, type) and type(value) is kind:
            return _read(kind, rule, value, where)
    refused: InvalidFields | None = None
    for kind in kinds:
        try:
            return _read(kind, rule, value, where)
        except InvalidFields as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _typed(hint: Any, value: Any, where: str) -> Any:
    if hint is Any:
        return value
    origin = get_origin(hint)
    if origin is Literal:
        return _one_of(get_args(hint), value, where)
    if origin is tuple:
        return _several(get_args(hint)[0], value, where)
    if origin is dict or hint is dict:
        return _free_object(value, where)
    if dataclasses.is_dataclass(hint):
        return value if isinstance(value, cast(type, hint)) else _object(cast(type, hint), value, where)
    return _READERS[hint](value, where)


def _one_of(options: tuple[Any, ...], value: Any, where: str) -> Any:
    if isinstance(value, str) and value in options:
        return value
    return _refuse(where, f"must be one of {', '.join(map(str, options))}")


def _several(kind: Any, value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        _refuse(where, "must be a list")
    items = cast(list[Any], value)
    return tuple(_read(kind, FieldRule(), item, f"{where}.{index}") for index, item in enumerate(items))


def _object(cls: type[Any], value: Any, where: str) -> Any:
    return (
        build(cls, cast(dict[str, Any], value), where)
        if isinstance(value, dict)
        else _refuse(where, "must be an object")
    )


def _free_object(value: Any, where: str) -> dict[str, Any]:
    """Read an object whose properties are not known ahead; it may be written as JSON, as its schema asks for."""
    read = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError, RecursionError):  # nested more deeply than it can be read
            read = json.loads(value)
    return cast(dict[str, Any], read) if isinstance(read, dict) else _refuse(where, "must be an object")


def _text(value: Any, where: str) -> str:
    return value if isinstance(value, str) else _refuse(where, "must be a string")


def truth_of(value: object) -> bool | None:
    """Return whether a value means yes or no, also in words as models and people write them; None if neither."""
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {0: False, 1: True}.get(value)
    return words.get(value.lower()) if isinstance(value, str) else None


def _switch(value: Any, where: str) -> bool:
    said = truth_of(value)
    return said if said is not None else _refuse(where, "must be true or false")


def _whole(value: Any, where: str) -> int:
    number = _number(value, where, "must be a whole number")
    return int(number) if number == int(number) else _refuse(where, "must be a whole number")


def _number(value: Any, where: str, complaint: str = "must be a number") -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        _refuse(where, complaint)
    return value if isinstance(value, int) else number


def _path(value: Any, where: str) -> Path:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        _refuse(where, "must be a path")
    try:
        Path(value).expanduser()
    except RuntimeError:
        _refuse(where, f"{str(value)!r} begins with a user who has no home folder here")
    return Path(value)


_READERS: dict[Any, Callable[[Any, str], Any]] = {
    str: _text, bool: _switch, int: _whole, float: _number, Path: _path,
}  # fmt: skip


OF_THEM = " of them"
# What some patterns say.
PATTERN_WORDS = {r"^[A-Za-z0-9_.-]+$": "may only have letters, digits, `_`, `.` and `-`, and no spaces"}


def _ruled(rule: FieldRule, value: Any, where: str) -> Any:
    for complaint, holds in (
        (f"must be at least {rule.ge}", rule.ge is None or value >= rule.ge),
        (f"must be more than {rule.gt}", rule.gt is None or value > rule.gt),
        (f"must be at most {rule.le}", rule.le is None or value <= rule.le),
        (f"must have at least {rule.min_length} of them", rule.min_length is None or len(value) >= rule.min_length),
        (f"must have at most {rule.max_length} of them", rule.max_length is None or len(value) <= rule.max_length),
        (
            PATTERN_WORDS.get(rule.pattern or "", f"must match {rule.pattern}"),
            rule.pattern is None or re.search(rule.pattern, value) is not None,
        ),
    ):
        if not holds:
            _refuse(where, _counted(complaint, value) if complaint.endswith(OF_THEM) else complaint)
    if rule.check is None:
        return value
    try:
        return rule.check(value)
    except ValueError as error:
        raise InvalidFields([(where, str(error))]) from error


def _counted(complaint: str, value: object) -> str:
    """Name what there must be more or fewer of."""
    said = complaint.removesuffix(OF_THEM)
    unit = "character" if isinstance(value, str) else "item"
    return f"{said} {unit}" if said.endswith(" 1") else f"{said} {unit}s"


def _refuse(where: str, why: str) -> NoReturn:
    raise InvalidFields([(where, why)])


def schema_of(cls: type[Any], with_rare: bool = True) -> Schema:
    """Return a class's fields as a flat JSON schema: some model providers refuse references and null branches.

    What it leaves out costs tokens in every conversation and tells a model nothing: that a switch is off by default,
    that an empty string is no value, and that other properties are refused, which an error says when it happens.
    """
    properties: Schema = {}
    required: list[str] = []
    for field in dataclasses.fields(cls):
        hint, rule = declared(cls)[field.name]
        if rule.rare and not with_rare:
            continue
        properties[field.name] = _described(hint, rule)
        if field.default is MISSING:
            required.append(field.name)
        elif field.default not in (None, (), 0):  # 0 is False too
            properties[field.name]["default"] = plain(field.default)
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _described(hint: Any, rule: FieldRule) -> Schema:
    if get_origin(hint) is Annotated:
        hint, *others = get_args(hint)
        own = next((other for other in others if isinstance(other, FieldRule)), FieldRule())
        return {**_described(hint, own), **_described(hint, rule)}
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        if len(kinds) == 1:
            return _described(kinds[0], rule)
        return {"anyOf": [_described(kind, FieldRule()) for kind in kinds], **_noted(rule, str)}
    return {**_kind(hint), **_noted(rule, tuple if get_origin(hint) is tuple else hint)}


def _kind(hint: Any) -> Schema:
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if get_origin(hint) is tuple:
        item = _described(get_args(hint)[0], FieldRule())
        item.pop("description", None)  # the list itself has one
        return {"type": "array", "items": item}
    if dataclasses.is_dataclass(hint):
        return schema_of(cast(type, hint))
    if get_origin(hint) is dict or hint is dict:
        return {"type": "string"}  # JSON: some model providers refuse objects whose properties are not listed
    names = {str: "string", bool: "boolean", int: "integer", float: "number", Path: "string"}
    return {"type": names.get(hint, "object")} if hint is not Any else {}


def _noted(rule: FieldRule, kind: Any) -> Schema:
    many = kind is tuple
    facts = {
        "description": rule.description or None,
        "minimum": rule.ge,
        "maximum": rule.le,
        "minItems": rule.min_length if many else None,
        "maxItems" if many else "maxLength": rule.max_length,
        "pattern": rule.pattern,
        "items": rule.items,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
