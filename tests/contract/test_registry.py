"""What every action owes to every surface, asked of each of them the day it is declared."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Golden
from tests.site import OWN_SITES

from rove import Ask, Place, RoveError, Session, Settings
from rove.action import Action, AnyAction, Effect, fields_of, parse, registry
from rove.engine.sessions.sessions import Sessions
from rove.errors import Denied, InvalidArguments
from rove.fields import schema_of
from rove.guard.policy.policy import Decision
from rove.snapshot import estimate
from rove.surfaces.mcp.protocol import McpConnection, Message
from rove.surfaces.toolsets import EVERYTHING, OPTIONS, Toolset

VERBS = list(registry())
every_action = pytest.mark.parametrize("verb", VERBS)

# Where a schema cannot say what makes sense: a batch of something, and a pattern.
EXAMPLES: dict[str, dict[str, Any]] = {
    "batch": {"steps": [{"action": "status"}]},
    "open_session": {"name": "some-name"},
    "pdf": {"name": "page", "landscape": True, "pages": "1-3,5"},
}


def example(verb: str) -> dict[str, Any]:
    """Arguments for an action, made up from its schema: those it needs, and those that it can do without."""
    if verb in EXAMPLES:
        return EXAMPLES[verb]
    schema = Toolset([EVERYTHING])[f"browser_{verb}"].schema
    return {
        name: _value(name, kind) for name, kind in schema["properties"].items() if name in fields_of(registry()[verb])
    }


def _value(name: str, schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][-1]
    if "anyOf" in schema:
        return _value(name, schema["anyOf"][0])
    kind = schema.get("type")
    if kind == "string":
        return "https://example.com/" if name == "url" else "e12"
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 0), 1)
    if kind == "boolean":
        return not schema.get("default", False)
    if kind == "array":
        return [_value(name, schema["items"])]
    if kind == "object":
        return {inner: _value(inner, field) for inner, field in schema["properties"].items()}
    raise AssertionError(f"no example of {name}: {schema}")


@every_action
def test_it_has_a_docstring_of_one_short_paragraph(verb: str) -> None:
    text = registry()[verb].__doc__ or ""
    assert text.strip()
    assert len(text.split()) <= 40


@every_action
def test_every_field_has_a_text(verb: str) -> None:
    schema = schema_of(registry()[verb])
    for name, field in schema.get("properties", {}).items():
        assert field.get("description"), f"{verb}.{name} says nothing of itself"


@every_action
def test_it_survives_json(verb: str) -> None:
    action = parse(verb, example(verb))
    carried = json.loads(json.dumps(action.arguments))
    assert parse(verb, carried) == action


@every_action
def test_it_is_immutable_and_describes_itself_in_one_line(verb: str) -> None:
    action = parse(verb, example(verb))
    assert "\n" not in action.describe()
    assert action.describe().lower().startswith(verb.replace("_", " "))
    for name in fields_of(type(action)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(action, name, None)


@every_action
def test_it_says_what_it_results_in(verb: str) -> None:
    cls = registry()[verb]
    assert isinstance(cls.effect, Effect)
    assert dataclasses.is_dataclass(cls.result)


@every_action
def test_an_unknown_argument_is_refused_by_name(verb: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse(verb, {**example(verb), "colour": "red"})
    assert "`colour`" in caught.value.message


@every_action
def test_a_missing_argument_is_refused_by_name(verb: str) -> None:
    for name in Toolset([EVERYTHING])[f"browser_{verb}"].schema.get("required", []):
        with pytest.raises(InvalidArguments) as caught:
            parse(verb, {key: value for key, value in example(verb).items() if key != name})
        assert f"`{name}`" in caught.value.message


@every_action
def test_the_library_has_a_method_for_it(verb: str) -> None:
    method = getattr(Session, verb)
    assert method.__doc__ == registry()[verb].__doc__


@every_action
def test_its_tool_takes_the_example_and_refuses_other_options(verb: str) -> None:
    tool = Toolset([EVERYTHING])[f"browser_{verb}"]
    call = tool.call(example(verb))
    assert call.action == parse(verb, example(verb))
    for option in set(OPTIONS) - set(tool.schema["properties"]):
        with pytest.raises(InvalidArguments):
            tool.call({**example(verb), option: "none"})


@every_action
def test_its_tool_is_described_flat_and_annotated(verb: str, tools: dict[str, Message]) -> None:
    tool = tools[f"browser_{verb}"]
    assert tool["description"]
    assert tool["inputSchema"]["type"] == "object"
    assert tool["inputSchema"]["additionalProperties"] is False
    for node in _nodes(tool["inputSchema"]):
        assert not {"$ref", "$defs", "title"} & set(node), f"{verb} is not flat: {node}"
        assert {"type": "null"} not in node.get("anyOf", [])
        assert node.get("default", 0) is not None
    effect = registry()[verb].effect
    annotations = tool["annotations"]
    assert annotations["readOnlyHint"] is (effect is Effect.READ)
    assert annotations["openWorldHint"] is True
    if effect in (Effect.ACT, Effect.SCRIPT):
        assert annotations["destructiveHint"] is True
    else:
        assert not annotations.get("destructiveHint")


def _nodes(schema: Any, is_names: bool = False) -> Iterator[dict[str, Any]]:
    """Every schema within a schema; the names of properties are not keywords."""
    if isinstance(schema, list):
        for item in schema:
            yield from _nodes(item)
    elif isinstance(schema, dict):
        if not is_names:
            yield schema
        for key, value in schema.items():
            yield from _nodes(value, is_names=key == "properties" and not is_names)


class AsksAlways:
    def decide(self, action: AnyAction, place: Place) -> Decision:
        return Ask("Really?")


class Breaks:
    def decide(self, action: AnyAction, place: Place) -> Decision:
        raise RuntimeError("the policy is broken")


@every_action
@pytest.mark.parametrize("policy", [AsksAlways(), Breaks()], ids=["asking nobody", "a broken policy"])
async def test_it_is_denied_by(
    verb: str, policy: AsksAlways | Breaks, guarded: dict[type, Sessions], monkeypatch: pytest.MonkeyPatch
) -> None:
    action = parse(verb, example(verb))
    performed: list[Action[Any]] = []

    async def perform(self: Action[Any], where: object) -> None:
        performed.append(self)

    monkeypatch.setattr(type(action), "perform", perform)
    with pytest.raises(RoveError) as caught:
        await guarded[type(policy)].session().run(action)
    assert caught.value.code == Denied.code
    assert performed == []


@pytest.fixture(scope="module")
async def guarded(home: Path) -> Any:
    """Two houses whose policies let nothing through; what needs a page shares one browser each."""
    settings = Settings(allow_host=OWN_SITES, home=home)
    async with Sessions(settings, AsksAlways()) as asking, Sessions(settings, Breaks()) as broken:
        yield {AsksAlways: asking, Breaks: broken}


@pytest.fixture(scope="module")
async def tools(home: Path) -> dict[str, Message]:
    """The answer to tools/list with everything asked for, by name."""
    answer = await _listed(home, [EVERYTHING])
    return {tool["name"]: tool for tool in answer["tools"]}


async def _listed(home: Path, also: Sequence[str] = ()) -> Message:
    answers: list[Message] = []

    async def send(message: Message) -> None:
        answers.append(message)

    connection = McpConnection(Sessions(Settings(allow_host=OWN_SITES, home=home)), Toolset(also), send)
    for number, method in enumerate(("initialize", "tools/list")):
        await connection._answer(number, method, {})
    result: Message = answers[-1]["result"]
    return result


def test_every_tool_is_an_action_and_every_action_a_tool(tools: dict[str, Message]) -> None:
    assert list(tools) == [f"browser_{verb}" for verb in VERBS]


def test_the_tools_are_the_golden_ones(tools: dict[str, Message], golden: Golden) -> None:
    golden("tools.json", list(tools.values()))


async def test_the_tools_as_they_are_sent_cost_less_than_five_thousand_tokens(home: Path) -> None:
    assert estimate(json.dumps(await _listed(home), separators=(",", ":"))) < 5000
