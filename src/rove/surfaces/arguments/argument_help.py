"""What the help of a command says of its action and of each argument, in the words of the command line."""

from __future__ import annotations

import json
import re
from argparse import SUPPRESS
from collections.abc import Collection

from rove.action import AnyAction
from rove.toolsets.catalogue import one_line_of
from rove.validation.fields import Schema, schema_of

_QUOTED = re.compile(r"`([a-z_]+)`")
# Flags that most commands have besides.
OF_ALL = ("session", "tab", "timeout")
# An action is a tool to a model, and a command in a shell.
_WORDS = {"other tools": "other commands", "in one call": "with one command", "no other call": "no other command"}


def summary_of(cls: type[AnyAction]) -> str:
    """Return what an action does."""
    text = one_line_of(cls)
    for word, instead in _WORDS.items():
        text = text.replace(word, instead)
    return with_flags(text, schema_of(cls)["properties"])


def help_of(rule: Schema, arguments: Collection[str], is_position: bool = False) -> str:
    """Return the help of an argument, as argparse takes it. `arguments`: the names of all that the action has."""
    if rule.get("description") == SUPPRESS:
        return SUPPRESS
    parts = [with_flags(str(rule.get("description", "")), arguments)]
    if is_position and "enum" in rule:  # of an option, argparse shows them itself
        parts.append(f"One of: {', '.join(map(str, rule['enum']))}.")
    if rule.get("type") == "object" and "properties" in rule:
        parts.append(f"As JSON: {_example(rule)}")
    if rule.get("type") == "array" and "properties" in rule.get("items", {}):
        parts.append(f"Each as JSON: {_example(rule['items'])}")
    if "default" in rule:
        parts.append(f"[{rule['default']}]")
    return " ".join(filter(None, parts)).replace("%", "%%")


def with_flags(text: str, arguments: Collection[str]) -> str:
    """Return a text that names arguments as flags: `--direction` for `direction`."""
    known = {*arguments, *OF_ALL}
    return _QUOTED.sub(lambda name: f"`--{name[1].replace('_', '-')}`" if name[1] in known else name[0], text)


def _example(rule: Schema) -> str:
    properties: dict[str, Schema] = rule["properties"]
    values = {name: 800 if each.get("type") == "integer" else "..." for name, each in properties.items()}
    return json.dumps({name: values[name] for name in rule.get("required", properties)}, ensure_ascii=False)
