"""The forms that a recording can be exported in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from rove.action import parse, registry
from rove.conversion.exported import Exported
from rove.errors import InvalidArguments
from rove.recordings.parameters import filled
from rove.recordings.recording import RecordedStep, Recording
from rove.recordings.run_folder import RunFolder
from rove.validation.record import dataclass


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
    "trace": Format("a trace.zip that Playwright's viewer opens", "trace", "to_trace", needs_run=True),
    "har": Format("the requests of the recorded run, as an HTTP archive", "har", "to_har", needs_run=True),
}
