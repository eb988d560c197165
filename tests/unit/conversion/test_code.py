"""Recordings as code, and as flows of Chrome's Recorder."""

from __future__ import annotations

import ast
import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.recorded_steps import RecordedStep, Recording, escaped, read_recording, readable_target
from rove.recordings.devtools_recorder import from_recorder, to_recorder
from rove.recordings.export import FORMATS
from rove.recordings.files import RunFolder
from rove.recordings.journal_steps import StartPage, recording_from
from rove.recordings.playwright_code import to_playwright
from rove.recordings.python_code import to_pytest, to_python
from rove.surfaces.cli.command_arguments import FORMAT_NAMES

BUTTON = ElementDescription(role="button", name="Save", tag="button", selector="#save")
RECORDING = Recording(
    "save-it",
    (
        RecordedStep("navigate", {"url": "http://localhost:3000/?q=${class}"}),
        RecordedStep("fill", {"target": "#name", "value": 'It\'s "${class}" $${x} {y}'}),
        RecordedStep("fill", {"target": "#password", "value": "secret:shop"}),
        RecordedStep("click", {"target": 'button "Save"', "count": 2}, {"target": BUTTON}, tab="t1"),
        RecordedStep("dialog", {"accept": False}),
        RecordedStep("tabs", {"operation": "switch", "tab": "t2"}),
        RecordedStep("press", {"key": "Control+a"}, tab="t2"),
        RecordedStep("emulate", {"device": "Pixel 10"}),
        RecordedStep("expect", {"url": "/done", "count": 2, "target": "li"}),
    ),
    {"class": "tea", "token": None},
)


def test_python_code_is_valid_and_its_strings_are_what_was_typed() -> None:
    made = to_python(Recording("for", RECORDING.steps[:4], RECORDING.parameters))
    tree = ast.parse(made.content)
    (function,) = [node for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.name == "for_"]
    assert [each.arg for each in function.args.kwonlyargs] == ["class_", "token"]
    code = made.content.decode()
    scope: dict[str, Any] = {"class_": "tea"}
    fill = next(line for line in code.splitlines() if '"#name"' in line)
    assert eval(fill.partition('"#name", ')[2].removesuffix(")"), scope) == 'It\'s "tea" ${x} {y}'
    assert 'rove.open(allow_host=["localhost"])' in code and '"secret:shop"' in code
    assert "secrets shop" in made.notes[0]


def test_a_test_for_pytest_is_valid() -> None:
    code = to_pytest(RECORDING).content.decode()
    ast.parse(code)
    assert 'CLASS = os.environ.get("SAVE_IT_CLASS", "tea")' in code
    assert 'TOKEN = os.environ["SAVE_IT_TOKEN"]' in code


def test_a_test_for_playwright_waits_for_dialogs_and_tabs_before_what_opens_them() -> None:
    made = to_playwright(RECORDING)
    code = made.content.decode()
    lines = [line.strip() for line in code.splitlines()]
    assert "const class_ = process.env.SAVE_IT_CLASS ?? 'tea';" in lines
    assert "const SHOP = process.env.SHOP;" in lines
    assert "await page.goto(`http://localhost:3000/?q=${class_}`);" in lines
    click = lines.index("await page.getByRole('button', { name: 'Save', exact: true }).dblclick();")
    assert lines[click - 1] == "page.once('dialog', dialog => dialog.dismiss());"
    assert "await page2.keyboard.press('Control+a');" in lines
    assert "await expect(page2.locator('li')).toHaveCount(2);" in lines
    assert made.notes == ("Step 8, emulate, has no equivalent in Playwright's tests.",)


def test_names_of_parameters_and_secrets_never_clash() -> None:
    steps = (
        RecordedStep("fill", {"target": "#a", "value": "${WHO}"}),
        RecordedStep("fill", {"target": "#b", "value": "secret:who"}),
        RecordedStep("fill", {"target": "#c", "value": "${who}"}),
        RecordedStep("fill", {"target": "#d", "value": "secret:a-b"}),
        RecordedStep("fill", {"target": "#e", "value": "secret:a_b"}),
    )
    recording = Recording("names", steps, {"WHO": "Ada", "who": "Bob", "page2": "x"})
    constants = re.findall(r"const (\w+) = process", to_playwright(recording).content.decode())
    assert len(constants) == len({*constants}) == 6
    names = re.findall(r"^(\w+) = os", to_pytest(recording).content.decode(), re.MULTILINE)
    assert len(names) == len({*names}) == 3


