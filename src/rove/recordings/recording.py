"""A recording: the steps of a session, each with what its elements can be found by, and their parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.validation.record import dataclass

FORMAT = "rove recording"
VERSION = 1
PARAMETER_PATTERN = r"[A-Za-z_][A-Za-z0-9_]*"
# Both become parts of code, where a text that is something else would be code.
_MOMENT = r"[0-9TZ:.+ -]*"
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"


@dataclass(frozen=True)
class RecordedStep:
    """One action, the page that it was done on, and the descriptions of its elements by the paths of arguments."""

    action: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    elements: dict[str, ElementDescription] = field(default_factory=dict[str, ElementDescription])
    url: str = ""
    tab: str = ""

    def to_data(self) -> dict[str, Any]:
        elements = {path: element.to_data() for path, element in self.elements.items()}
        facts = {"action": self.action, "arguments": self.arguments, "url": self.url, "tab": self.tab}
        return {name: value for name, value in {**facts, "elements": elements}.items() if value}


@dataclass(frozen=True)
class Recording:
    """A recording as its file has it. `parameters`: their values unless others are given; None if one must be given."""

    name: str
    steps: tuple[RecordedStep, ...] = ()
    parameters: dict[str, str | None] = field(default_factory=dict[str, str | None])
    recorded: str = ""
    # The session that it was recorded in, whose refs may still mean the same elements.
    session: str = ""

    def to_text(self) -> str:
        """Return the text of its file: JSON that people can read, and compare line by line."""
        head = {"format": FORMAT, "version": VERSION, "name": self.name}
        facts = {"recorded": self.recorded, "session": self.session, "parameters": self.parameters}
        told = {name: value for name, value in facts.items() if value}
        steps = [step.to_data() for step in self.steps]
        return json.dumps({**head, **told, "steps": steps}, ensure_ascii=False, indent=2) + "\n"

    def with_step(self, number: int, step: RecordedStep) -> Recording:
        """Return the recording with another step of that number, from 0."""
        return replace(self, steps=(*self.steps[:number], step, *self.steps[number + 1 :]))


def read_recording(text: str, name: str) -> Recording:
    """Read the text of a recording's file. Raises InvalidArguments where it is not valid."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise _invalid(name, f"it is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _invalid(name, f'its `format` must be "{FORMAT}"')
    if data.get("version") != VERSION:
        raise _invalid(name, f"its `version` is not {VERSION}, which this version of rove knows")
    steps = data.get("steps")
    parameters = data.get("parameters", {})
    if not isinstance(steps, list) or not isinstance(parameters, dict):
        raise _invalid(name, "`steps` must be a list, and `parameters` an object")
    made = tuple(_read_step(step, number, name) for number, step in enumerate(steps, 1))
    for key in parameters:
        if not re.fullmatch(PARAMETER_PATTERN, key):
            raise _invalid(name, f"{key!r} is no name of a parameter")
    recorded = str(data.get("recorded", ""))
    if not re.fullmatch(_MOMENT, recorded):
        raise _invalid(name, "`recorded` must be a date and time")
    values = {key: None if value is None else str(value) for key, value in parameters.items()}
    return Recording(name, made, values, recorded, str(data.get("session", "")))


def _read_step(data: Any, number: int, name: str) -> RecordedStep:
    if not isinstance(data, dict) or not isinstance(data.get("action"), str):
        raise _invalid(name, f"step {number} has no `action`")
    arguments, elements = data.get("arguments", {}), data.get("elements", {})
    if not isinstance(arguments, dict) or not isinstance(elements, dict):
        raise _invalid(name, f"step {number}: `arguments` and `elements` must be objects")
    try:
        found = {str(path): ElementDescription.from_data(each) for path, each in elements.items()}
    except (ValueError, AttributeError) as error:
        raise _invalid(name, f"step {number}: {error}") from None
    for path in found:
        if not isinstance(argument_at(arguments, path), str):
            raise _invalid(name, f"step {number}: `elements` describes {path!r}, which is none of its arguments")
    return RecordedStep(data["action"], arguments, found, str(data.get("url", "")), str(data.get("tab", "")))


def _invalid(name: str, why: str) -> InvalidArguments:
    return InvalidArguments(f"The recording {name} cannot be read: {why}.", hint="Correct its file, or record anew.")


def readable_target(element: ElementDescription) -> str:
    """Return the target by which people and code name an element: its role and name if these mean it alone."""
    if element.name and element.equals == 1 and element.role.isalpha() and element.role not in ("generic", "none"):
        name = element.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'{element.role} "{name}"'
    return element.locator or element.selector


def set_argument(arguments: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return arguments with another value at a path such as `fields.0.target`."""
    name, _, rest = path.partition(".")
    inner = arguments.get(name)
    if not rest:
        return {**arguments, name: value}
    if isinstance(inner, Mapping):
        return {**arguments, name: set_argument(inner, rest, value)}
    index, _, further = rest.partition(".")
    items: list[Any] = list(inner) if isinstance(inner, Sequence) and not isinstance(inner, str) else []
    place = int(index)
    items[place] = set_argument(items[place], further, value) if further else value
    return {**arguments, name: items}


def argument_at(arguments: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path such as `fields.0.target`; None if there is none."""
    value: Any = arguments
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, Sequence) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value
