"""Approval requests as text for a person. Text of the page and of the agent stands on lines that rove begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rove.guard.policy.approval import ApprovalRequest, ShownElement
from rove.render.cleaning import visible, visible_line
from rove.render.consequences import consequence_facts

# Scripts are shown whole: a person cannot approve what they do not see.
LONGEST_VALUE = 200_000
LONGEST_LINE = 300
# The argument of `evaluate` that holds the script.
SCRIPT = "expression"
# What ends a line of a script besides a line feed: what follows is no part of a comment that stands before it.
_LINE_END = re.compile("\r\n|([\r\u2028\u2029])")


def card(request: ApprovalRequest) -> str:
    """Write the question, then a line each for the action, its origin, its elements and its arguments."""
    lines = [visible_line(request.question, LONGEST_LINE), *_facts(request)]
    for number, step in enumerate(request.steps, 1):
        lines += [f"{number}. {visible_line(step.question, LONGEST_LINE)}", *(f"   {line}" for line in _facts(step))]
    tab = f", tab {request.place.tab}" if request.place.tab else ""
    return "\n".join([*lines, f"Session: {_quoted(request.place.session)}{tab}"])


def _facts(request: ApprovalRequest) -> Iterator[str]:
    if request.steps:
        return
    yield f"Action: {request.action}"
    if request.origins:
        yield f"Where: {', in a frame of it '.join(_origin(origin) for origin in request.origins)}"
    for element in request.elements:
        yield f"{_name(element)}: {visible_line(element.line, LONGEST_LINE)}"
    for name, value in request.value.items():
        yield from _value_lines(name, value)
    for name, text in consequence_facts(request):
        yield f"{name}: {text}"


def _value_lines(name: str, value: Any) -> Iterator[str]:
    """Yield a value on one line; but a script line by line, each of them marked, so that a person can read it."""
    if name != SCRIPT or not isinstance(value, str):
        yield f"{name}: {_quoted(value)}"
        return
    yield f"{name}:"
    yield from (f"  | {line}" for line in visible(_LINE_END.sub(r"\1\n", _cut(value))).split("\n"))


def _name(element: ShownElement) -> str:
    return "Element" if element.argument == "target" else f"Element ({element.argument})"


def _origin(origin: str | None) -> str:
    return visible_line(origin) if origin else "a page that belongs to no site"


def _quoted(value: Any) -> str:
    """Write a value as JSON on one line; a very long one is cut, with a note of how much is missing."""
    return _cut(visible(json.dumps(value, ensure_ascii=False)))


def _cut(text: str) -> str:
    if len(text) <= LONGEST_VALUE:
        return text
    return f"{text[:LONGEST_VALUE]}… and {len(text) - LONGEST_VALUE} more characters that are not shown"
