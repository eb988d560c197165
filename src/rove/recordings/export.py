"""The forms that a recording can be exported in, by name, and what their code needs: addresses, names of tabs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from rove.action import parse, registry
from rove.errors import InvalidArguments
from rove.recorded_steps import RecordedStep, Recording, filled
from rove.recordings.files import RunFolder
from rove.records import dataclass
from rove.target import secret_named

SWITCH, NEW, CLOSE = "switch", "new", "close"


@dataclass(frozen=True)
class Exported:
    """The content of a file, a name for it, and what of the recording it does not have."""

    content: bytes
    file_name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A form: what it is for, and the function that makes it, which is imported only then."""

    summary: str
    module: str
    function: str
    # Whether it tells what was seen while the recording was made, and so needs that.
    needs_run: bool = False

    def export(self, recording: Recording, folder: RunFolder) -> Exported:
        """Return a recording in this form. Raises RoveError if that is not possible."""
        for number, step in enumerate(recording.steps, 1):
            _check(recording, step, number)
        make: Callable[..., Exported] = getattr(import_module(f"{__package__}.{self.module}"), self.function)
        return make(recording, folder) if self.needs_run else make(recording)


def _check(recording: Recording, step: RecordedStep, number: int) -> None:
    """Raise InvalidArguments for a step that no session would run, as nothing else may become code."""
    if step.action not in registry():
        raise InvalidArguments(f"Step {number} of the recording is {step.action!r}, which is no action.")
    values = {name: value or name for name, value in recording.parameters.items()}
    try:
        parse(step.action, filled(step.arguments, values))
    except KeyError as error:
        raise InvalidArguments(f"Step {number} of the recording has no parameter {error}.") from None
    except InvalidArguments as error:
        error.parts = (f"Step {number} of the recording, {step.action}: ", *error.parts)
        raise


FORMATS: Mapping[str, Format] = {
    "python": Format("a program with rove's library", "python_code", "to_python"),
    "pytest": Format("a test with rove's plugin of pytest", "python_code", "to_pytest"),
    "playwright": Format("a test of Playwright, in JavaScript", "playwright_code", "to_playwright"),
    "recorder": Format("a user flow of the Recorder in Chrome's developer tools", "devtools_recorder", "to_recorder"),
    "trace": Format("a trace.zip that Playwright's viewer opens", "run_files", "to_trace", needs_run=True),
    "har": Format("the requests of the recorded run, as an HTTP archive", "run_files", "to_har", needs_run=True),
}


def private_hosts(recording: Recording) -> list[str]:
    """Return the hosts of its pages that rove reaches only if they are allowed: those of this machine and network."""
    addresses = [step.url for step in recording.steps]
    addresses += [str(step.arguments.get("url", "")) for step in recording.steps]
    hosts = (urlsplit(address).hostname or "" for address in addresses)
    return sorted({host for host in hosts if host and _is_private(host)})


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host


def secret_names(recording: Recording) -> list[str]:
    """Return the names of the secrets that its steps type."""
    texts = (text for step in recording.steps for text in texts_in(step.arguments))
    return sorted({name for text in texts if (name := secret_named(text))})


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in the arguments of a step."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)


def variable_of(recording: Recording, parameter: str) -> str:
    """Return the variable of the environment that sets a parameter of the code: `ORDER_NAME`, as others have NAME."""
    return f"{identifier(recording.name)}_{parameter}".upper()


def identifier(name: str) -> str:
    """Return a name as programs write it: `order-tea` becomes `order_tea`."""
    made = re.sub(r"\W+", "_", name).strip("_").lower() or "recording"
    return f"recording_{made}" if made[0].isdigit() else made


class TabVariables:
    """Numbers the tabs of a recording as they appear: `page`, `page2`, `page3`."""

    def __init__(self, recording: Recording, word: str, first: str) -> None:
        self._word = word
        self._names = {first_tab(recording): first}
        # Tabs that a step names, and that need a variable for this.
        self._named = {named_tab(step) for step in recording.steps} - {""}

    def __contains__(self, tab: str) -> bool:
        return tab in self._names

    def __getitem__(self, tab: str) -> str:
        return self._names[tab]

    def get(self, tab: str, default: str) -> str:
        return self._names.get(tab, default)

    def __len__(self) -> int:
        return len(self._names)

    def add(self, tab: str) -> str:
        """Return the variable of a tab that was opened just now."""
        self._names[tab] = f"{self._word}{len(self._names) + 1}"
        return self._names[tab]

    def is_named(self, tab: str) -> bool:
        """Whether a step switches to this tab, closes it, or answers its dialog."""
        return tab in self._named


def first_tab(recording: Recording) -> str:
    """Return the tab that the recording begins in; the first step of an older one does not say."""
    return next((step.tab for step in recording.steps if step.tab and operation_of(step) != NEW), "")


def operation_of(step: RecordedStep) -> str:
    """Return what a step does with tabs; nothing for one that does something else."""
    return str(step.arguments.get("operation", "list")) if step.action == "tabs" else ""


def named_tab(step: RecordedStep) -> str:
    """Return the tab that the arguments of a step name."""
    return str(step.arguments.get("tab") or "") if step.action in ("tabs", "dialog") else ""
