"""A recording: its steps, what their elements can be found by, and the parameters in their arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field, replace
from typing import Any, Protocol
from urllib.parse import quote, quote_plus

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.patterns import pattern
from rove.records import dataclass

FORMAT = "rove recording"
VERSION = 1
PARAMETER_PATTERN = r"[A-Za-z_][A-Za-z0-9_]*"
# Both become parts of code, where a text that is something else would be code.
_MOMENT = r"[0-9TZ:.+ -]*"
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"

# `$${` stands for a text that itself has `${`.
_PLACE = pattern(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
_NAME = pattern(PARAMETER_PATTERN)
# A shorter value is replaced only where it is the whole text: others would contain it by chance.
SHORTEST_PART = 3
_WHOLE = "target"


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


class RecordingDesk(Protocol):
    """Reads and writes recordings, and keeps what is seen while one is run."""

    @property
    def session(self) -> str:
        """The name of the session."""
        ...

    async def read(self, name: str, /) -> Recording:
        """Return a recording. Raises InvalidArguments if there is none, or its file is not valid."""
        ...

    async def write(self, recording: Recording, /) -> None:
        """Save a recording in place of the one of that name."""

    def keeping_run(self, name: str, /) -> AbstractAsyncContextManager[None]:
        """Keep pictures of the steps that are run meanwhile, and their requests, for a trace of the recording."""
        ...
