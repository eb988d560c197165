"""Calls of Playwright MCP's tools: arguments as those of actions, and the JavaScript that Playwright would run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from rove.errors import InvalidArguments
from rove.outcome import AnyOutcome, PageView, moment
from rove.page_text import Own
from rove.patterns import pattern
from rove.target import AriaRef, Locator, parse_target
from rove.toolsets.conversions import NULL, conversion
from rove.toolsets.tool import ToolRequest

Arguments = Mapping[str, Any]
NO_VIEW = PageView()
_FUNCTION = pattern(r"\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")
FOLDER = ".playwright-mcp"
LONGEST_WAIT = 30
FEATURES = ("color_scheme", "reduced_motion", "forced_colors", "contrast", "media")
MOST_CHARACTERS = 50_000_000
NOT_RUN = (
    "is not run: rove has no Playwright in it. Run JavaScript in the page with browser_evaluate, "
    "and act with the other tools"
)


def shown_path(path: str) -> str:
    """Return a path relative to the working directory of the server, or as it is if it lies elsewhere."""
    try:
        inner = Path(path).relative_to(Path.cwd())
    except ValueError:
        return path
    return f"./{inner}" if len(inner.parts) == 1 and not inner.name.startswith(".") else str(inner)


def outside_of(root: Path, paths: Iterable[str]) -> str | None:
    """Return the first path that does not lie in a folder; None if all do."""
    return next((path for path in paths if not (root / path).resolve().is_relative_to(root.resolve())), None)


def quoted(text: str) -> str:
    """Return a text as a JavaScript string in single quotes."""
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def literal(value: Any, *, is_one_line: bool = False) -> str:
    """Return a value as JavaScript, with the keys of objects in order."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        items: list[Any] = list(value)
        return f"[{', '.join(map(literal, items))}]"
    if isinstance(value, dict):
        return _object({**value}, is_one_line)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _object(value: dict[str, Any], is_one_line: bool) -> str:
    parts = [f"{key}: {literal(value[key])}" for key in sorted(value)]
    if not parts:
        return "{}"
    return f"{{ {', '.join(parts)} }}" if is_one_line else "{\n" + ",\n".join(f"  {part}" for part in parts) + "\n}"


def _locator(outcome: AnyOutcome, target: object, place: str = "target") -> str:
    """Return the locator of the element that a tool's argument meant."""
    aim = parse_target(as_target(target))
    if isinstance(aim, Locator) and "(" in aim.text and "=" not in aim.text.partition("(")[0]:
        return str(target).removeprefix("page.")
    found = (outcome.view or NO_VIEW).locators.get(Own(place))
    return found if isinstance(aim, AriaRef) and found else f"locator({quoted(str(target))})"


def as_target(target: object) -> str:
    """Return what Playwright calls a target as one of rove's: its refs are those of aria snapshots."""
    text = str(target).strip()
    is_ref = isinstance(parse_target(f"aria-ref={text}"), AriaRef) if text else False
    return f"aria-ref={text}" if is_ref else text


def _call(locator: str, method: str, *arguments: str) -> str:
    return f"await page.{locator}.{method}({', '.join(arguments)});"


def _click(given: Arguments, outcome: AnyOutcome) -> list[str]:
    button = {"button": given["button"]} if given.get("button", "left") != "left" else {}
    options = button | ({"modifiers": _written_keys(given["modifiers"])} if given.get("modifiers") else {})
    method = "dblclick" if given.get("doubleClick") else "click"
    return [_call(_locator(outcome, given["target"]), method, *([literal(options)] if options else []))]


def _written_keys(modifiers: list[str]) -> list[str]:
    """Return keys that are held down as tests on all systems name them, in Playwright's order."""
    written = {"ControlOrMeta" if each == "Control" else each for each in modifiers}
    return [each for each in ("Alt", "ControlOrMeta", "Meta", "Shift") if each in written]


def _drag(given: Arguments, outcome: AnyOutcome) -> list[str]:
    start, end = (
        _locator(outcome, given[f"{name}Target"], place) for name, place in (("start", "source"), ("end", "target"))
    )
    return [_call(start, "dragTo", f"page.{end}")]


def _select(given: Arguments, outcome: AnyOutcome) -> list[str]:
    values = given["values"]
    return [
        _call(_locator(outcome, given["target"]), "selectOption", literal(values[0] if len(values) == 1 else values))
    ]


