"""Elements labelled with the role, name and states that the standards give them, and lines read as a model reads them.

A label is three attributes of the element itself: `data-role`, `data-name` and, where states matter, `data-states`.
Where the standards leave a choice, `|` parts the answers; a state that may be left out ends in `?`.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

FOLDER = Path(__file__).parent / "labelled"
STATES = frozenset({"checked", "current", "description", "disabled", "expanded", "invalid", "level", "placeholder"}) | {
    "pressed", "readonly", "required", "selected", "value",
}  # fmt: skip
# What is not said of these is the same as "false".
QUIET = frozenset({"checked", "selected"})
SYNONYMS = {"image": "img", "presentation": "none", "clickable": "generic"}
SHOWN = 100

_LABEL = re.compile(r" data-(?:role|name|states)=\"[^\"]*\"")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_HEAD = re.compile(rf"(?P<role>[\w-]+)(?: (?P<guess>~?)(?P<name>{_QUOTED}))?")
_STATE = re.compile(
    rf" (?P<key>[a-z]+)(?:\(aria\))?(?:=(?:\(aria\))?(?P<value>{_QUOTED}|\([^)]*\)|[^\s\"]+))?(?=[ :|]|$)"
)
_MARK = re.compile(rf" (?:~{_QUOTED}|\((?:[^()\"]|{_QUOTED})*\))")


@dataclass(frozen=True)
class Said:
    """What was said of an element."""

    role: str
    name: str
    states: Mapping[str, str]

    def __str__(self) -> str:
        states = "".join(f" {key}={value!r}" for key, value in sorted(self.states.items()))
        return f"{self.role} {self.name!r}{states}"


@dataclass(frozen=True)
class Label:
    """What the standards say of an element."""

    number: int
    source: str
    roles: frozenset[str]
    names: frozenset[str]
    states: str | None

    def agrees(self, said: Said) -> bool:
        return self.has_role(said.role) and said.name in self.names and self.has_states(said.states)

    def has_role(self, role: str) -> bool:
        return role in self.roles or (role in ("none", "generic") and not self.roles.isdisjoint(("none", "generic")))

    def has_states(self, said: Mapping[str, str]) -> bool:
        if self.states is None:
            return True
        due, optional = _states(self.states)
        rest = {key: value for key, value in said.items() if key in due or key not in optional}
        return due.keys() == rest.keys() and all(value in due[key] for key, value in rest.items())

    def __str__(self) -> str:
        states = "" if self.states is None else f" [{self.states}]"
        return f"{self.source[:SHOWN]} is {'|'.join(sorted(self.roles))} {'|'.join(sorted(self.names))!r}{states}"


def _states(text: str) -> tuple[dict[str, list[str]], set[str]]:
    """The states that have to be said, and those that may be."""
    due: dict[str, list[str]] = {}
    optional: set[str] = set()
    for word in shlex.split(text):
        key, _, value = word.rstrip("?").partition("=")
        if word.endswith("?"):
            optional.add(key)
        else:
            due[key] = (value or "true").split("|")
    return due, optional


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.labels: list[Label] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        role, name = given.get("data-role"), given.get("data-name")
        if role is None or name is None:
            return
        roles = frozenset(SYNONYMS.get(each, each) for each in role.split("|"))
        names = frozenset(map(squashed, name.split("|")))
        source = _LABEL.sub("", self.get_starttag_text() or "")
        self.labels.append(Label(len(self.labels), source, roles, names, given.get("data-states")))


def read(path: Path) -> tuple[str, list[Label]]:
    """The document, each labelled element numbered in `data-n`, and the labels by number."""
    html = path.read_text(encoding="utf-8")
    reader = _Reader()
    reader.feed(html)
    numbers = itertools.count()
    return re.sub(r"(?= data-role=\")", lambda _: f' data-n="{next(numbers)}"', html), reader.labels


def squashed(text: str) -> str:
    return " ".join(text.split())


def line_read(line: str) -> Said:
    """What the line of a snapshot says; a guessed name is not a name."""
    head = _HEAD.match(line)
    assert head is not None, line
    name = "" if head["name"] is None or head["guess"] else _unquoted(head["name"])
    rest, states = line[head.end() :], {}
    while rest:
        if mark := _MARK.match(rest):
            rest = rest[mark.end() :]
        elif state := _STATE.match(rest):
            key = {"desc": "description"}.get(state["key"], state["key"])
            states[key] = _unquoted(state["value"] or "true")
            rest = rest[state.end() :]
        else:
            break
    return Said(SYNONYMS.get(head["role"], head["role"]), name, told(states))


def told(states: Mapping[str, str]) -> dict[str, str]:
    """The states that labels speak of."""
    return {key: value for key, value in states.items() if key in STATES and not (key in QUIET and value == "false")}


def _unquoted(text: str) -> str:
    return squashed(json.loads(text) if text.startswith('"') else text)