TABS = Recording(
    "tabs",
    (
        RecordedStep("navigate", {"url": "http://localhost/"}, tab="t4"),
        RecordedStep("tabs", {"operation": "new", "url": "http://localhost/a"}, tab="t5"),
        RecordedStep("tabs", {"operation": "switch", "tab": "t4"}, tab="t4"),
        RecordedStep("click", {"target": "#popup"}, url="http://localhost/", tab="t4"),
        RecordedStep("expect", {"url": "*/"}, tab="t4"),
        RecordedStep("tabs", {"operation": "switch", "tab": "t7"}, tab="t7"),
        RecordedStep("click", {"target": "#b"}, url="http://localhost/b", tab="t7"),
        RecordedStep("tabs", {"operation": "close", "tab": "t7"}),
        RecordedStep("click", {"target": "#c"}, tab="t4"),
    ),
)


def test_code_names_tabs_by_variables_and_not_by_the_names_that_they_had() -> None:
    python = to_python(TABS).content.decode()
    assert not re.search(r"\bt[457]\b", python)
    assert "tab1 = (await session.tabs()).result.tabs[0].id" in python
    assert 'tabs(operation="close", tab=tab2)' in python
    code = to_playwright(TABS).content.decode()
    assert code.count("const page2 =") == code.count("const page3 =") == 1
    assert "await page3.locator('#b').click();" in code and "await page.locator('#c').click();" in code


def test_a_flow_of_the_recorder_names_another_page_by_its_address() -> None:
    made = to_recorder(TABS)
    steps = json.loads(made.content)["steps"]
    targets = [step["target"] for step in steps if step["type"] in ("click", "close")]
    assert targets == ["main", "http://localhost/b", "http://localhost/b", "main"]
    assert [note.split(",")[0].split(" goes")[0] for note in made.notes] == ["Step 2", "Step 3"]


def test_a_journal_switches_tabs_once_and_names_them() -> None:
    made = recording_from(
        "r",
        "s",
        [
            entry("click", 1),
            entry("tabs", 2, arguments={"operation": "switch", "index": 1}, tab="t2"),
            entry("tabs", 3, arguments={"operation": "switch", "tab": "t1"}),
            entry("tabs", 4, arguments={"operation": "switch", "tab": "t2"}, tab="t2"),
            entry("click", 5, tab="t2"),
            entry("tabs", 6, arguments={"operation": "switch", "tab": "t2"}, tab="t2"),
            entry("tabs", 7, arguments={"operation": "close"}, tab=None),
            entry("click", 8),
        ],
    )
    told = [(step.action, *step.arguments.values()) for step in made.recording.steps]
    assert told == [
        ("click",), ("tabs", "switch", "t2"), ("click",), ("tabs", "close", "t2"), ("tabs", "switch", "t1"), ("click",),
    ]  # fmt: skip


def test_a_flow_of_the_recorder_is_the_same_flow_after_it_was_read() -> None:
    steps = [step for step in RECORDING.steps if step.action in ("navigate", "click", "press", "expect")]
    made = to_recorder(Recording("flow", tuple(steps), {"class": "tea"}))
    read, notes = from_recorder(made.content.decode(), "flow")
    assert notes == ()
    assert [step.action for step in read.steps] == ["navigate", "click", "press", "expect", "expect"]
    assert read.steps[1].arguments == {"target": 'button "Save"', "count": 2}
    assert read.steps[3].arguments == {"url": "/done"}
    assert to_recorder(read).content == made.content


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"steps": [1]}', '{"steps": [{"url": 1}]}', '{"steps": 5}'])
def test_what_is_no_flow_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments):
        from_recorder(text, "flow")


def test_selectors_of_others_are_read_as_far_as_they_are_known() -> None:
    step = {"type": "click", "selectors": [["xpath///a"], ["aria/Go"], ["pierce/#go"]], "offsetX": 1, "offsetY": 1}
    read, _ = from_recorder(json.dumps({"steps": [step, {**step, "selectors": [["xpath///a"]]}]}), "flow")
    assert [each.arguments for each in read.steps] == [{"target": "#go"}]


def entry(action: str, began: float, **facts: Any) -> dict[str, Any]:
    return {
        "kind": "action",
        "action": action,
        "arguments": {},
        "outcome": "done",
        "began": began,
        "tab": "t1",
        **facts,
    }