def _type(given: Arguments, outcome: AnyOutcome) -> list[str]:
    locator = _locator(outcome, given["target"])
    lines = [_call(locator, "pressSequentially" if given.get("slowly") else "fill", quoted(given.get("text", "")))]
    return [*lines, _call(locator, "press", "'Enter'")] if given.get("submit") else lines


def _fill_form(given: Arguments, outcome: AnyOutcome) -> list[str]:
    return [
        _fill(_locator(outcome, field["target"], f"fields.{number}.target"), field)
        for number, field in enumerate(given["fields"])
    ]


def _fill(locator: str, field: Arguments) -> str:
    if field["type"] in ("checkbox", "radio"):
        return _call(locator, "check" if field["value"] == "true" else "uncheck")
    return _call(locator, "selectOption" if field["type"] == "combobox" else "fill", quoted(field["value"]))


def _evaluate(given: Arguments, outcome: AnyOutcome) -> list[str]:
    code = given["function"]
    if not _FUNCTION.match(code):
        code = f"() => ({code})"
    place = f"{_locator(outcome, given['target'])}." if given.get("target") else ""
    return [f"await page.{place}evaluate({quoted(code)});"]


def _wait(given: Arguments, outcome: AnyOutcome) -> list[str]:
    lines: list[str] = []
    if seconds := given.get("time"):
        lines.append(f"await new Promise(f => setTimeout(f, {literal(min(seconds, 30))} * 1000));")
    for name, state in (("textGone", "hidden"), ("text", "visible")):
        if given.get(name):
            text = json.dumps(given[name], ensure_ascii=False)
            lines.append(f"await page.getByText({text}).first().waitFor({{ state: '{state}' }});")
    return lines


def _screenshot(given: Arguments, outcome: AnyOutcome) -> list[str]:
    path = shown_path(outcome.result.path)
    kind = image_kind(given)
    options: dict[str, Any] = {"type": kind, "scale": given.get("scale", "css"), "path": path}
    options |= {"quality": 90} if kind == "jpeg" else {}
    options |= {"fullPage": given["fullPage"]} if "fullPage" in given else {}
    place = f"{_locator(outcome, given['target'])}." if given.get("target") else ""
    return [
        f"// Screenshot {pictured(given)} and save it as {path}",
        *f"await page.{place}screenshot({literal(options)});".split("\n"),
    ]


def image_kind(given: Arguments) -> str:
    """Return the format of a screenshot: the one that was asked for, or that the file's name tells."""
    ending = str(given.get("filename", "")).rpartition(".")[2].lower()
    named = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(ending, "png")
    return str(given.get("type") or named)


def pictured(given: Arguments) -> str:
    """Say what a screenshot shows."""
    if given.get("target"):
        return str(given.get("element") or "element")
    return "full page" if given.get("fullPage") else "viewport"


def _upload(given: Arguments, outcome: AnyOutcome) -> list[str]:
    paths = given.get("paths")
    return [
        f"await fileChooser.setFiles({json.dumps(paths, separators=(',', ':')) if paths is not None else 'undefined'})"
    ]


def _drop(given: Arguments, outcome: AnyOutcome) -> list[str]:
    paths = given.get("paths") or []
    payload = {"files": paths[0] if len(paths) == 1 else paths} if paths else {}
    payload |= {"data": given["data"]} if given.get("data") else {}
    return [_call(_locator(outcome, given["target"]), "drop", literal(payload))]


def _emulate(given: Arguments, outcome: AnyOutcome) -> list[str]:
    if not given:
        raise InvalidArguments("Specify at least one media feature to emulate.")
    return [f"await page.emulateMedia({literal({**given}, is_one_line=True)});"]


def _goto(given: Arguments, outcome: AnyOutcome) -> list[str]:
    return [f"await page.goto({quoted(given['url'])});"] if given.get("url") else []


Code = Callable[[Arguments, AnyOutcome], list[str]]
CODE: dict[str, Code] = {
    "browser_close": lambda given, outcome: ["await page.close()"],
    "browser_resize": lambda given, outcome: [
        f"await page.setViewportSize({{ width: {literal(given['width'])}, height: {literal(given['height'])} }});"
    ],
    "browser_emulate_media": _emulate,
    "browser_evaluate": _evaluate,
    "browser_file_upload": _upload,
    "browser_drop": _drop,
    "browser_fill_form": _fill_form,
    "browser_press_key": lambda given, outcome: [
        f"// Press {given['key']}",
        f"await page.keyboard.press({quoted(given['key'])});",
    ],
    "browser_type": _type,
    "browser_navigate": _goto,
    "browser_navigate_back": lambda given, outcome: ["await page.goBack();"],
    "browser_take_screenshot": _screenshot,
    "browser_click": _click,
    "browser_drag": _drag,
    "browser_hover": lambda given, outcome: [_call(_locator(outcome, given["target"]), "hover")],
    "browser_select_option": _select,
    "browser_tabs": lambda given, outcome: _goto(given, outcome) if given["action"] == "new" else [],
    "browser_wait_for": _wait,
}


