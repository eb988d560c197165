"""The user flows of the Recorder in Chrome's developer tools: JSON, out and in.

Its selectors are lists of alternatives, each a list of parts, one for every shadow tree on the way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.patterns import pattern
from rove.recorded_steps import RecordedStep, Recording, escaped, readable_target, split
from rove.recordings.export import CLOSE, SWITCH, Exported, first_tab, named_tab, operation_of, texts_in
from rove.target import Locator, Point, RoleAndName, parse_target, secret_named

Flow = dict[str, Any]
VIEWPORT = {
    "width": 1280,
    "height": 720,
    "deviceScaleFactor": 1,
    "isMobile": False,
    "hasTouch": False,
    "isLandscape": True,
}
_BUTTONS = {"left": "primary", "middle": "auxiliary", "right": "secondary"}
_ARIA = pattern(r'aria/(?P<name>.*?)(?:\[role="(?P<role>[a-z]+)"\])?')
_TEXT = r'(?P<text>"(?:[^"\\]|\\.)*")'
_EXPRESSIONS = (
    (pattern(rf"document\.body\.innerText\.includes\({_TEXT}\)"), "text"),
    (pattern(rf"!document\.body\.innerText\.includes\({_TEXT}\)"), "gone"),
    (pattern(rf"new RegExp\({_TEXT}\)\.test\(location\.href\)"), "url"),
)
_MODIFIERS = {"Alt", "Control", "Meta", "Shift"}


def to_recorder(recording: Recording) -> Exported:
    """Return the flow that the Recorder imports. It has no parameters, so each has its value."""
    writer = _Writer(recording)
    steps = [{"type": "setViewport", **VIEWPORT}, *writer.steps()]
    flow = {"title": recording.name, "steps": steps}
    return Exported(
        (json.dumps(flow, ensure_ascii=False, indent=2) + "\n").encode(), f"{recording.name}.json", tuple(writer.notes)
    )


class _Writer:
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._first = first_tab(recording)
        # The address of the page in each tab, which is how the Recorder names another page than the first.
        self._pages: dict[str, str] = {}
        self.notes: list[str] = []

    def steps(self) -> Iterator[Flow]:
        for number, step in enumerate(self._recording.steps, 1):
            is_back = operation_of(step) == SWITCH and named_tab(step) in self._pages
            if is_back and operation_of(self._recording.steps[number - 2]) != CLOSE:
                self.notes.append(
                    f"Step {number} goes back to a page behind another: no step of a flow shows it again."
                )
            self._pages[step.tab] = step.url or self._pages.get(step.tab, "")
            made = list(self._step(step))
            if not made and operation_of(step) != SWITCH:
                self.notes.append(f"Step {number}, {step.action}, has no equivalent in the Recorder.")
            if any(secret_named(text) for text in texts_in(step.arguments)):
                self.notes.append(f"Step {number} types the name of a secret, as the Recorder has none: put it in.")
            target = self._pages.get(step.tab, "") if step.tab not in ("", self._first) else ""
            yield from ({**each, "target": target} if target and "target" in each else each for each in made)

    def _text(self, text: Any) -> str:
        """Return a text with the values of its parameters; one that must be given keeps its name in braces."""
        values = self._recording.parameters
        parts = split(str(text))
        return "".join((values.get(each[0]) or f"{{{each[0]}}}") if isinstance(each, tuple) else each for each in parts)

    def _step(self, step: RecordedStep) -> Iterator[Flow]:
        given = step.arguments
        match step.action:
            case "navigate":
                url = self._text(given["url"])
                yield {"type": "navigate", "url": url, "assertedEvents": [{"type": "navigation", "url": url}]}
            case "click":
                yield from self._click(step)
            case "hover":
                yield {"type": "hover", **self._on(step)}
            case "fill":
                yield {"type": "change", "value": self._text(given["value"]), **self._on(step)}
            case "select":
                yield {"type": "change", "value": self._text(given["values"][0]), **self._on(step)}
            case "fill_form":
                for number, field in enumerate(given["fields"]):
                    place = self._on(step, f"fields.{number}.target", field["target"])
                    is_tick = isinstance(field["value"], bool)
                    change = {"type": "change", "value": self._text(field["value"]), **place}
                    yield {"type": "click", **place, "offsetX": 1, "offsetY": 1} if is_tick else change
            case "check":
                yield {"type": "click", **self._on(step), "offsetX": 1, "offsetY": 1}
            case "type":
                yield from self._type(step)
            case "press":
                yield from self._keys(str(given["key"]))
            case "scroll" if "target" not in given:
                amount = given.get("amount", 600)
                yield {
                    "type": "scroll",
                    "target": "main",
                    "x": 0,
                    "y": -amount if given.get("direction") == "up" else amount,
                }
            case "evaluate" if "target" not in given:
                yield {"type": "waitForExpression", "expression": f"(({given['expression']}), true)"}
            case "wait" | "expect":
                yield from self._expected(step)
            case "tabs" if operation_of(step) == CLOSE:
                yield from self._closed(str(given.get("tab") or ""))
            case _:
                return

    def _closed(self, tab: str) -> Iterator[Flow]:
        if address := self._pages.get(tab):
            yield {"type": "close", "target": "main" if tab == self._first else address}

    def _click(self, step: RecordedStep) -> Iterator[Flow]:
        given = step.arguments
        if isinstance(parse_target(str(given["target"])), Point) and "target" not in step.elements:
            return
        kind = "doubleClick" if given.get("count") == 2 else "click"
        button = {"button": _BUTTONS[given["button"]]} if given.get("button", "left") != "left" else {}
        hold = {"duration": round(given["hold"] * 1000)} if given.get("hold") else {}
        yield {"type": kind, **self._on(step), "offsetX": 1, "offsetY": 1, **button, **hold}

    def _type(self, step: RecordedStep) -> Iterator[Flow]:
        given = step.arguments
        if "target" in given:
            yield {"type": "change", "value": self._text(given["text"]), **self._on(step)}
        else:
            for character in self._text(given["text"]):
                yield from self._keys(character)
        if given.get("submit"):
            yield from self._keys("Enter")

    def _keys(self, combination: str) -> Iterator[Flow]:
        keys = combination.split("+") if len(combination) > 1 else [combination]
        yield from ({"type": "keyDown", "target": "main", "key": key} for key in keys)
        yield from ({"type": "keyUp", "target": "main", "key": key} for key in reversed(keys))

    def _expected(self, step: RecordedStep) -> Iterator[Flow]:
        given = step.arguments
        if text := given.get("text"):
            found = f"document.body.innerText.includes({json.dumps(self._text(text), ensure_ascii=False)})"
            yield {"type": "waitForExpression", "target": "main", "expression": found}
        if gone := given.get("gone"):
            found = f"!document.body.innerText.includes({json.dumps(self._text(gone), ensure_ascii=False)})"
            yield {"type": "waitForExpression", "target": "main", "expression": found}
        if url := given.get("url"):
            written = re.escape(self._text(url)).replace(r"\*", ".*")
            # A part of the address, or a pattern for all of it.
            written = f"^{written}$" if "*" in url else written
            found = f"new RegExp({json.dumps(written)}).test(location.href)"
            yield {"type": "waitForExpression", "target": "main", "expression": found}
        if target := given.get("target") or given.get("selector"):
            count = {"operator": "==", "count": given["count"]} if given.get("count") is not None else {}
            yield {"type": "waitForElement", **self._on(step, "target", target), **count}

    def _on(self, step: RecordedStep, path: str = "target", target: str | None = None) -> Flow:
        element = step.elements.get(path)
        named = str(step.arguments.get("target", "")) if target is None else target
        selectors = _selectors(element) if element else _target_selectors(named)
        return {"target": "main", "selectors": selectors}


def _selectors(element: ElementDescription) -> list[list[str]]:
    """Return the alternatives by which the Recorder finds an element, in the order in which it tries them."""
    has_role = element.role not in ("", "generic", "none", "clickable")
    found = [[_aria(element.role, element.name)]] if element.name and has_role and element.equals == 1 else []
    found += [[element.selector]] if element.selector else []
    if element.name and element.equals == 1 and element.tag not in ("input", "select", "textarea"):
        found.append([f"text/{element.name}"])
    return found


def _aria(role: str, name: str) -> str:
    return f'aria/{name}[role="{role}"]' if role else f"aria/{name}"


def _target_selectors(target: str) -> list[list[str]]:
    aim = parse_target(target)
    if isinstance(aim, RoleAndName):
        return [[_aria(aim.role, aim.name)]]
    if isinstance(aim, Locator):
        names = [
            str(step["text"]) for step in aim.steps if step["kind"] in ("text", "role", "label") and "text" in step
        ]
        return [[f"aria/{names[-1]}"]] if names else []
    return [[str(aim)]]


def from_recorder(text: str, name: str) -> tuple[Recording, tuple[str, ...]]:
    """Read a flow of the Recorder; return a recording, and notes on what is left out. Raises InvalidArguments."""
    try:
        flow = json.loads(text)
    except ValueError as error:
        raise InvalidArguments(f"The file is not JSON: {error}.", hint="Export it from the Recorder as JSON.") from None
    if not isinstance(flow, dict) or not isinstance(flow.get("steps"), list):
        raise InvalidArguments("The file is no flow of the Recorder: it has no `steps`.")
    reader = _Reader()
    for number, step in enumerate(flow["steps"], 1):
        if not isinstance(step, dict) or not isinstance(step.get("type"), str):
            raise InvalidArguments(f"Step {number} of the flow has no `type`.")
        reader.add(number, step)
    return Recording(name, tuple(reader.steps)), tuple(reader.notes)


class _Reader:
    def __init__(self) -> None:
        self.steps: list[RecordedStep] = []
        self.notes: list[str] = []
        # Keys that are held down, which together with the next one make a combination.
        self._held: list[str] = []

    def add(self, number: int, step: Flow) -> None:
        reader = _READERS.get(step["type"])
        if reader is None:
            self.notes.append(f"Step {number}, {step['type']}, is left out.")
        else:
            reader(self, number, step)

    def _add(self, verb: str, arguments: Flow, element: ElementDescription | None = None) -> None:
        self.steps.append(RecordedStep(verb, arguments, {"target": element} if element else {}))

    def _on(self, verb: str, number: int, step: Flow, **arguments: Any) -> None:
        element = _element(step.get("selectors", []))
        if element is None:
            self.notes.append(f"Step {number}, {step['type']}, is left out: it names no element that rove can find.")
            return
        self._add(verb, {"target": escaped(readable_target(element)), **arguments}, element if element.name else None)

    def navigate(self, number: int, step: Flow) -> None:
        self._add("navigate", {"url": escaped(str(step.get("url", "")))})

    def click(self, number: int, step: Flow) -> None:
        buttons = {name: button for button, name in _BUTTONS.items()}
        button = buttons.get(step.get("button", "primary"), "left")
        count = {"count": 2} if step["type"] == "doubleClick" else {}
        self._on("click", number, step, **({} if button == "left" else {"button": button}), **count)

    def hover(self, number: int, step: Flow) -> None:
        self._on("hover", number, step)

    def change(self, number: int, step: Flow) -> None:
        # A select and a field are changed by the same step; `fill_form` does what each needs.
        element = _element(step.get("selectors", []))
        if element is None:
            self.notes.append(f"Step {number}, change, is left out: it names no element that rove can find.")
            return
        field = {"target": escaped(readable_target(element)), "value": escaped(str(step.get("value", "")))}
        described = {"fields.0.target": element} if element.name else {}
        self.steps.append(RecordedStep("fill_form", {"fields": [field]}, described))

    def key_down(self, number: int, step: Flow) -> None:
        key = str(step.get("key", ""))
        if key in _MODIFIERS:
            self._held.append(key)
            return
        self._add("press", {"key": "+".join([*self._held, "Space" if key == " " else key])})

    def key_up(self, number: int, step: Flow) -> None:
        key = str(step.get("key", ""))
        if key in self._held:
            self._held.remove(key)

    def scroll(self, number: int, step: Flow) -> None:
        if step.get("selectors"):
            self._on("scroll", number, step)
        elif amount := int(step.get("y") or 0):
            self._add("scroll", {"direction": "down" if amount > 0 else "up", "amount": abs(amount)})

    def wait_for_element(self, number: int, step: Flow) -> None:
        element = _element(step.get("selectors", []))
        if element is None:
            self.notes.append(f"Step {number}, waitForElement, is left out: it names no element that rove can find.")
            return
        is_exact = step.get("operator", ">=") == "==" and "count" in step
        count = {"count": int(step["count"])} if is_exact else {"count": 0} if step.get("visible") is False else {}
        self._add("expect", {"target": readable_target(element), **count})

    def wait_for_expression(self, number: int, step: Flow) -> None:
        """Read the expressions that rove itself writes for assertions; others would be scripts that no one has read."""
        expression = str(step.get("expression", ""))
        for form, argument in _EXPRESSIONS:
            if match := form.fullmatch(expression):
                text = str(json.loads(match["text"]))
                read = _pattern_of(text) if argument == "url" else text
                self._add("expect", {argument: escaped(read)})
                return
        self.notes.append(f"Step {number}, waitForExpression, is left out: rove runs no expressions of others.")

    def close(self, number: int, step: Flow) -> None:
        self.notes.append(f"Step {number}, close, is left out: a flow does not say how its page was opened.")

    def skip(self, number: int, step: Flow) -> None:
        """Leave out a step that changes nothing here, such as the size of the window."""


_READERS: Mapping[str, Callable[[_Reader, int, Flow], None]] = {
    "navigate": _Reader.navigate,
    "click": _Reader.click,
    "doubleClick": _Reader.click,
    "hover": _Reader.hover,
    "change": _Reader.change,
    "keyDown": _Reader.key_down,
    "keyUp": _Reader.key_up,
    "scroll": _Reader.scroll,
    "waitForElement": _Reader.wait_for_element,
    "waitForExpression": _Reader.wait_for_expression,
    "setViewport": _Reader.skip,
    "close": _Reader.close,
}


def _pattern_of(expression: str) -> str:
    """Return the part or pattern of a URL that a regular expression of rove's own stands for."""
    inner = expression[1:-1] if expression.startswith("^") and expression.endswith("$") else expression
    return re.sub(r"\\(.)", r"\1", inner.replace(".*", "*"))


def _element(selectors: Any) -> ElementDescription | None:
    """Return what the alternatives of a step say of its element; None if they say nothing that rove knows."""
    role = name = css = text = ""
    for alternative in selectors if isinstance(selectors, list) else []:
        parts = [alternative] if isinstance(alternative, str) else alternative
        last = str(parts[-1]) if parts else ""
        if match := _ARIA.fullmatch(last):
            name, role = name or match["name"], role or match["role"] or ""
        elif last.startswith("text/"):
            text = text or last.removeprefix("text/")
        elif last.startswith("pierce/"):
            css = css or last.removeprefix("pierce/")
        elif last and not last.startswith("xpath/"):
            css = css or last
    if role and name:
        return ElementDescription(role=role, name=name, selector=css)
    if css or name or text:
        # Without a role, a description would fit nothing: the target alone is used, as it is written.
        return ElementDescription(selector=css or f"text={name or text}")
    return None
