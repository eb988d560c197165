"""Whether values that a client sent have the types that a JSON schema says."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import Any

from rove.validation.fields import truth_of

WORDS = {
    "string": "must be a string",
    "number": "must be a number",
    "integer": "must be a whole number",
    "boolean": "must be true or false",
    "array": "must be a list",
    "object": "must be an object",
}


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
