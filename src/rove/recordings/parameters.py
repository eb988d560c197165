"""Parameters: texts of a recording that differ from run to run, written as `${query}` in its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.recordings.recording import PARAMETER_PATTERN, RecordedStep, Recording
from rove.validation.pattern import pattern

# `$${` stands for a text that itself has `${`.
_PLACE = pattern(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
_NAME = pattern(PARAMETER_PATTERN)
# A shorter value is replaced only where it is the whole text: others would contain it by chance.
SHORTEST_PART = 3
_WHOLE = "target"


def escaped(text: str) -> str:
    """Return a text as a recording writes it, in which nothing is a parameter."""
    return text.replace("${", "$${")


def unescaped(text: str) -> str:
    """Return a text that has no parameters as it is meant."""
    return text.replace("$${", "${")


def split(text: str) -> list[str | tuple[str]]:
    """Return the parts of a text: words as they are, and each parameter as a tuple of its name."""
    parts: list[str | tuple[str]] = []
    end = 0
    for match in _PLACE.finditer(text):
        parts += [text[end : match.start()], (match["name"],) if match["name"] else "${"]
        end = match.end()
    return [part for part in (*parts, text[end:]) if part]


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """Return arguments with the values of their parameters. Raises KeyError for one that has none."""
    return mapped(
        value, lambda text: "".join(values[part[0]] if isinstance(part, tuple) else part for part in split(text))
    )


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return arguments with every text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: mapped(item, change) for key, item in value.items()}
    return [mapped(item, change) for item in value] if isinstance(value, list | tuple) else value


def read_settings(words: Iterable[str]) -> dict[str, str]:
    """Read values such as `query=green tea`. Raises InvalidArguments."""
    given: dict[str, str] = {}
    for word in words:
        name, mark, value = word.partition("=")
        if not mark or not _NAME.fullmatch(name.strip()):
            raise InvalidArguments(f"{word!r} sets no parameter: write it as NAME=VALUE, such as query=tea.")
        given[name.strip()] = value
    return given


def refuse_names(names: Iterable[str]) -> None:
    """Raise InvalidArguments for a name that no parameter can have."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidArguments(f"{name!r} is no name of a parameter: use letters, digits and _.")


def values_for(recording: Recording, given: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each parameter for one run. Raises InvalidArguments if one is unknown, or has no value."""
    names = {**recording.parameters}
    listed = f"It has: {', '.join(names) or 'none'}."
    for name in given:
        if name not in names:
            raise InvalidArguments(f"The recording {recording.name} has no parameter {name}.", hint=listed)
    values = {**names, **given}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        hint = f"Give each a value: {' '.join(f'--set {name}=…' for name in missing)}"
        raise InvalidArguments(f"The recording {recording.name} needs a value for {', '.join(missing)}.", hint=hint)
    return {name: value for name, value in values.items() if value is not None}


def surroundings_for(
    element: ElementDescription, usual: Mapping[str, str | None], values: Mapping[str, str]
) -> ElementDescription:
    """Return a description in whose surroundings other values of parameters stand: the row of Ada is now Bob's."""
    changed = [(was, values[name]) for name, was in usual.items() if was and values.get(name, was) != was]
    texts: dict[str, Any] = {
        name: getattr(element, name) for name in ("item", "distinct", "heading", "before", "after")
    }
    for was, now in changed:
        place = re.compile(rf"(?<!\w){re.escape(was)}(?!\w)", re.IGNORECASE)
        texts = {name: place.sub(now.replace("\\", r"\\"), text) for name, text in texts.items()}
    return replace(element, **texts)


def with_parameters(recording: Recording, given: Mapping[str, str]) -> Recording:
    """Return a recording in which these values are parameters in all arguments that have them."""
    steps = tuple(_with_parameters(step, given) for step in recording.steps)
    return replace(recording, steps=steps, parameters={**recording.parameters, **given})


def _with_parameters(step: RecordedStep, given: Mapping[str, str]) -> RecordedStep:
    def change(text: str) -> str:
        for name, value in given.items():
            text = _replaced(text, name, value)
        return text

    changed = {
        key: value if key.endswith(_WHOLE) else mapped_without_targets(value, change)
        for key, value in step.arguments.items()
    }
    return replace(step, arguments=changed)


def mapped_without_targets(value: Any, change: Callable[[str], str]) -> Any:
    """Return arguments with every text changed that names no element."""
    if isinstance(value, Mapping):
        return {key: item if key == _WHOLE else mapped_without_targets(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [mapped_without_targets(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


def _replaced(text: str, name: str, value: str) -> str:
    written = escaped(value)
    if not value or text == written:
        return f"${{{name}}}" if value else text
    if len(value) < SHORTEST_PART:
        return text
    for form in dict.fromkeys((written, quote(value), quote_plus(value))):
        text = re.sub(rf"(?<![\w$]){re.escape(form)}(?!\w)", f"${{{name}}}", text)
    return text
