"""Changes to JSON that may have comments and trailing commas, as editors write it; all else in it stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rove.validation.record import dataclass

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST = 100


class NotJson(ValueError):
    """The text is not JSON, also not with comments."""


@dataclass(frozen=True)
class _Member:
    """A key of an object, and where its value is."""

    key: str
    value: _Value


@dataclass(frozen=True)
class _Value:
    """A value and where it stands: from its first character to behind its last one."""

    data: Any
    start: int
    end: int
    # Of an object: its members, and whether a comma follows the last of them.
    members: tuple[_Member, ...] = ()
    has_last_comma: bool = False

    def member(self, key: str) -> _Value | None:
        """Return the value of a key; of the last one, if there are several."""
        return next((member.value for member in reversed(self.members) if member.key == key), None)


def parsed(text: str) -> Any:
    """Return the data in a text. Raises NotJson."""
    return _read(text).data


def with_value(text: str, path: Sequence[str], data: Any) -> str:
    """Return the text with a value at a path of keys. Raises NotJson, also if the path leads through no object."""
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    changed = _set(text, _read(text), path, data)
    if parsed(changed) != _merged(parsed(text), path, data):
        raise NotJson("it could not be changed without changing more")
    return changed


def _merged(tree: Any, path: Sequence[str], data: Any) -> Any:
    first, *rest = path
    return {**tree, first: _merged(tree.get(first, {}), rest, data) if rest else data}


def _set(text: str, found: _Value, path: Sequence[str], data: Any) -> str:
    if not isinstance(found.data, dict):
        raise NotJson("an object was expected")
    first, *rest = path
    member = found.member(first)
    if member is None:
        for key in reversed(rest):
            data = {key: data}
        return _with_member(text, found, first, data)
    if rest:
        return _set(text, member, rest, data)
    return text[: member.start] + _written(text, data, _indent(text, member.start)) + text[member.end :]


def _with_member(text: str, into: _Value, key: str, data: Any) -> str:
    """Add a member behind the last one, and behind the comments that follow it."""
    line_end = _line_end(text)
    outer = _indent(text, into.start)
    inner = _indent(text, into.members[0].value.start) if into.members else outer
    if len(inner) <= len(outer):
        inner = outer + _unit(text)
    member = f"{json.dumps(key)}: {_written(text, data, inner)}"
    closing = into.end - 1
    before = text[:closing].rstrip(" \t\r\n")
    after = text[closing:]
    if into.members and not into.has_last_comma:
        last = into.members[-1].value.end
        before = f"{before[:last]},{before[last:]}"
    return f"{before}{line_end}{inner}{member}{line_end}{outer}{after}"


def _written(text: str, data: Any, indent: str) -> str:
    written = json.dumps(data, indent=_unit(text), ensure_ascii=False)
    return written.replace("\n", _line_end(text) + indent)


def _indent(text: str, at: int) -> str:
    """Return the blanks at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return what the text indents with: a tab, or some blanks."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(text: str) -> _Value:
    start = 1 if text.startswith("\ufeff") else 0
    value = _value(text, _skip(text, start), _DEEPEST)
    if _skip(text, value.end) != len(text):
        raise NotJson(f"there is more behind its end, in line {_line(text, value.end)}")
    return value


def _value(text: str, at: int, levels: int) -> _Value:
    if not levels:
        raise NotJson("it is nested too deeply")
    if text.startswith("{", at):
        return _object(text, at, levels - 1)
    if text.startswith("[", at):
        return _array(text, at, levels - 1)
    found = _TEXT.match(text, at) or _PLAIN.match(text, at)
    if found is None:
        raise NotJson(f"a value was expected in line {_line(text, at)}")
    try:
        return _Value(json.loads(found[0], strict=False), at, found.end())
    except ValueError as error:
        raise NotJson(f"a value was expected in line {_line(text, at)}") from error


def _object(text: str, start: int, levels: int) -> _Value:
    members: list[_Member] = []
    at, has_comma = _skip(text, start + 1), False
    while not text.startswith("}", at):
        if members and not has_comma:
            raise NotJson(f"a comma or a brace was expected in line {_line(text, at)}")
        key = _value(text, at, levels)
        colon = _skip(text, key.end)
        if not isinstance(key.data, str) or not text.startswith(":", colon):
            raise NotJson(f"a key and a colon were expected in line {_line(text, at)}")
        members.append(_Member(key.data, _value(text, _skip(text, colon + 1), levels)))
        at, has_comma = _behind_comma(text, members[-1].value.end)
    data = {member.key: member.value.data for member in members}
    return _Value(data, start, at + 1, tuple(members), has_comma)


def _array(text: str, start: int, levels: int) -> _Value:
    items: list[Any] = []
    at, has_comma = _skip(text, start + 1), True
    while not text.startswith("]", at):
        if not has_comma:
            raise NotJson(f"a comma or a bracket was expected in line {_line(text, at)}")
        item = _value(text, at, levels)
        items.append(item.data)
        at, has_comma = _behind_comma(text, item.end)
    return _Value(items, start, at + 1)


def _behind_comma(text: str, at: int) -> tuple[int, bool]:
    at = _skip(text, at)
    return (_skip(text, at + 1), True) if text.startswith(",", at) else (at, False)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
