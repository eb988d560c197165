"""Declaring, parsing and describing actions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from rove import action as catalogue
from rove import target
from rove.action import Effect, TabAction, Target, action, arg, parse, registry
from rove.actions.batch import Batch
from rove.actions.forms import Fill, FillForm, FormField
from rove.actions.input import Click, Type
from rove.actions.navigation import Back, Navigate
from rove.actions.wait import Wait
from rove.errors import InvalidArguments
from rove.outcome import Result


@dataclass(frozen=True)
class Waved(Result):
    times: int


@pytest.fixture
def scratch() -> Generator[None]:
    """Remove the actions that a test declares."""
    registry()
    before = dict(catalogue._registry)
    yield
    catalogue._registry.clear()
    catalogue._registry.update(before)


def test_a_declared_action_is_registered_under_its_verb(scratch: None) -> None:
    @action(Effect.ACT)
    class WaveBack(TabAction[Waved]):
        """Wave."""

        target: Target
        times: int = arg("How often.", default=1, ge=1)

    assert registry()["wave_back"] is WaveBack
    assert (WaveBack.effect, WaveBack.result, WaveBack.observes) == (Effect.ACT, Waved, True)
    assert parse("wave_back", {"target": "e1", "times": 2}) == WaveBack("e1", 2)


def test_a_reading_action_does_not_observe_unless_it_says_so(scratch: None) -> None:
    @action(Effect.READ)
    class Peek(TabAction[Waved]):
        """Peek."""

    @action(Effect.READ, observes=True)
    class Stare(TabAction[Waved]):
        """Stare."""

    assert (Peek.observes, Stare.observes) == (False, True)


def test_two_actions_cannot_share_a_name(scratch: None) -> None:
    with pytest.raises(TypeError, match="click"):

        @action(Effect.ACT)
        class Click(TabAction[Waved]):
            """Another click."""


def test_an_action_needs_a_docstring_of_its_own(scratch: None) -> None:
    with pytest.raises(TypeError, match="docstring"):

        @action(Effect.ACT)
        class Mute(TabAction[Waved]):
            pass


def test_an_action_must_declare_its_result(scratch: None) -> None:
    with pytest.raises(TypeError, match="results in"):

        @action(Effect.ACT)
        class Vague(TabAction):  # type: ignore[type-arg]
            """Vague."""


def test_an_action_is_immutable() -> None:
    click = Click("e1")
    with pytest.raises(FrozenInstanceError):
        click.target = "e2"  # type: ignore[misc]
    assert click == Click("e1")
    assert hash(click) == hash(Click("e1"))


def test_an_unknown_action_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("fly", {})
    assert "`fly`" in caught.value.message
    assert "click" in caught.value.hint


@pytest.mark.parametrize(
    ("verb", "arguments", "field"),
    [
        ("click", {}, "target"),
        ("click", {"target": "e1", "colour": "red"}, "colour"),
        ("click", {"target": 12}, "target"),
        ("click", {"target": "   "}, "target"),
        ("click", {"target": "e1", "button": "top"}, "button"),
        ("click", {"target": "e1", "count": 0}, "count"),
        ("click", {"target": "e1", "modifiers": ["Hyper"]}, "modifiers.0"),
        ("navigate", {"url": ""}, "url"),
        ("fill_form", {"fields": []}, "fields"),
        ("fill_form", {"fields": [{"target": "e1"}]}, "fields.0.value"),
        ("fill_form", {"fields": [{"target": "e1", "value": "x", "colour": 1}]}, "fields.0.colour"),
        ("wait", {"seconds": -1}, "seconds"),
        ("scroll", {"direction": "sideways"}, "direction"),
        ("screenshot", {"full_page": "perhaps"}, "full_page"),
    ],
)
def test_a_bad_argument_is_refused_by_the_name_of_its_field(verb: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse(verb, arguments)
    assert f"`{field}`" in caught.value.message
    assert "pydantic" not in caught.value.message


def test_every_bad_field_is_named_at_once() -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("click", {"button": "top", "count": 9})
    for field in ("target", "button", "count"):
        assert f"`{field}`" in caught.value.message


def test_the_refusal_of_an_unknown_argument_lists_the_known_ones() -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("fill", {"target": "e1", "text": "x"})
    assert "target, value" in caught.value.message


def test_arguments_are_those_that_differ_from_their_defaults() -> None:
    assert Click("e1").arguments == {"target": "e1"}
    assert Click("e1", count=2, modifiers=("Shift",)).arguments == {"target": "e1", "count": 2, "modifiers": ["Shift"]}
    assert Back().arguments == {}


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (Click("e12"), "Click e12"),
        (Click('button "Save"', button="right"), 'Click button "Save" right'),
        (Back(), "Back"),
        (Navigate("example.com"), "Navigate to https://example.com/"),
        (Wait(text="Ready"), "Wait Ready"),
    ],
)
def test_an_action_describes_itself_in_one_line(made: Any, line: str) -> None:
    assert made.describe() == line


def test_a_long_value_is_cut_in_the_description() -> None:
    assert len(Fill("e1", "x" * 500).describe()) < 120


def test_only_an_action_that_loads_an_address_has_a_destination() -> None:
    assert Navigate("example.com").destination == "https://example.com/"
    assert Click("e1").destination is None


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (Fill("e1", "secret:shop"), ("shop",)),
        (Fill("e1", "my secret:shop"), ()),
        (Type("secret:shop"), ("shop",)),
        (Type("shop"), ()),
        (FillForm((FormField("e1", "Bea"), FormField("e2", "secret:shop"), FormField("e3", True))), ("shop",)),
        (FillForm((FormField("e1", "Bea"),)), ()),
        (Click("secret:shop"), ()),
    ],
)
def test_an_action_that_types_a_secret_also_has_the_secret_effect(made: Any, names: tuple[str, ...]) -> None:
    assert made.secrets == names
    assert made.effects == ((Effect.ACT, Effect.SECRET) if names else (Effect.ACT,))


def test_parse_loads_the_actions_at_its_first_call() -> None:
    code = "from rove.action import parse; print(parse('click', {'target': 'e1'}).verb)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "click"


def test_each_nested_argument_is_validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(target, "parse_target", lambda text: read.append(text))
    fields = [{"target": "e2", "value": "x"}, {"target": "e3", "value": "y"}]
    steps = [{"action": "click", "target": "e1"}, {"action": "fill_form", "fields": fields}]
    batch = parse("batch", {"steps": steps})
    assert read == ["e1", "e2", "e3"]
    assert isinstance(batch, Batch)
    assert [action.verb for action in batch.actions] == ["click", "fill_form"]
    assert read == ["e1", "e2", "e3"], "reading the actions parses nothing again"


def test_a_batch_made_in_python_parses_its_steps_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(target, "parse_target", lambda text: read.append(text))
    batch = Batch(({"action": "click", "target": "e1"},))
    assert batch.actions == (Click("e1"),)
    assert read == ["e1", "e1"], "once for the batch, once for the action it is compared with"


def test_an_action_whose_result_is_not_a_result_class_cannot_be_declared(scratch: None) -> None:
    with pytest.raises(TypeError, match="Result"):

        @action(Effect.READ)
        class Guess(TabAction[str]):  # type: ignore[type-var]
            """Guess."""


def test_values_that_may_be_logins_are_recorded_as_their_length() -> None:
    steps = [
        {"action": "cookies", "operation": "set", "name": "id", "value": "s3cret"},
        {"action": "storage", "operation": "set", "key": "token", "value": "s3cret"},
    ]
    made = parse("batch", {"steps": steps})
    assert "s3cret" not in f"{made.recorded} {made.describe()}" and str(made.recorded).count("(6 characters)") == 2
    for step in steps:
        single = parse(step["action"], {key: value for key, value in step.items() if key != "action"})
        assert single.recorded["value"] == "(6 characters)" and "s3cret" not in single.describe()
        assert single.arguments["value"] == "s3cret"
