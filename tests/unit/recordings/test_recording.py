"""The file of a recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.recorded_steps import RecordedStep, Recording, argument_at, read_recording, readable_target, set_argument
from rove.recordings.files import RecordingStore

ELEMENT = ElementDescription(
    role="button", name='Say "hi"', selector="#hi", attributes={"id": "hi"}, frames=("iframe",)
)
RECORDING = Recording(
    "greet", (RecordedStep("click", {"target": "#hi"}, {"target": ELEMENT}, "https://example.com/", "t1"),),
    {"who": None}, "2026-11-18T03:00:00Z", "default",
)  # fmt: skip


def test_a_recording_is_the_same_after_its_file_was_written_and_read(tmp_path: Path) -> None:
    store = RecordingStore(tmp_path)
    path = store.write(RECORDING)
    assert store.read("greet") == RECORDING
    assert store.names() == ["greet"]
    assert path.stat().st_mode & 0o077 == 0
    store.delete("greet")
    with pytest.raises(InvalidArguments):
        store.read("greet")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "other"},
        {"steps": {}},
        {"steps": [{"arguments": {}}]},
        {"steps": [{"action": "click", "elements": {"target": {"colour": "red"}}}]},
        {"steps": [{"action": "click", "elements": {"target": {"name": 5}}}]},
        {"steps": [{"action": "click", "elements": {"target": "e1"}}]},
    ],
)
def test_a_file_that_is_not_valid_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(InvalidArguments):
        read_recording(json.dumps({**json.loads(RECORDING.to_text()), **change}), "greet")


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a" * 65, "a\n"])
def test_a_name_that_would_be_another_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArguments):
        RecordingStore(tmp_path).path(name)


def test_an_element_is_named_by_what_means_it_alone() -> None:
    assert readable_target(ELEMENT) == r'button "Say \"hi\""'
    assert readable_target(ElementDescription(role="button", name="Edit", selector="#e", equals=2)) == "#e"
    assert readable_target(ElementDescription(role="generic", name="Card", selector=".card")) == ".card"


def test_arguments_are_changed_at_a_path() -> None:
    arguments = {"fields": [{"target": "e1", "value": "a"}, {"target": "e2"}], "through": ["e3"]}
    changed = set_argument(set_argument(arguments, "fields.1.target", "e9"), "through.0", "e8")
    assert changed == {"fields": [{"target": "e1", "value": "a"}, {"target": "e9"}], "through": ["e8"]}
    assert (argument_at(changed, "fields.1.target"), argument_at(changed, "fields.7.target")) == ("e9", None)
