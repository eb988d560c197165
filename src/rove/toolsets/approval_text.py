"""Approval requests as text for a person, with what an action sends or opens. Foreign text is cleaned and quoted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rove.browser.consequences import SHORT_DIGEST, Consequence, SentField
from rove.guard.cleaning import visible, visible_line
from rove.guard.network.urls import described_hosts, origin_text
from rove.guard.policy import ApprovalRequest, ShownElement

LONGEST_URL = 1000
HOST = "Host"
NOTE = "Not known"
_OWN_FRAME = ("", "_self")

# Scripts are shown whole: a person cannot approve what they do not see.
LONGEST_VALUE = 200_000
LONGEST_LINE = 300
# The argument of `evaluate` that holds the script.
SCRIPT = "expression"
# What ends a line of a script besides a line feed: what follows is no part of a comment that stands before it.
_LINE_END = re.compile("\r\n|([\r\u2028\u2029])")


def consequence_facts(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """Yield a name in rove's words and a text for each thing that an action sends or opens, then what is not known.

    Hosts that may look like others come first.
    """
    for host in described_hosts((*request.origins, *(each.url for each in request.consequences))):
        yield HOST, visible(host)
    for secret in request.secrets:
        yield "Secret", f"{_quoted_text(secret)} is typed there; its value is not shown"
    for each in request.consequences:
        yield from _facts_of(each)
    if request.note:
        yield NOTE, request.note


def _facts_of(each: Consequence) -> Iterator[tuple[str, str]]:
    if each.kind == "file":
        yield "File", f"{_quoted_text(each.name)}, {each.size:,} bytes, SHA-256 {each.sha256[:SHORT_DIGEST]}…"
    elif each.kind == "script":
        yield "Runs the script of a link", visible_line(each.name, LONGEST_URL)
    elif each.kind == "went":
        yield "The page went elsewhere and was stopped", f"{each.method} {_url(each)}"
    elif each.kind == "link":
        yield "Opens", _url(each) + _where(each)
    elif each.kind == "form":
        encoding = f" as {each.encoding}" if each.encoding else ""
        yield "Sends a form", f"{each.method} {_url(each)}{encoding}{_where(each)}"
        yield "Fields", ", ".join(_field(field) for field in each.fields) + _more(each) or "none"


def _url(each: Consequence) -> str:
    """Write a URL, and its origin after one with a user name, which may look like another host."""
    origin = f" (at {origin_text(each.url)})" if "@" in each.url else ""
    return visible_line(each.url, LONGEST_URL) + origin


def _where(each: Consequence) -> str:
    if each.target.lower() in _OWN_FRAME:
        return ""
    return (
        ", in a new tab" if each.target.lower() == "_blank" else f", in the frame or window {_quoted_text(each.target)}"
    )


def _field(field: SentField) -> str:
    return f"{_quoted_text(field.name)}: {'(not shown)' if field.value is None else _quoted_text(field.value)}"


def _more(each: Consequence) -> str:
    return f" and {each.more_fields} more" if each.more_fields else ""


def _quoted_text(text: str) -> str:
    return f"{visible(json.dumps(text, ensure_ascii=False))}"


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
