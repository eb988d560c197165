"""Conversions from the arguments of a tool to those of an action, by the names that toolsets give them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rove.errors import InvalidSettings
from rove.toolsets.listed_actions import read_listed_actions, steps_of
from rove.validation.pattern import pattern

Conversion = Callable[..., Any]
_conversions: dict[str, Conversion] = {}
_DURATION = pattern(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def conversion(name: str) -> Callable[[Conversion], Conversion]:
    """Declare a conversion, which toolsets name as `as`. It raises ValueError with why a value is refused."""
    return lambda convert: _conversions.setdefault(name, convert)


def find_conversion(name: str) -> Conversion:
    """Return a conversion. Raises InvalidSettings if there is none of that name."""
    if name not in _conversions:
        raise InvalidSettings(f"There is no conversion `{name}`.", hint=f"There are: {', '.join(_conversions)}.")
    return _conversions[name]


@conversion("duration")
def duration(value: object) -> float:
    """Return the seconds of a duration such as 15s, 500ms or 2m."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not seconds:
        raise ValueError("must be a duration such as 15s, 500ms or 2m")
    return seconds


@conversion("milliseconds")
def milliseconds(value: object) -> float:
    """Return the seconds of a number of milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise ValueError("must be a number of milliseconds above 0")
    return value / 1000


@conversion("one")
def one(value: object) -> list[object]:
    """Return a list of the one value."""
    return [value]


@conversion("locator")
def locator(selector: object, role: object = None, name: object = None) -> str:
    """Return the target that a selector, or a role and a name, mean."""
    if selector:
        return str(selector)
    if not role:
        raise ValueError("needs a selector, or a role and a name")
    return f"{role} {json.dumps(str(name), ensure_ascii=False)}" if name else str(role)


@conversion("steps")
def steps(actions: object) -> list[dict[str, Any]]:
    """Return the steps of a batch that a list such as `[{"type": "navigate", "url": …}]` means."""
    return steps_of(read_listed_actions(actions))
