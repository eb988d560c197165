"""An act of a user on a widget: what is done, when its goal is reached, and which words the answer must hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """An action of rove with its arguments."""

    verb: str
    arguments: Arguments


@dataclass(frozen=True)
class Act:
    """One act: its name, the action, the goal as an expression in the page, and the words to be told.

    `appears` are words that the answer tells as visible, `goes` words that it tells as gone.
    """

    name: str
    step: Step
    goal: str
    appears: tuple[str, ...] = ()
    goes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Widget:
    """Acts that build on each other. They begin on the page as it was loaded, or as the last widget's acts left it."""

    name: str
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Library:
    """The widgets of one page, which is pages/*/<name>.js, and what its server answers to requests by path."""

    name: str
    widgets: Sequence[Widget]
    answers: Mapping[str, Any] = field(default_factory=dict)


def widget(name: str, *acts: Act) -> Widget:
    return Widget(name, acts)


def click(target: str, **arguments: Any) -> Step:
    return Step("click", {"target": target, **arguments})


def hover(target: str) -> Step:
    return Step("hover", {"target": target})


def press(key: str, target: str | None = None) -> Step:
    return Step("press", {"key": key} if target is None else {"key": key, "target": target})


def type_(text: str, target: str | None = None) -> Step:
    return Step("type", {"text": text} if target is None else {"text": text, "target": target})


def fill(target: str, value: str) -> Step:
    return Step("fill", {"target": target, "value": value})


def select(target: str, *values: str) -> Step:
    return Step("select", {"target": target, "values": list(values)})


def check(target: str, checked: bool = True) -> Step:
    return Step("check", {"target": target, "checked": checked})


def drag(source: str, target: str) -> Step:
    return Step("drag", {"source": source, "target": target})


def shown(selector: str) -> str:
    """Return an expression: such an element is visible."""
    return f"[...document.querySelectorAll({json.dumps(selector)})].some(e => e.checkVisibility({_VISIBLY}))"


def hidden(selector: str) -> str:
    """Return an expression: no such element is visible."""
    return f"!{shown(selector)}"


def text_of(selector: str, expected: str) -> str:
    """Return an expression: the text of an element is this one."""
    return f"document.querySelector({json.dumps(selector)})?.textContent.trim() === {json.dumps(expected)}"


def value_of(selector: str, expected: str) -> str:
    """Return an expression: the value of a field is this one."""
    return f"document.querySelector({json.dumps(selector)})?.value === {json.dumps(expected)}"


_VISIBLY = "{opacityProperty: true, visibilityProperty: true}"
