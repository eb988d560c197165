"""Formatting console messages: the arguments of a call, exceptions and source locations as text."""

from __future__ import annotations

import json
from typing import Any

from rove.page.logs.console_text import MAX_LENGTH, fill_placeholders, source_location

MAX_STACK_LINES = 6
# Objects for which the browser's description says more than a preview of their properties.
_SHOWN_BY_DESCRIPTION = frozenset({"error", "node", "date", "regexp"})
RemoteObject = dict[str, Any]


def message_text(arguments: list[RemoteObject]) -> str:
    """Return the arguments of one console call as DevTools would show them."""
    if arguments and arguments[0].get("type") == "string" and "%" in arguments[0].get("value", "")[:MAX_LENGTH]:
        return fill_placeholders(arguments[0]["value"][:MAX_LENGTH], map(argument_text, arguments[1:]))
    return " ".join(map(argument_text, arguments))


def exception_text(details: dict[str, Any]) -> str:
    """Return an exception as text, `Uncaught TypeError: x is not a function`, with the top of its stack."""
    exception = details.get("exception", {})
    return f"{details.get('text', 'Uncaught')} {argument_text(exception) if exception else ''}".strip()


def exception_location(details: dict[str, Any]) -> str:
    """Return where an exception was thrown: its own position, or else the top of its stack."""
    frames = details.get("stackTrace", {}).get("callFrames") or [{}]
    return source_location(details) or source_location(frames[0])


def argument_text(value: RemoteObject) -> str:
    """Return one argument of a console call as text."""
    kind = value.get("type")
    if kind == "string":
        return str(value.get("value", ""))
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value:
        return json.dumps(value["value"])
    if kind == "undefined":
        return "undefined"
    if kind == "function":
        return str(value.get("description", kind)).partition("{")[0].strip()[:80]
    if "preview" in value and value.get("subtype") not in _SHOWN_BY_DESCRIPTION:
        return _preview_text(value["preview"])
    return _description(value)


def _description(value: RemoteObject) -> str:
    """Return the browser's description; for an error, its message and the top of its stack."""
    return "\n".join(str(value.get("description", value.get("type"))).splitlines()[:MAX_STACK_LINES])


def _preview_text(preview: RemoteObject) -> str:
    """Return an object preview as `{a: 1, b: "x", …}` or `[1, 2]`."""
    is_list = preview.get("subtype") in ("array", "typedarray")
    parts = [_entry_text(entry) for entry in preview.get("entries", [])]
    parts += [_property_text(item, is_list) for item in preview.get("properties", []) if _is_shown(item, preview)]
    if preview.get("overflow"):
        parts.append("…")
    name = preview.get("description", "")
    text = ", ".join(parts)
    if is_list:
        return f"[{text}]"
    return f"{{{text}}}" if name in ("Object", "") else f"{name} {{{text}}}"


def _is_shown(item: RemoteObject, preview: RemoteObject) -> bool:
    return not ("entries" in preview and item["name"] == "size")


def _property_text(item: RemoteObject, is_list: bool) -> str:
    value = _property_value(item)
    return value if is_list and item["name"].isdigit() else f"{item['name']}: {value}"


def _property_value(item: RemoteObject) -> str:
    if "valuePreview" in item:
        return _preview_text(item["valuePreview"])
    value = item.get("value", item.get("type", ""))
    return f'"{value}"' if item.get("type") == "string" else str(value)


def _entry_text(entry: RemoteObject) -> str:
    value = _entry_part_text(entry["value"])
    return f"{_entry_part_text(entry['key'])} => {value}" if "key" in entry else value


def _entry_part_text(side: RemoteObject) -> str:
    if side.get("type") == "string":
        return f'"{side.get("description", "")}"'
    return _preview_text(side) if side.get("properties") else str(side.get("description", ""))
