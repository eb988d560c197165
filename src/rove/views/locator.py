"""Playwright locators and selectors as text: `getByRole('button', { name: 'Save' }).first()`, `text=Save`."""

from __future__ import annotations

import json
import re
from typing import Any

from rove.validation.pattern import pattern

Steps = list[dict[str, Any]]
_CALL = pattern(
    r"\.?(?P<name>[a-zA-Z]+)\((?P<arguments>(?:[^()'\"`/]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|/(?:[^/\\]|\\.)+/[a-z]*)*)\)"
)
_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIRST = pattern(
    rf"\s*(?P<text>{_STRING}|/(?:[^/\\]|\\.)+/[a-z]*|-?\d+)?\s*(?:,\s*)?(?P<options>\{{.*\}})?\s*", re.DOTALL
)
_OPTION = pattern(rf"(?P<name>\w+)\s*:\s*(?P<value>{_STRING}|/(?:[^/\\]|\\.)+/[a-z]*|\w+)")
_ENGINE = pattern(r"(?P<engine>text|role|css|data-testid|id|nth)=(?P<body>.*)", re.DOTALL)
_ROLE = pattern(r'(?P<role>[a-z]+)(?:\[name="(?P<name>(?:[^"\\]|\\.)*)"(?P<flag>[is]?)\])?')
_KINDS = {
    "getByText": "text",
    "getByLabel": "label",
    "getByPlaceholder": "placeholder",
    "getByAltText": "alt",
    "getByTitle": "title",
    "getByTestId": "testid",
    "locator": "css",
}


def parse_locator(text: str) -> Steps | None:
    """Read a locator or a selector of Playwright; None if the text is neither."""
    text = text.strip().removeprefix("page.")
    if " >> " in text:
        return _chained(text.split(" >> "))
    if match := _ENGINE.fullmatch(text):
        return _selector_steps(match["engine"], match["body"])
    if not re.match(r"(?:getBy[A-Z]\w+|locator)\(", text):
        return None
    steps: Steps = []
    end = 0
    for match in _CALL.finditer(text):
        if match.start() != end:
            return None
        steps += _call_steps(match["name"], match["arguments"])
        end = match.end()
    return steps if end == len(text) else None


def _chained(parts: list[str]) -> Steps | None:
    """Read a chain of selectors, each inside what the one before means."""
    chain = [parse_locator(part) or [{"kind": "css", "text": part.strip()}] for part in parts]
    return [step for steps in chain for step in steps]


def _selector_steps(engine: str, body: str) -> Steps | None:
    if engine == "css":
        return [{"kind": "css", "text": body}]
    if engine == "nth":
        return [{"kind": "nth", "index": int(body)}] if body.lstrip("-").isdigit() else None
    if engine == "id":
        return [{"kind": "css", "text": f'[id="{body}"]'}]
    if engine == "data-testid":
        return [{"kind": "testid", "text": body}]
    if engine == "text":
        is_exact = len(body) > 1 and body[0] == body[-1] and body[0] in "\"'"
        return [{"kind": "text", "text": body[1:-1] if is_exact else body, "exact": is_exact}]
    match = _ROLE.fullmatch(body)
    if match is None:
        return None
    name = {} if match["name"] is None else {"text": match["name"], "exact": match["flag"] != "i"}
    return [{"kind": "role", "role": match["role"], **name}]


def _call_steps(name: str, arguments: str) -> Steps:
    match = _FIRST.fullmatch(arguments)
    if match is None:
        raise ValueError(f"is a locator whose part {name}({arguments}) cannot be read")
    options = {each["name"]: each["value"] for each in _OPTION.finditer(match["options"] or "")}
    exact = {"exact": True} if options.get("exact") == "true" else {}
    if name in ("first", "last", "nth"):
        return [{"kind": "nth", "index": {"first": 0, "last": -1}.get(name, int(match["text"] or 0))}]
    if name == "filter":
        return [{"kind": "hasText", **_wanted(options.get("hasText", "''"))}]
    if name == "getByRole":
        named = _wanted(options["name"]) if "name" in options else {}
        return [{"kind": "role", "role": _wanted(match["text"] or "''")["text"], **named, **exact}]
    if name not in _KINDS:
        raise ValueError(f"is a locator with {name}(), which is not supported")
    first = {"kind": _KINDS[name], **_wanted(match["text"] or "''"), **exact}
    return [first, *([{"kind": "hasText", **_wanted(options["hasText"])}] if "hasText" in options else [])]


def _wanted(literal: str) -> dict[str, Any]:
    """Return the text, or the pattern, of a JavaScript literal."""
    if literal.startswith("/"):
        body, _, flags = literal[1:].rpartition("/")
        return {"text": body, "isRegex": True, "flags": flags}
    inner = literal[1:-1]
    if literal.startswith("'"):
        inner = re.sub(r'(?<!\\)"', r"\"", inner.replace("\\'", "'"))
    return {"text": json.loads(f'"{inner}"')}
