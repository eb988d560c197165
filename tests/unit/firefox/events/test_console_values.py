"""The arguments of console calls, as Firefox serializes them."""

from __future__ import annotations

from typing import Any

import pytest

from rove.browser.firefox.console import json_values, message_text

STRING = {"type": "string", "value": "it is"}
OBJECT = {"type": "object", "value": [["a", {"type": "number", "value": 1}], ["b", {"type": "string", "value": "x"}]]}
NESTED = {"type": "array", "value": [{"type": "null"}, {"type": "undefined"}, OBJECT]}
ERROR = {"type": "error"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([STRING, OBJECT], 'it is {a: 1, b: "x"}'),
        ([NESTED], '[null, undefined, {a: 1, b: "x"}]'),
        ([{"type": "string", "value": "%s of %d%%"}, STRING, {"type": "number", "value": 3}], "it is of 3%"),
        ([STRING, ERROR], "told by Firefox"),
        ([{"type": "map", "value": [["k", {"type": "boolean", "value": True}]]}], 'Map(1) {"k" => true}'),
        ([{"type": "number", "value": "NaN"}, {"type": "bigint", "value": "12"}], "NaN 12n"),
        ([{"type": "object"}], "Object"),
    ],
)
def test_arguments_are_told_as_in_a_console(arguments: list[dict[str, Any]], text: str) -> None:
    assert message_text({"method": "log", "args": arguments, "text": "told by Firefox"}) == text


def test_arguments_are_json_data_where_json_can_hold_them() -> None:
    values = json_values({"method": "log", "args": [STRING, NESTED, ERROR], "text": ""})
    assert values == ["it is", [None, None, {"a": 1, "b": "x"}], "error"]