def code_of(request: ToolRequest, outcome: AnyOutcome) -> list[str]:
    """Return the lines of JavaScript for a call."""
    write, given = CODE.get(request.tool), dict(request.arguments)
    if given.get("paths"):
        given["paths"] = [str(request.settings.workspace_folder / path) for path in given["paths"]]
    return [line for text in write(given, outcome) for line in text.split("\n")] if write else []


@conversion("playwright_target")
def target(value: object) -> str:
    """Return a target: a ref of an aria snapshot, a selector or a locator."""
    return as_target(value)


@conversion("playwright_fields")
def fields(value: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the fields of a form: a checkbox has a state, all others a text."""
    for each in value:
        if not {"target", "type", "value"} <= {*each}:
            raise ValueError("each field needs a target, a name, a type and a value")
    return [{"target": as_target(each["target"]), "value": _value(each)} for each in value]


def _value(field: dict[str, Any]) -> object:
    return field["value"] == "true" if field["type"] in ("checkbox", "radio") else field["value"]


@conversion("playwright_texts")
def texts(value: dict[str, str]) -> list[dict[str, str]]:
    """Return the texts of a drop, of which each has a MIME type."""
    return [{"type": kind, "text": text} for kind, text in value.items()]


@conversion("playwright_count")
def count(is_double: object) -> int:
    return 2 if is_double else 1


@conversion("playwright_modifiers")
def modifiers(value: list[str]) -> list[str]:
    return ["Control" if each == "ControlOrMeta" else each for each in value]


@conversion("playwright_not")
def negated(value: object) -> bool:
    return not value


@conversion("playwright_view")
def view(*values: object) -> str:
    """Return which view an answer has: with a snapshot if one of the values says so."""
    return "aria" if any(value is True or value == "Enter" for value in values) else "page"


@conversion("playwright_full_page")
def full_page(value: object, element: object) -> bool:
    if value and element:
        raise ValueError("fullPage cannot be used with element screenshots")
    return bool(value)


@conversion("playwright_image")
def image(kind: object, filename: object) -> str:
    return image_kind({"type": kind, "filename": filename or ""})


@conversion("playwright_path")
def path(filename: object, kind: object, element: object, scale: object) -> str:
    """Return the file that a screenshot is saved to. Every call has a scale, so that each is saved."""
    if filename:
        name = str(filename)
        return name if "/" in name else f"./{name}"
    stamp = moment(time.time()).removesuffix("+00:00").replace(":", "-").replace(".", "-")
    return f"{FOLDER}/{'element' if element else 'page'}-{stamp}Z.{kind or 'png'}"


@conversion("playwright_output")
def output(filename: object) -> str:
    """Return the path of the file, below the output folder, that text of pages is saved to."""
    name = str(filename)
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0].startswith("/") or ".." in parts:
        raise ValueError(f"must be a name below {FOLDER}/, not {name!r}")
    return "/".join((FOLDER, *(parts[1:] if parts[0] == FOLDER else parts)))


@conversion("playwright_characters")
def characters(filename: object) -> int:
    """Return how long a list or a body may be that goes to a file instead of the answer."""
    return MOST_CHARACTERS


@conversion("playwright_seconds")
def seconds(value: float) -> float:
    return min(float(value), LONGEST_WAIT)


@conversion("playwright_motion")
def motion(value: object) -> bool | None:
    return None if value is NULL else value == "reduce"


@conversion("playwright_cleared")
def cleared(*values: object) -> list[str]:
    """Return the media features that a call ends with null; they come in the order of `FEATURES`."""
    return [feature for feature, value in zip(FEATURES, values, strict=True) if value is NULL]


@conversion("playwright_whole")
def whole(value: float) -> int:
    return round(value)


@conversion("playwright_body")
def body(part: object) -> bool:
    return str(part).endswith("body")


@conversion("playwright_code")
def code(value: object, filename: object = None) -> str:
    raise ValueError(NOT_RUN)


@conversion("playwright_view_of_address")
def view_of_address(url: object) -> str:
    return "aria" if url else "page"
