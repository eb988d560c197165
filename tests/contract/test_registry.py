"""What every declared action must offer to every surface."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Golden
from tests.site import OWN_SITES

from rove import Ask, Place, RoveError, Session, Settings
from rove.action import Action, AnyAction, Effect, fields_of, parse, registry
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidArguments
from rove.fields import schema_of
from rove.guard.policy import Decision
from rove.snapshot import estimate
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.messages import Message
from rove.surfaces.mcp.protocol import McpConnection
from rove.toolsets.catalogue import EVERYTHING, OPTIONS
from rove.toolsets.toolset import catalogue_toolset

VERBS = list(registry())
every_action = pytest.mark.parametrize("verb", VERBS)

# Arguments of actions for which a schema alone gives no valid example.
EXAMPLES: dict[str, dict[str, Any]] = {
    "batch": {"steps": [{"action": "status"}]},
    "credentials": {"origin": "https://example.com", "username": "agent", "password": "secret:example"},
    "emulate": {"device": "Pixel 10", "locale": "de-DE", "time_zone": "Europe/Berlin", "reduced_motion": True},
    "find_recorded": {"element": {"role": "button", "name": "Save"}},
    "intercept": {"url": "https://example.com/api/*", "headers": [{"name": "X-A", "value": "1"}], "body": "{}"},
    "open_session": {"name": "some-name", "viewport": {"width": 800, "height": 600}},
    "permissions": {"origin": "https://example.com", "names": ["geolocation"]},
    "pdf": {"name": "page", "landscape": True, "pages": "1-3,5"},
}


def example(verb: str) -> dict[str, Any]:
    """Return arguments for an action, made from its schema: required and optional ones."""
    if verb in EXAMPLES:
        return EXAMPLES[verb]
    schema = catalogue_toolset([EVERYTHING])[f"browser_{verb}"].schema
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
        assert field.get("description"), f"{verb}.{name} has no description"


@every_action
def test_it_is_the_same_after_json(verb: str) -> None:
    action = parse(verb, example(verb))
    arguments = json.loads(json.dumps(action.arguments))
    assert parse(verb, arguments) == action


@every_action
def test_it_is_immutable_and_describes_itself_in_one_line(verb: str) -> None:
    action = parse(verb, example(verb))
    assert "\n" not in action.describe()
    # A batch is described by its steps, in the words of contract A.
    beginning = "1 browser action(s) — first: " if verb == "batch" else verb.replace("_", " ")
    assert action.describe().lower().startswith(beginning)
    for name in fields_of(type(action)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(action, name, None)


@every_action
def test_it_declares_its_effect_and_result(verb: str) -> None:
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
    for name in catalogue_toolset([EVERYTHING])[f"browser_{verb}"].schema.get("required", []):
        with pytest.raises(InvalidArguments) as caught:
            parse(verb, {key: value for key, value in example(verb).items() if key != name})
        assert f"`{name}`" in caught.value.message


@every_action
def test_the_library_has_a_method_for_it(verb: str) -> None:
    method = getattr(Session, verb)
    assert method.__doc__.startswith(inspect.cleandoc(registry()[verb].__doc__ or ""))
    assert {*fields_of(registry()[verb])} < {*inspect.signature(method).parameters}


@every_action
def test_its_tool_takes_the_example_and_refuses_other_options(verb: str) -> None:
    tool = catalogue_toolset([EVERYTHING])[f"browser_{verb}"]
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
    """Yield every schema within a schema. `is_names`: its keys are names of properties, not keywords."""
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
@pytest.mark.parametrize("policy", [AsksAlways(), Breaks()], ids=["asking without an approver", "a broken policy"])
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
    """Sessions of two policies that allow nothing, by the class of the policy."""
    settings = Settings(allow_host=OWN_SITES, home=home)
    async with Sessions(settings, AsksAlways()) as asking, Sessions(settings, Breaks()) as broken:
        yield {AsksAlways: asking, Breaks: broken}


@pytest.fixture(scope="module")
async def tools(home: Path) -> dict[str, Message]:
    """Every tool that tools/list returns, by name."""
    answer = await _list_tools(home, [EVERYTHING])
    return {tool["name"]: tool for tool in answer["tools"]}


async def _list_tools(home: Path, also: Sequence[str] = ()) -> Message:
    answers: list[Message] = []

    async def send(message: Message) -> None:
        answers.append(message)

    sessions = Sessions(Settings(allow_host=OWN_SITES, home=home))
    connection = McpConnection(browser_server(sessions, catalogue_toolset(also)))
    for number, method in enumerate(("initialize", "tools/list")):
        (task,) = connection.receive({"jsonrpc": "2.0", "id": number, "method": method}, send)
        await task
    result: Message = answers[-1]["result"]
    return result


def test_tools_and_actions_are_the_same(tools: dict[str, Message]) -> None:
    assert list(tools) == [f"browser_{verb}" for verb in VERBS]


def test_the_tools_are_the_golden_ones(tools: dict[str, Message], golden: Golden) -> None:
    golden("tools.json", list(tools.values()))


async def test_the_default_tools_cost_less_than_five_thousand_tokens(home: Path) -> None:
    seen = [
        {key: tool[key] for key in ("name", "description", "inputSchema")}
        for tool in (await _list_tools(home))["tools"]
    ]
    assert estimate(json.dumps(seen, separators=(",", ":"))) < 5000
