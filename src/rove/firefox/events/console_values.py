"""The arguments of console calls, as Firefox serializes them: as text, and as JSON data."""

from __future__ import annotations

import json
from typing import Any

from rove.page.logs.console_text import MAX_LENGTH, fill_placeholders, truncate

RemoteValue = dict[str, Any]
# The most characters of one text.
MAX_STRING = 1_000_000
# Of these, only Firefox's own text of the message tells more than their kind.
_OPAQUE = frozenset({"error", "symbol", "function", "promise", "proxy", "weakmap", "weakset", "window"})
# Calls whose arguments do not tell what a console shows: a number, or a time.
_TOLD_BY_FIREFOX = frozenset({"count", "countReset", "time", "timeEnd", "timeLog"})
_NESTED = frozenset({"array", "object", "map", "set", "htmlcollection", "nodelist"})


def message_text(entry: dict[str, Any]) -> str:
    """Return the arguments of one console call as text."""
    arguments: list[RemoteValue] = entry.get("args") or []
    kinds = {argument["type"] for argument in arguments}
    is_told = entry.get("method") in _TOLD_BY_FIREFOX or (kinds & _OPAQUE and not kinds & _NESTED)
    if not arguments or is_told:
        return str(entry.get("text") or "")
    first = arguments[0]
    if first["type"] == "string" and "%" in first["value"][:MAX_LENGTH]:
        return fill_placeholders(first["value"][:MAX_LENGTH], map(argument_text, arguments[1:]))
    return " ".join(map(argument_text, arguments))


def argument_text(value: RemoteValue) -> str:
    """Return one argument as text: an object as `{a: 1}`, a list as `[1, 2]`."""
    return str(value["value"]) if value["type"] == "string" else _inner_text(value)


def _inner_text(value: RemoteValue) -> str:
    kind, data = value["type"], value.get("value")
    if kind == "string":
        return json.dumps(data, ensure_ascii=False)
    if kind in ("array", "nodelist", "htmlcollection") and isinstance(data, list):
        return f"[{', '.join(map(_inner_text, data))}]"
    if kind == "object" and isinstance(data, list):
        return "{" + ", ".join(f"{_key_text(key)}: {_inner_text(item)}" for key, item in data) + "}"
    if kind == "map" and isinstance(data, list):
        inside = ", ".join(f"{_map_key(key)} => {_inner_text(item)}" for key, item in data)
        return f"Map({len(data)}) {{{inside}}}"
    if kind == "set" and isinstance(data, list):
        return f"Set({len(data)}) {{{', '.join(map(_inner_text, data))}}}"
    if kind == "regexp" and isinstance(data, dict):
        return f"/{data['pattern']}/{data.get('flags') or ''}"
    if kind == "boolean":
        return "true" if data else "false"
    if kind == "bigint":
        return f"{data}n"
    if kind == "node" and isinstance(data, dict):
        return str(data.get("localName") or f"#{data.get('nodeType')}")
    if kind in ("number", "date"):
        return str(data)
    names = {"object": "Object", "array": "Array"}
    return names.get(kind) or str(kind)


def _key_text(key: str | RemoteValue) -> str:
    return key if isinstance(key, str) else _inner_text(key)


def _map_key(key: str | RemoteValue) -> str:
    return json.dumps(key, ensure_ascii=False) if isinstance(key, str) else _inner_text(key)


def json_values(entry: dict[str, Any]) -> list[Any]:
    """Return the arguments of a call as JSON data."""
    arguments: list[RemoteValue] = entry.get("args") or []
    if len(arguments) == 1 and arguments[0]["type"] in _OPAQUE:
        return [truncate(message_text(entry))]
    return [json_value(argument) for argument in arguments]


def json_value(value: RemoteValue) -> Any:
    """Return a value as JSON data; as text where JSON cannot hold it."""
    kind, data = value["type"], value.get("value")
    if kind in ("null", "undefined"):
        return None
    if kind == "string":
        return truncate(str(data), MAX_STRING)
    if kind in ("number", "boolean"):
        return data
    if kind in ("array", "htmlcollection", "nodelist") and isinstance(data, list):
        return [json_value(item) for item in data]
    if kind == "object" and isinstance(data, list):
        return {_key_text(key): json_value(item) for key, item in data if item["type"] not in ("undefined", "function")}
    return truncate(_inner_text(value))
