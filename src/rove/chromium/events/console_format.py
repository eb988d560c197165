"""What was written to a console, as one text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rove.pattern import pattern

LONGEST = 1000
LONGEST_ADDRESS = 300
LINES_OF_STACK = 6
# What is told better by its name than by what is in it.
_NAMED = frozenset({"error", "node", "date", "regexp"})
_PLACEHOLDER = pattern(r"%[sdifoOc%]")
Remote = dict[str, Any]


def message_text(arguments: list[Remote]) -> str:
    """The arguments of one call, as a console would show them."""
    if arguments and arguments[0].get("type") == "string" and "%" in arguments[0].get("value", "")[:LONGEST]:
        return _formatted(arguments[0]["value"][:LONGEST], arguments[1:])
    return " ".join(map(_word, arguments))


def exception_text(details: dict[str, Any]) -> str:
    """`Uncaught TypeError: x is not a function`, and where that came from."""
    exception = details.get("exception", {})
    return f"{details.get('text', 'Uncaught')} {_word(exception) if exception else ''}".strip()


def source_location(frame: dict[str, Any]) -> str:
    """`https://example.com/app.js:12:5`; nothing where it is not known."""
    url = frame.get("url", "")
    if not url:
        return ""
    line = f":{frame['lineNumber'] + 1}" if "lineNumber" in frame else ""
    column = f":{frame['columnNumber'] + 1}" if "columnNumber" in frame else ""
    return _address(url) + line + column


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _address(url: str) -> str:
    # A script can name itself, with blanks and whatever else it likes.
    tidy = "".join(url.split())
    return tidy if len(tidy) <= LONGEST_ADDRESS else tidy[: LONGEST_ADDRESS - 1] + "…"


def _formatted(pattern: str, arguments: list[Remote]) -> str:
    """With `%s` and its like filled in; colours, `%c`, are left out."""
    rest: Iterator[Remote] = iter(arguments)

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(rest, None)
        if value is None:
            return match[0]
        return "" if match[0] == "%c" else _word(value)

    return " ".join([_PLACEHOLDER.sub(fill, pattern), *map(_word, rest)])


def _word(value: Remote) -> str:
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
    if "preview" in value and value.get("subtype") not in _NAMED:
        return _unfolded(value["preview"])
    return _described(value)


def _described(value: Remote) -> str:
    """In the browser's words, which for an error are its message and the top of its stack."""
    return "\n".join(str(value.get("description", value.get("type"))).splitlines()[:LINES_OF_STACK])


def _unfolded(preview: Remote) -> str:
    """`{a: 1, b: "x", …}` or `[1, 2]`."""
    is_list = preview.get("subtype") in ("array", "typedarray")
    inside = [_entry(entry) for entry in preview.get("entries", [])]
    inside += [_property(each, is_list) for each in preview.get("properties", []) if _tells(each, preview)]
    if preview.get("overflow"):
        inside.append("…")
    name = preview.get("description", "")
    shown = ", ".join(inside)
    if is_list:
        return f"[{shown}]"
    return f"{{{shown}}}" if name in ("Object", "") else f"{name} {{{shown}}}"


def _tells(each: Remote, preview: Remote) -> bool:
    return not ("entries" in preview and each["name"] == "size")


def _property(each: Remote, is_list: bool) -> str:
    value = _previewed(each)
    return value if is_list and each["name"].isdigit() else f"{each['name']}: {value}"


def _previewed(each: Remote) -> str:
    if "valuePreview" in each:
        return _unfolded(each["valuePreview"])
    value = each.get("value", each.get("type", ""))
    return f'"{value}"' if each.get("type") == "string" else str(value)


def _entry(entry: Remote) -> str:
    value = _entry_side(entry["value"])
    return f"{_entry_side(entry['key'])} => {value}" if "key" in entry else value


def _entry_side(side: Remote) -> str:
    if side.get("type") == "string":
        return f'"{side.get("description", "")}"'
    return _unfolded(side) if side.get("properties") else str(side.get("description", ""))
