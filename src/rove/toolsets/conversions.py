"""Conversions from the arguments of a tool to those of an action, by the names that toolsets give them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rove.errors import InvalidSettings
from rove.patterns import pattern
from rove.toolsets.listed_actions import read_listed_actions, steps_of

Conversion = Callable[..., Any]
# What a conversion is given where a call has null for an argument that may be null; None, where it has nothing.
NULL = object()
_conversions: dict[str, Conversion] = {}
# What a conversion reads besides values of the type that its argument is declared with.
_also_read: dict[str, tuple[type[Any], ...]] = {}
# Those to which an empty text is a value, and a bad one; to others it is as none.
_refusing_empty: set[str] = set()
_DURATION = pattern(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")
# A timeout of so many seconds is longer than any call may take, so that milliseconds are meant.
MILLISECONDS_FROM = 1000
SCROLL_WORDS = {"up": "up", "down": "down", "left": "left", "right": "right", "top": "up", "bottom": "down"}
# Pixels to the end of any page.
FAR = 10_000_000
_WHOLE_NUMBER = pattern(r"-?\d{1,7}")
LONGEST_SECONDS = 600
_SIZE = pattern(r"\s*(\d{1,5})\s*[x×,]\s*(\d{1,5})\s*")
# The longest wait that a call may ask for, in seconds.
LONGEST_WAIT = 60
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def conversion(
    name: str, also: tuple[type[Any], ...] = (), *, refuses_empty: bool = False
) -> Callable[[Conversion], Conversion]:
    """Declare a conversion, which toolsets name as `as`. It raises ValueError with why a value is refused.

    Its values have the type that their argument is declared with, or one of `also`. `refuses_empty`: it refuses an
    empty text, which counts as no value to others.
    """
    _also_read[name] = also
    if refuses_empty:
        _refusing_empty.add(name)
    return lambda convert: _conversions.setdefault(name, convert)


def find_conversion(name: str) -> Conversion:
    """Return a conversion. Raises InvalidSettings if there is none of that name."""
    if name not in _conversions:
        raise InvalidSettings(f"There is no conversion `{name}`.", hint=f"There are: {', '.join(_conversions)}.")
    return _conversions[name]


def also_read_by(name: str | None) -> tuple[type[Any], ...]:
    """Return what a conversion reads besides values of the declared type."""
    return _also_read.get(name or "", ())


def refuses_empty_text(name: str | None) -> bool:
    """Return whether a conversion is given an empty text, to refuse it."""
    return name in _refusing_empty


@conversion("duration", also=(int, float), refuses_empty=True)
def duration(value: object) -> float:
    """Return the seconds of a duration such as 15s, 500ms or 2m."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not seconds:
        raise ValueError(f"must be a duration such as 15s, 500ms or 2m, not {str(value)[:40]!r}")
    if seconds > LONGEST_SECONDS:
        raise ValueError(f"must be at most {LONGEST_SECONDS // 60}m, not {str(value)[:40]!r}")
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


@conversion("first_match")
def first_match(value: object) -> str:
    """Return the target that means the first element which a CSS selector matches."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a CSS selector")
    return f"{value.strip()}:first"


@conversion("locator")
def locator(selector: object, role: object = None, name: object = None) -> str:
    """Return the target that a selector, or a role and a name, mean."""
    if selector:
        return str(selector)
    if not role:
        raise ValueError("needs a selector, or a role and a name")
    kind, words = str(role).strip().lower(), json.dumps(str(name), ensure_ascii=False)
    # Text has no role; outlines show it as if it had one.
    if kind == "text" and name:
        return f"getByText({words})"
    return f"{kind} {words}" if name else kind


@conversion("form_fields", also=(object,))
def form_fields(value: object) -> list[dict[str, object]]:
    """Return the fields of a form: a list of selectors and values, or an object of values by selector."""
    if isinstance(value, dict):
        return [{"target": selector, "value": _form_value(each)} for selector, each in value.items()]
    if not isinstance(value, list):
        raise ValueError("must be a list of objects with `selector` and `value`")
    return [_form_field(each) for each in value]


def _form_field(field: object) -> dict[str, object]:
    if (
        not isinstance(field, dict)
        or "value" not in field
        or not isinstance(target := field.get("selector") or field.get("target"), str)
    ):
        raise ValueError("each field must be an object with `selector`, a string, and `value`")
    return {"target": target, "value": _form_value(field["value"])}


def _form_value(value: object) -> object:
    """Return a value as a form takes it: a number is written as text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


@conversion("wait_seconds", also=(str,), refuses_empty=True)
def wait_seconds(value: object) -> float:
    """Return the seconds of a duration such as 500ms, or of a number: seconds, or milliseconds if it is above 60."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        given: float = duration(value)
        return given
    if value <= 0:
        raise ValueError("must be above 0")
    seconds = float(value)
    return seconds if seconds <= LONGEST_WAIT else seconds / 1000


@conversion("viewport")
def viewport(value: object) -> object:
    """Return a size: an object with `width` and `height`, or a text such as 1280x720."""
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    return {"width": int(match[1]), "height": int(match[2])} if match else value


@conversion("steps", also=(object,))
def steps(actions: object) -> list[dict[str, Any]]:
    """Return the steps of a batch that a list such as `[{"type": "navigate", "url": …}]` means."""
    return steps_of(read_listed_actions(actions))


@conversion("seconds", also=(str,))
def seconds(value: object) -> float:
    """Return a number of seconds; 1000 and more, which no call may take, are milliseconds."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0.0
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError("must be a number of seconds above 0")
    return number / 1000 if number >= MILLISECONDS_FROM else number


@conversion("first")
def first(*values: object) -> object:
    """Return the first value that is given."""
    return next(value for value in values if value not in (None, ""))


@conversion("nothing")
def nothing(*values: object) -> None:
    """Return None: with a `default`, the argument has a value only where a call has none of these."""


@conversion("tab_id", also=(int, float))
def tab_id(*values: object) -> str:
    """Return the id of a tab, which may be given as its number alone."""
    given = str(first(*values))
    return f"t{given}" if given.isascii() and given.isdigit() else given


@conversion("scroll_direction", also=(int, float))
def scroll_direction(value: object) -> str:
    """Return the direction of `down`, `bottom` or a number of pixels, which is negative upwards."""
    word = str(value).strip().lower()
    if word in SCROLL_WORDS:
        return SCROLL_WORDS[word]
    return "up" if _pixels(word) < 0 else "down"


@conversion("scroll_amount", also=(int, float))
def scroll_amount(value: object) -> int | None:
    """Return the pixels of `bottom`, which is far, or of a number; None for a direction alone."""
    word = str(value).strip().lower()
    if word in ("top", "bottom"):
        return FAR
    return None if word in SCROLL_WORDS else abs(_pixels(word))


def _pixels(word: str) -> int:
    pixels = int(word) if _WHOLE_NUMBER.fullmatch(word) else 0
    if not pixels:
        raise ValueError("must be up, down, left, right, top, bottom or a number of pixels")
    return pixels
