"""`rove recordings` and `rove export`: look at recordings, change their parameters, turn them into code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rove.errors import RoveError
from rove.guard.cleaning import one_line, readable
from rove.recorded_steps import Recording, read_settings, with_parameters
from rove.recordings.export import FORMATS
from rove.recordings.files import RecordingStore, RunFolder
from rove.settings.tree import Settings

STANDARD_OUTPUT = "-"
LONGEST_STEP = 150


def list_recordings(settings: Settings, given: argparse.Namespace) -> int:
    """Print a line for each recording."""
    store = RecordingStore(settings.home_folder)
    names = store.names()
    for name in names:
        recording = store.read(name)
        parameters = f", parameters: {', '.join(recording.parameters)}" if recording.parameters else ""
        _print(f"{name}: {len(recording.steps)} steps, recorded {recording.recorded or 'elsewhere'}{parameters}")
    if not names:
        _print("There is no recording. `rove record NAME` begins one.")
    return 0


def show_recording(settings: Settings, given: argparse.Namespace) -> int:
    """Print the file of a recording, its parameters and its steps."""
    store = RecordingStore(settings.home_folder)
    recording = store.read(given.name)
    _print(str(store.path(given.name)))
    for name, value in recording.parameters.items():
        _print(f"parameter {name}: {'must be given' if value is None else value}")
    for line in _step_lines(recording):
        _print(line)
    return 0


def _step_lines(recording: Recording) -> list[str]:
    steps = [
        (step.action, " ".join(f"{name}={value}" for name, value in step.arguments.items())) for step in recording.steps
    ]
    return [one_line(f"{number}. {action} {told}", LONGEST_STEP) for number, (action, told) in enumerate(steps, 1)]


def add_parameters(settings: Settings, given: argparse.Namespace) -> int:
    """Make texts of a recording parameters, and save it."""
    store = RecordingStore(settings.home_folder)
    before = store.read(given.name)
    values = read_settings(given.values)
    after = with_parameters(before, values)
    changed = sum(one != other for one, other in zip(before.steps, after.steps, strict=True))
    store.write(after)
    _print(f"{changed} steps of {given.name} use the parameters {', '.join(values)} now.")
    return 0


def delete_recording(settings: Settings, given: argparse.Namespace) -> int:
    RecordingStore(settings.home_folder).delete(given.name)
    _print(f"Deleted the recording {given.name}.")
    return 0


def export_recording(settings: Settings, given: argparse.Namespace) -> int:
    """Write a recording in another form: text to standard output, other files to where `--out` says."""
    store = RecordingStore(settings.home_folder)
    form = FORMATS[given.form]
    made = form.export(store.read(given.name), RunFolder(store.run_folder(given.name)))
    path: Path | None = given.out
    if path is None and made.file_name.endswith(".zip"):
        path = Path(made.file_name)
    if path is None or str(path) == STANDARD_OUTPUT:
        sys.stdout.buffer.write(made.content)
        sys.stdout.flush()
    else:
        try:
            path.write_bytes(made.content)
        except OSError as error:
            raise RoveError(f"{path} cannot be written: {error.strerror}.", hint="Choose another file.") from error
        _print(f"Wrote {path}.")
    for note in made.notes:
        print(readable(f"Note: {note}"), file=sys.stderr)
    return 0


def _print(line: str) -> None:
    """Print text without the control characters that a terminal would obey."""
    print(readable(line))
