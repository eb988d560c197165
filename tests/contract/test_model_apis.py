"""The schemas of tools, given to the converters of the packages by which models are called.

The packages are imported by the tests: importing all takes seconds, in every worker of a parallel run.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from rove import Settings
from rove.action import parse
from rove.errors import InvalidArguments
from rove.settings.toolset_file import DEFAULT_TOOLSET, names_of_toolsets
from rove.toolsets.catalogue import EVERYTHING
from rove.toolsets.tool import Tool
from rove.toolsets.toolset import toolset_from

TOOLSETS = names_of_toolsets(Path("/nowhere"))


@pytest.fixture(params=TOOLSETS)
def tools(request: pytest.FixtureRequest) -> list[Tool]:
    """The tools of each toolset; of the default one, with those of every group."""
    with_ = (EVERYTHING,) if request.param == DEFAULT_TOOLSET else ()
    return [*toolset_from(Settings(toolset=request.param, with_=with_)).values()]


def test_every_argument_has_a_description(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.description
        for name, schema in tool.schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"


def test_openai_and_its_agents_take_them_as_strict(tools: list[Tool]) -> None:
    from agents.strict_schema import ensure_strict_json_schema
    from openai.types.responses import FunctionToolParam

    for tool in tools:
        strict = ensure_strict_json_schema(deepcopy(dict(tool.schema)))
        assert strict["required"] == [*strict["properties"]]
        assert strict["additionalProperties"] is False
        made: Any = {"type": "function", "name": tool.name, "parameters": strict, "strict": True}
        TypeAdapter(FunctionToolParam).validate_python(made)


def test_anthropic_takes_them(tools: list[Tool]) -> None:
    from anthropic.types import ToolParam

    for tool in tools:
        made = {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        TypeAdapter(ToolParam).validate_python(made)


def test_gemini_takes_them(tools: list[Tool]) -> None:
    from google.genai import types as gemini

    # Both ways: the schema as it is, and through the converter, which MCP clients of Gemini use.
    for tool in tools:
        gemini.Schema.model_validate(tool.schema)
        gemini.Schema.from_json_schema(json_schema=gemini.JSONSchema.model_validate(tool.schema))


def test_every_object_within_them_says_which_properties_it_has(tools: list[Tool]) -> None:
    for tool in tools:
        assert [where for where in _bare_objects(tool.schema, "") if where] == [], tool.name


def _bare_objects(schema: Any, where: str) -> Iterator[str]:
    """Yield the places of objects without properties, which Gemini refuses."""
    if isinstance(schema, list):
        for item in schema:
            yield from _bare_objects(item, where)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and not schema.get("properties"):
            yield where
        for key, value in schema.items():
            yield from _bare_objects(value, f"{where}/{key}")


def test_null_and_empty_arguments_count_as_not_given() -> None:
    given = {"target": "e1", "button": None, "count": "", "modifiers": None, "hold": None}
    assert parse("click", given) == parse("click", {"target": "e1"})
    assert parse("fill", {"target": "e1", "value": ""}).arguments["value"] == ""
    with pytest.raises(InvalidArguments):
        parse("click", {"target": ""})


def test_a_step_with_a_value_for_every_property_is_read_by_those_that_it_needs() -> None:
    step = {"action": "click", "target": "e1", "url": "", "value": "", "text": "", "key": ""}
    assert parse("batch", {"steps": [step]}) is not None


def test_the_choice_of_what_an_answer_shows_can_be_given_without_losing_the_changes() -> None:
    click = toolset_from(Settings())["browser_click"]
    assert not click.call({"target": "e1", "snapshot": "changes"}).quiet
    assert not click.call({"target": "e1", "snapshot": ""}).quiet
    assert click.call({"target": "e1", "snapshot": "none"}).quiet
