"""Lines of docs/actions.md, and of the tables of tools in README.md."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from docs.markdown import doc, listed, row
from rove.action import CORE, AnyAction, Effect, fields_of, registry
from rove.fields import schema_of
from rove.toolsets.catalogue import EVERYTHING, PREFIX
from rove.toolsets.toolset import catalogue_toolset

EFFECTS = {
    Effect.READ: "looks, and changes nothing",
    Effect.ACT: "does what a user could do with a browser",
    Effect.NAVIGATE: "makes a tab load an address",
    Effect.SCRIPT: "runs code in the page, or reads and changes what the page stores",
    Effect.SEND_FILE: "hands files of the workspace to a page",
    Effect.SECRET: "uses saved logins, reads the value of a cookie, or types a named secret, beside another effect of "
    "what is given `secret:NAME`",
    Effect.SPAWN: "opens something that stays open until it is closed",
    Effect.HANDOFF: "asks a person to drive, and waits for them",
}
BOUNDS = {
    "minimum": "at least {}", "exclusiveMinimum": "above {}", "maximum": "at most {}",
    "minItems": "at least {}", "maxItems": "at most {}", "maxLength": "at most {} characters",
}  # fmt: skip
Schema = Mapping[str, Any]
WORDS = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", dict: "object",
}  # fmt: skip


def action_lines() -> Iterator[str]:
    yield from ACTIONS_INTRODUCTION.splitlines()
    yield from ("", "| effect | such an action |", "|---|---|")
    yield from map(_effect, Effect)
    for module, group in groupby(registry().values(), key=lambda cls: cls.__module__):
        yield from ("", f"## {doc(sys.modules[module]).removesuffix('.')}")
        for cls in group:
            yield from _action_section(cls)


def _effect(effect: Effect) -> str:
    if effect not in EFFECTS:
        raise SystemExit(f"EFFECTS in docs/action_reference.py has no words for {effect}.")
    return row(f"`{effect.value}`", EFFECTS[effect])


def _action_section(cls: type[AnyAction]) -> Iterator[str]:
    yield from ("", f"### {cls.verb}", "", doc(cls), "")
    own, others = _split(cls)
    if own:
        yield from ("| argument | kind | default | |", "|---|---|---|---|")
        yield from (_argument(cls, name, field) for name, field in own.items())
        yield ""
    also = f", which also takes {listed(others)}" if others else ""
    yield f"- Effect: `{cls.effect.value}`{'; answers with what changed on the page' if cls.observes else ''}"
    shown = "" if cls.group == CORE else f", shown with `--with {cls.group}`"
    yield f"- MCP: `{PREFIX}{cls.verb}`{shown}{also}"
    yield f"- Python: `await session.{cls.verb}({_signature(cls, own)})`"
    yield f"- Result: `{cls.result.__name__}`{_result_fields(cls.result)}"


def _split(cls: type[AnyAction]) -> tuple[dict[str, Schema], list[str]]:
    """An action's own arguments, and what its tool takes besides."""
    tool = catalogue_toolset([EVERYTHING])[PREFIX + cls.verb]
    properties: Mapping[str, Schema] = tool.schema["properties"]
    own: Mapping[str, Schema] = schema_of(cls)["properties"]  # with those that a core tool does not list
    return {name: properties.get(name, own[name]) for name in own}, [name for name in properties if name not in own]


def _argument(cls: type[AnyAction], name: str, field: Schema) -> str:
    if _is_required(cls, name):
        default = "required"
    else:
        default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
    return row(f"`{name}`", _kind(field) + _bounds(field), default, field.get("description", ""))


def _signature(cls: type[AnyAction], own: Mapping[str, Schema]) -> str:
    return ", ".join(name if _is_required(cls, name) else f"{name}={_default(cls, name)!r}" for name in own)


def _is_required(cls: type[AnyAction], name: str) -> bool:
    return _declared(cls, name).default is dataclasses.MISSING


def _default(cls: type[AnyAction], name: str) -> Any:
    return _declared(cls, name).default


