"""Arguments of every tool of every toolset with values of the wrong type: each is refused in words, with a code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rove.errors import InvalidArguments, RoveError
from rove.settings.toolset_file import names_of_toolsets
from rove.settings.tree import resolve
from rove.toolsets.tool import Answer, Tool
from rove.toolsets.toolset import toolset_from

TOOLSETS = names_of_toolsets(Path("/nonexistent"))
NESTED: list[Any] = []
for _ in range(100):
    NESTED = [NESTED]
LISTS = [[], ["click"], [[]], [None], [True], [5], [{}], [{"selector": ["a"], "value": {}}], [{"type": ["a"]}], NESTED]
OBJECTS = [{}, {"a": 1}, {"type": ["click"]}, {"selector": {}}]
NUMBERS = [0, -1, 5, 1.5, 10**30, 10**400, -(10**400), float("nan"), float("inf"), float("-inf")]
TEXTS = ["", " ", "word", "true", "15", "nan", "x" * 200_000, "\0\ud800\x1b[2J", "{}", '["a"]', "[" * 5000]
VALUES: list[Any] = [None, True, False, *NUMBERS, *TEXTS, *LISTS, *OBJECTS]
# What cannot be meant by an argument of a type, however kindly it is read.
WRONG: dict[str, list[Any]] = {
    "string": [True, *LISTS, *OBJECTS],
    "number": [True, float("nan"), float("inf"), 10**400, *LISTS, *OBJECTS],
    "integer": [True, 1.5, float("nan"), float("inf"), 10**400, *LISTS, *OBJECTS],
    "boolean": [5, 1.5, float("nan"), "word", *LISTS, *OBJECTS],
    "array": [True, 5, 1.5, "word", "x" * 200_000],
    "object": [True, 5, 1.5, "word", *LISTS],
}
# Objects that are described as strings, since some model providers refuse those whose properties are not listed.
JSON_OBJECTS = {"browser_find_recorded": ("element",), "browser_extract": ("schema",)}
# Not more is quoted of an argument, so that a model is not sent back all that it sent.
LONGEST_ANSWER = 2_500
EXCEPTION = re.compile(
    r"Traceback|\b(Type|Value|Key|Attribute|Overflow|Unicode|Recursion)Error\b|NoneType|unhashable|not iterable"
    r"|has no attribute|could not convert|object of type|__\w+__"
)


def tools_of(toolset: str, home: Path) -> Iterator[Tool]:
    settings = {"home": str(home), "toolset": toolset, "allow_host": "example.com"}
    yield from toolset_from(resolve({**settings, **({"with": "all"} if toolset == "rove" else {})}).settings).values()


def fitting(schema: Mapping[str, Any]) -> Any:
    """Return a value as the schema of an argument wants it."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "number" | "integer":
            return 1
        case "boolean":
            return True
        case "array":
            return [fitting(schema.get("items", {}))]
        case "object":
            wanted = schema.get("required", ())
            return {name: fitting(part) for name, part in schema.get("properties", {}).items() if name in wanted}
        case _:
            return "example"


def calls_of(tool: Tool) -> Iterator[dict[str, Any]]:
    """Yield arguments of calls that are right: one, or one for each value of the argument that chooses the action."""
    properties = tool.schema["properties"]
    base = {name: fitting(properties[name]) for name in tool.schema.get("required", ())}
    for chosen in properties.get("action", {}).get("enum", [None]):
        if chosen is None:
            yield base
        else:
            yield {**base, "action": chosen}
            yield {**{name: fitting(part) for name, part in properties.items()}, "action": chosen}


def answer_to(tool: Tool, arguments: Mapping[str, Any]) -> Answer | None:
    """Return the answer to a call that is refused before it runs; None if it would run."""
    try:
        tool.request(arguments)
        tool.call(arguments)
    except RoveError as error:
        return tool.error_answer(tool.request(arguments), error)
    return None


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_values_of_every_type_are_taken_or_refused_in_words(toolset: str, tmp_path: Path) -> None:
    count = 0
    for tool in tools_of(toolset, tmp_path):
        for call in calls_of(tool):
            for name in (*tool.schema["properties"], "unknown", ""):
                for value in VALUES:
                    answer = answer_to(tool, {**call, name: value})
                    count += 1
                    if answer is not None:
                        told = f"{tool.name} {name}={str(value)[:40]!r}: {answer.text[:500]}"
                        assert answer.is_error and answer.code in ("invalid_arguments", "denied"), told
                        answer.text.encode()
                        assert len(answer.text) <= LONGEST_ANSWER and not EXCEPTION.search(answer.text), told
    assert count > 100


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_values_of_the_wrong_type_are_refused_before_anything_runs(toolset: str, tmp_path: Path) -> None:
    for tool in tools_of(toolset, tmp_path):
        for call in calls_of(tool):
            for name, part in tool.schema["properties"].items():
                for value in WRONG.get(part.get("type"), []):
                    if isinstance(value, dict) and name in JSON_OBJECTS.get(tool.name, ()):
                        continue
                    answer = answer_to(tool, {**call, name: value})
                    assert answer is not None and answer.code == InvalidArguments.code, (tool.name, call, name, value)
