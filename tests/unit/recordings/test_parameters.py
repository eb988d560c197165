"""Parameters of recordings."""

from __future__ import annotations

import pytest

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.recorded_steps import (
    RecordedStep,
    Recording,
    escaped,
    filled,
    read_settings,
    split,
    surroundings_for,
    values_for,
    with_parameters,
)


def test_values_become_parameters_where_they_are_typed_and_in_addresses() -> None:
    steps = (
        RecordedStep("navigate", {"url": "https://example.com/s?q=green%20tea&n=1"}),
        RecordedStep("fill", {"target": 'textbox "green tea"', "value": "green tea"}),
        RecordedStep("fill_form", {"fields": [{"target": "#a", "value": "my green tea!"}]}),
        RecordedStep("expect", {"text": "greenery and green tears"}),
    )
    made = with_parameters(Recording("r", steps), {"query": "green tea"})
    assert [step.arguments for step in made.steps] == [
        {"url": "https://example.com/s?q=${query}&n=1"},
        {"target": 'textbox "green tea"', "value": "${query}"},
        {"fields": [{"target": "#a", "value": "my ${query}!"}]},
        {"text": "greenery and green tears"},
    ]
    assert made.parameters == {"query": "green tea"}


@pytest.mark.parametrize("text", ["${x}", "a $${b} ${", "$", "", "${${x}}"])
def test_a_text_that_looks_like_a_parameter_is_itself_after_a_round_trip(text: str) -> None:
    assert filled({"value": escaped(text)}, {"x": "wrong", "b": "wrong"}) == {"value": text}


def test_a_text_is_split_into_words_and_names() -> None:
    assert split("a ${b} $${c}") == ["a ", ("b",), " ", "${", "c}"]


def test_a_value_that_is_missing_or_unknown_is_refused() -> None:
    recording = Recording("r", (), {"query": "tea", "password": None})
    assert values_for(recording, {"password": "x"}) == {"query": "tea", "password": "x"}
    with pytest.raises(InvalidArguments):
        values_for(recording, {})
    with pytest.raises(InvalidArguments):
        values_for(recording, {"password": "x", "other": "y"})


@pytest.mark.parametrize("word", ["query", "=tea", "a b=c", "1=2"])
def test_what_sets_no_parameter_is_refused(word: str) -> None:
    with pytest.raises(InvalidArguments):
        read_settings([word])
    assert read_settings(["query=a=b"]) == {"query": "a=b"}


def test_the_row_of_an_element_is_that_of_the_value_that_is_given() -> None:
    element = ElementDescription(role="button", name="Delete Ada", item="2 Ada Sencha", distinct="ada sencha")
    now = surroundings_for(element, {"name": "Ada", "other": None}, {"name": r"Bob \1", "other": "x"})
    assert (now.name, now.item, now.distinct) == ("Delete Ada", r"2 Bob \1 Sencha", r"Bob \1 sencha")