def _declared(cls: type[AnyAction], name: str) -> Any:
    return next(field for field in dataclasses.fields(cast(Any, cls)) if field.name == name)


def _result_fields(result: type[Any]) -> str:
    hints = get_type_hints(result)
    shown = [field.name for field in dataclasses.fields(result)]
    fields = ", ".join(f"`{name}` ({_hinted(hints[name])})" for name in shown)
    return f", with {fields}" if fields else ""


def _hinted(hint: Any) -> str:
    """A type hint in the words that `_kind` has for a schema."""
    kind, inside = get_origin(hint), get_args(hint)
    if kind is Literal:
        return listed(inside, "or")
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_hinted, inside)))
    if kind in (tuple, list):
        return f"list of {_hinted(inside[0])}"
    bare = kind or hint
    if bare is Any:
        return "any value"
    for known, words in WORDS.items():
        if isinstance(bare, type) and issubclass(bare, known):
            return words
    return f"`{bare.__name__}`"


def _kind(schema: Schema) -> str:
    """A JSON schema in words; of an object that has a name, the name."""
    if "$ref" in schema:
        # `Outcome[Any]` is called Outcome_Any_ there.
        name, *_ = schema["$ref"].rsplit("/", 1)[-1].split("_")
        return f"`{name}`"
    if "enum" in schema:
        return listed(schema["enum"], "or")
    if "anyOf" in schema:
        return " or ".join(_kind(branch) for branch in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if schema.get("properties"):
        return f"object with {listed(schema['properties'])}"
    return str(schema.get("type", "any value"))


def _bounds(schema: Schema) -> str:
    said = [phrase.format(schema[key]) for key, phrase in BOUNDS.items() if key in schema]
    return f" ({', '.join(said)})" if said else ""


def tools_table() -> Iterator[str]:
    yield from ("| tool | arguments | |", "|---|---|---|")
    yield from (row(*_tool_cells(cls)) for cls in registry().values() if cls.group == CORE)


def more_tools_table() -> Iterator[str]:
    yield from ("| group | tool | arguments | |", "|---|---|---|---|")
    more = (cls for cls in registry().values() if cls.group != CORE)
    yield from (row(f"`{cls.group}`", *_tool_cells(cls)) for cls in sorted(more, key=lambda cls: cls.group))


def _tool_cells(cls: type[AnyAction]) -> tuple[str, str, str]:
    arguments = (f"`{name}`" if _is_required(cls, name) else f"`{name}?`" for name in fields_of(cls))
    return f"[`{PREFIX}{cls.verb}`](docs/actions.md#{cls.verb})", " ".join(arguments), doc(cls)


ACTIONS_INTRODUCTION = f"""\
Everything that can be asked of the browser. Each action is declared once, in `src/rove/actions`, and is called the
same way on every surface:

- an MCP client calls the tool `{PREFIX}<action>`;
- Python awaits the session's method of the same name, or `session.run(Click("e12"), tab="t2", timeout=5)`;
- a `batch` takes it as a step: `{{"action": "click", "target": "e12"}}`.

A tool takes a few words that are not the action's own: `session` (a name; the default session if not given), `tab`
(`t1`; the front tab if not given), `timeout` (seconds) and `snapshot` (`"none"` leaves out what changed on the page).

All steps of a `batch` share its `timeout`. Without one, each step has the time that it would have by itself, and the
batch as long as all of them together. Starting a browser and waiting for a person's answer are not counted.

The answer is an `Outcome`: the action's `result`, the `session`, `tab`, `url` and `title` where it ended, the `changes`
that it made to the page, the `events` that came on the side, and what is still `pending` if the page has not come to
rest. Pictures go beside it as `attachments`: images for an MCP client, bytes in Python.

A `target` is a ref from a snapshot (`e12`), a CSS selector, or a role and a name as a snapshot shows them
(`button "Save"`); for the pointer it may be a point of the viewport (`200,140`). A policy decides on an action by its
effect, among other things:"""
