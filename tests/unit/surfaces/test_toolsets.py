"""Tools: their schemas, the options of a call, and which groups are offered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rove.action import CORE, groups, registry
from rove.actions.forms import FillForm
from rove.actions.input import Click, Scroll
from rove.errors import InvalidArguments, InvalidSettings
from rove.fields import schema_of as flat_schema
from rove.toolsets.catalogue import EVERYTHING
from rove.toolsets.toolset import catalogue_toolset


def test_a_schema_contains_no_references() -> None:
    schema = flat_schema(FillForm)
    item = schema["properties"]["fields"]["items"]
    assert set(item["properties"]) == {"target", "value"}
    assert item["required"] == ["target", "value"]
    assert "$" not in json.dumps(schema)


def test_an_optional_argument_is_not_required_and_has_no_default() -> None:
    schema = flat_schema(Scroll)
    assert schema["properties"]["amount"]["type"] == "integer"
    assert schema["properties"]["amount"]["minimum"] == 1
    assert "default" not in schema["properties"]["amount"]
    assert "required" not in schema


def test_a_default_other_than_none_is_in_the_schema() -> None:
    assert flat_schema(Click)["properties"]["button"]["default"] == "left"
    assert flat_schema(Click)["properties"]["button"]["enum"] == ["left", "right", "middle"]


def test_the_options_of_a_call_are_separated_from_the_arguments() -> None:
    call = catalogue_toolset()["browser_click"].call(
        {"target": "e1", "session": "s1", "tab": "t2", "timeout": 3, "snapshot": "none"}
    )
    assert call.action == Click("e1")
    assert (call.session, call.tab, call.timeout, call.quiet) == ("s1", "t2", 3, True)


def test_an_option_that_is_null_is_ignored() -> None:
    call = catalogue_toolset()["browser_click"].call({"target": "e1", "session": None, "tab": None, "timeout": None})
    assert (call.session, call.tab, call.timeout, call.quiet) == (None, None, None, False)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timeout", 0),
        ("timeout", -1),
        ("timeout", 601),
        ("timeout", "5"),
        ("timeout", True),
        ("timeout", float("nan")),
        ("session", 1),
        ("tab", ["t1"]),
        ("snapshot", "all"),
    ],
)
def test_a_bad_option_is_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises(InvalidArguments) as caught:
        catalogue_toolset()["browser_click"].call({"target": "e1", option: value})
    assert f"`{option}`" in caught.value.message


def test_every_tool_takes_a_session_and_status_takes_no_tab() -> None:
    tools = catalogue_toolset()
    assert all("session" in tool.schema["properties"] for tool in tools.values())
    assert set(tools["browser_status"].schema["properties"]) == {"session"}


def test_an_unknown_tool_is_not_found() -> None:
    assert catalogue_toolset().get("browser_fly") is None


def test_without_groups_only_core_tools_are_offered() -> None:
    assert set(catalogue_toolset()) == {f"browser_{verb}" for verb, cls in registry().items() if cls.group == CORE}
    assert {"browser_console", "browser_network"} <= set(catalogue_toolset())
    assert "browser_pdf" not in catalogue_toolset()


def test_a_requested_group_adds_all_of_its_tools() -> None:
    more = set(catalogue_toolset(["emulation", "pdf"])) - set(catalogue_toolset())
    assert {"browser_resize", "browser_offline", "browser_emulate", "browser_intercept", "browser_pdf"} <= more
    assert {registry()[tool.removeprefix("browser_")].group for tool in more} == {"emulation", "pdf"}


def test_all_offers_the_tools_of_every_group() -> None:
    assert set(catalogue_toolset([EVERYTHING])) == {f"browser_{verb}" for verb in registry()}
    assert set(catalogue_toolset(groups())) == set(catalogue_toolset([EVERYTHING]))


def test_an_unknown_group_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidSettings) as caught:
        catalogue_toolset(["emulation", "flying"])
    assert "`flying`" in caught.value.message
    assert all(group in caught.value.hint for group in groups())