def test_a_journal_becomes_what_was_done_and_not_what_was_read_or_failed() -> None:
    made = recording_from(
        "r",
        "s",
        [
            entry("click", 3, arguments={"target": "e5"}, elements={"target": BUTTON.to_data()}),
            entry("snapshot", 2),
            entry("batch", 2.5),
            entry("tabs", 2.7),
            entry("fill", 1, arguments={"target": "#a", "value": "[secret shop]"}),
            entry("click", 4, arguments={"target": "e9"}, outcome="element_gone"),
            entry("fill", 5, arguments={"target": "#b", "value": "(12 characters)"}),
            entry("click", 6, arguments={"target": "e7"}, tab="t2"),
            {"kind": "driver", "event": "taken", "began": 7},
        ],
        start=StartPage("https://example.com/${x}", "t1"),
    )
    told = [(step.action, step.arguments) for step in made.recording.steps]
    assert told[:3] == [
        ("navigate", {"url": "https://example.com/$${x}"}),
        ("fill", {"target": "#a", "value": "secret:shop"}),
        ("click", {"target": 'button "Save"'}),
    ]
    assert told[-2:] == [("tabs", {"operation": "switch", "tab": "t2"}), ("click", {"target": "e7"})]
    assert made.recording.parameters == {"value_1": None}
    assert len(made.notes) == 2


def test_the_command_names_the_forms_that_there_are() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES


def test_an_archive_and_a_trace_tell_the_requests_of_a_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.clear()
    facts = {"step": "s1", "action": "click", "label": "click", "arguments": {}, "began": 10.0, "ended": 10.5}
    folder.add_step({**facts, "url": "https://example.com/", "width": 800, "height": 600}, b"\xff\xd8picture")
    folder.write_requests(['{"request": {"url": "https://example.com/"}, "response": {"status": 200}}'])
    (entry,) = json.loads(FORMATS["har"].export(RECORDING, folder).content)["log"]["entries"]
    assert entry["request"]["url"] == "https://example.com/"
    with ZipFile(BytesIO(FORMATS["trace"].export(RECORDING, folder).content)) as archive:
        events = [json.loads(line)["type"] for line in archive.read("trace.trace").splitlines()]
        assert events == ["context-options", "before", "frame-snapshot", "after", "screencast-frame"]
        assert json.loads(archive.read("trace.network"))["snapshot"]["response"]["status"] == 200


def test_a_trace_of_a_run_of_which_nothing_was_kept_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments):
        FORMATS["trace"].export(RECORDING, RunFolder(tmp_path / "none"))


HOSTILE = 'x"""\n\'\'\' \\" `${process.exit(7)}` */ \u2028 process.exit(7) {evil()} \\'


def test_texts_of_pages_never_become_code(tmp_path: Path) -> None:
    text = escaped(HOSTILE)
    button = ElementDescription(role="button", name=HOSTILE, locator="page); process.exit(7); (page", selector="#x")
    steps = (
        RecordedStep("navigate", {"url": "http://localhost/?${name}=" + text}),
        RecordedStep("click", {"target": readable_target(button)}, {"target": button}),
        RecordedStep("fill", {"target": "#x", "value": text}),
        RecordedStep("clipboard", {"text": text}),
        RecordedStep("evaluate", {"expression": "() => 1, process.exit(7)"}),
        RecordedStep("evaluate", {"expression": "() => 1, process.exit(7)", "target": "#x"}),
    )
    recording = Recording("hostile", steps, {"name": HOSTILE})
    code = FORMATS["playwright"].export(recording, RunFolder(tmp_path)).content.decode()
    outside = re.sub(r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$\{name\})*`|//[^\n\u2028\u2029]*", "", code)
    assert "exit" not in outside
    for form in ("python", "pytest"):
        tree = ast.parse(FORMATS[form].export(recording, RunFolder(tmp_path)).content)
        assert not {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & {"process", "evil"}


@pytest.mark.parametrize(
    "facts",
    [
        {"parameters": {"x=1;evil()//": "a"}},
        {"recorded": '"""+evil()'},
        {"steps": [{"action": "click", "arguments": {"target": "#a", "count": "1);evil("}}]},
        {"steps": [{"action": "click", "arguments": {"target": "#a", "x=evil()": 1}}]},
        {"steps": [{"action": "fill", "arguments": {"target": "#a", "value": "${unknown}"}}]},
        {"steps": [{"action": "nonsense"}]},
    ],
)
def test_a_file_that_was_edited_into_nonsense_is_not_exported(facts: dict[str, Any], tmp_path: Path) -> None:
    data = {"format": "rove recording", "version": 1, "steps": [], **facts}
    for form in ("python", "pytest", "playwright", "recorder"):
        with pytest.raises(InvalidArguments):
            FORMATS[form].export(read_recording(json.dumps(data), "r"), RunFolder(tmp_path))
