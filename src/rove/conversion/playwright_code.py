"""A recording as a test of Playwright, in JavaScript, as its users write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rove.browser.descriptions.description import ElementDescription
from rove.conversion.addresses import variable_of
from rove.conversion.exported import Exported
from rove.recordings.parameters import split, unescaped
from rove.recordings.recording import RecordedStep, Recording
from rove.target import Locator, Point, RoleAndName, parse_target, secret_named
from rove.validation.pattern import pattern

Arguments = Mapping[str, Any]
# Words of JavaScript, and names that the test has.
_TAKEN = frozenset([
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "enum", "eval", "expect", "export", "extends", "false", "finally", "for", "function", "if",
    "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "process",
    "protected", "public", "return", "static", "super", "switch", "test", "this", "throw", "true", "try", "typeof",
    "var", "void", "while", "with", "yield",
])  # fmt: skip
_FUNCTION = pattern(r"\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")

# Calls of Playwright's locators whose arguments are texts, numbers and options. The file of a recording may come from
# others, and what is no locator must not become code.
_ARGUMENTS = r"""\((?:'(?:[^'\\\r\n\u2028\u2029]|\\[^\r\n\u2028\u2029])*'|[\w\s{}:,])*\)"""
_CALL = rf"(?:getBy[A-Z]\w+|locator|frameLocator|contentFrame|filter|first|last|nth){_ARGUMENTS}"
_LOCATOR = pattern(rf"{_CALL}(?:\.{_CALL})*")


def to_playwright(recording: Recording) -> Exported:
    """Return a test for `npx playwright test`; parameters and secrets are variables of the environment."""
    code = TestCode(recording)
    body = [f"  {line}" for line in code.lines()]
    constants = [
        f"const {_js_name(name)} = process.env.{variable_of(recording, name)}{f' ?? {quoted(value)}' if value else ''};"
        for name, value in recording.parameters.items()
    ]
    secrets = [f"const {_secret(name)} = process.env.{_secret(name)};" for name in code.secrets]
    when = f" on {recording.recorded[:10]}" if recording.recorded else ""
    lines = [
        f"// What rove recorded as {recording.name}{when}. Run it: npx playwright test {recording.name}.spec.js",
        "import { test, expect } from '@playwright/test';",
        "",
        *([*constants, *secrets, ""] if constants or secrets else []),
        f"test({quoted(recording.name)}, async ({{ page }}) => {{",
        *body,
        "});",
    ]
    return Exported(("\n".join(lines) + "\n").encode(), f"{recording.name}.spec.js", tuple(code.notes))


def quoted(text: str) -> str:
    """Return a text as a JavaScript string in single quotes."""
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def _in_template(text: str) -> str:
    """Return a text as a template literal has it; a `${` of a page's text must not become code."""
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$").replace("\r", "\\r")


def _js_name(name: str) -> str:
    """Return the name of a parameter as a variable, which must be no word of the language or of the test."""
    return f"{name}_" if name in _TAKEN or name.startswith("page") else name


def _secret(name: str) -> str:
    variable = name.upper().replace("-", "_")
    return f"SECRET_{variable}" if variable[0].isdigit() else variable


class TestCode:
    """Writes the lines of a test, one step after another."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.secrets: dict[str, None] = {}
        self.notes: list[str] = []
        self.page = "page"
        # Pages that a step opens, and that are not awaited yet.
        self._awaited: set[str] = set()
        self._pages = {next((step.tab for step in recording.steps if step.tab), ""): "page"}

    def lines(self) -> list[str]:
        lines: list[str] = []
        for number, step in enumerate(self._recording.steps, 1):
            lines += self._before(number)
            lines += self._step(number, step)
        return lines

    def _before(self, number: int) -> Iterator[str]:
        """Yield what must be there before a step: the answer to a dialog, or the wait for a tab, that it leads to."""
        following = self._recording.steps[number : number + 1]
        for after in following:
            if after.action == "dialog":
                answer = f"accept({self.text(after.arguments['text'])})" if after.arguments.get("text") else "accept()"
                is_accepted = after.arguments.get("accept", True)
                yield f"{self.page}.once('dialog', dialog => dialog.{answer if is_accepted else 'dismiss()'});"
            if self._is_switch(after) and after.arguments["tab"] not in self._pages:
                name = f"page{len(self._pages) + 1}"
                self._pages[after.arguments["tab"]] = name
                self._awaited.add(name)
                yield f"const {name}Promise = {self.page}.context().waitForEvent('page');"

    def _is_switch(self, step: RecordedStep) -> bool:
        return step.action == "tabs" and step.arguments.get("operation") == "switch" and "tab" in step.arguments

    def _step(self, number: int, step: RecordedStep) -> list[str]:
        writer = _WRITERS.get(step.action)
        if writer is None:
            self.notes.append(f"Step {number}, {step.action}, has no equivalent in Playwright's tests.")
            # In ASCII, as there are more characters than those of a line break that end a comment of JavaScript.
            return [f"// Not done here: {step.action} {json.dumps(step.arguments)}"]
        return writer(self, step)

    # Texts and elements

    def text(self, text: str) -> str:
        """Return a text as code: a string, the name of a parameter or a secret, or a template of both."""
        if name := secret_named(text):
            self.secrets[name] = None
            return _secret(name)
        parts = split(text)
        if len(parts) == 1 and isinstance(parts[0], tuple):
            return _js_name(parts[0][0])
        if not any(isinstance(part, tuple) for part in parts):
            return quoted("".join(str(part) for part in parts))
        inner = "".join(
            f"${{{_js_name(part[0])}}}" if isinstance(part, tuple) else _in_template(part) for part in parts
        )
        return f"`{inner}`"

    def locator(self, step: RecordedStep, path: str, target: str) -> str:
        described = step.elements.get(path)
        return f"{self.page}.{_locator_of(described) if described else _target_locator(unescaped(target))}"

    def on(self, step: RecordedStep, method: str, *arguments: str, path: str = "target") -> str:
        target = str(step.arguments.get("target", "")) if path == "target" else path
        return f"await {self.locator(step, path, target)}.{method}({', '.join(arguments)});"

    # Actions

    def navigate(self, step: RecordedStep) -> list[str]:
        return [f"await {self.page}.goto({self.text(step.arguments['url'])});"]

    def click(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        point = parse_target(str(given["target"]))
        options = {
            **({"button": given["button"]} if given.get("button", "left") != "left" else {}),
            **({"modifiers": given["modifiers"]} if given.get("modifiers") else {}),
            **({"delay": round(given["hold"] * 1000)} if given.get("hold") else {}),
        }
        told = [json.dumps(options)] if options else []
        if isinstance(point, Point) and "target" not in step.elements:
            return [f"await {self.page}.mouse.click({', '.join([f'{point.x:g}, {point.y:g}', *told])});"]
        count = given.get("count", 1)
        if count == 2:
            return [self.on(step, "dblclick", *told)]
        if count > 2:
            told = [json.dumps({**options, "clickCount": count})]
        return [self.on(step, "click", *told)]

    def fill_form(self, step: RecordedStep) -> list[str]:
        lines: list[str] = []
        for number, given in enumerate(step.arguments["fields"]):
            path = f"fields.{number}.target"
            locator = self.locator(step, path, str(given["target"]))
            lines.append(f"await {locator}.{self.entered(step.elements.get(path), given['value'])};")
        return lines

    def entered(self, element: ElementDescription | None, value: Any) -> str:
        checked = {True: True, False: False, "true": True, "false": False}.get(value)
        if isinstance(value, bool) or (element and element.role in ("checkbox", "radio", "switch")):
            return "check()" if checked else "uncheck()"
        is_list = element is not None and element.role in ("combobox", "listbox")
        is_select = element is not None and (element.tag == "select" or (is_list and not element.tag))
        return f"{'selectOption' if is_select else 'fill'}({self.text(str(value))})"

    def type(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        text = self.text(given["text"])
        if "target" not in given:
            typed = f"await {self.page}.keyboard.type({text});"
            enter = f"await {self.page}.keyboard.press('Enter');"
        else:
            typed = self.on(step, "fill" if given.get("replace") else "pressSequentially", text)
            enter = self.on(step, "press", "'Enter'")
        return [typed, enter] if given.get("submit") else [typed]

    def press(self, step: RecordedStep) -> list[str]:
        key = self.text(step.arguments["key"])
        if "target" in step.arguments:
            return [self.on(step, "press", key)]
        return [f"await {self.page}.keyboard.press({key});"]

    def select(self, step: RecordedStep) -> list[str]:
        values = [self.text(value) for value in step.arguments["values"]]
        return [self.on(step, "selectOption", values[0] if len(values) == 1 else f"[{', '.join(values)}]")]

    def check(self, step: RecordedStep) -> list[str]:
        return [self.on(step, "check" if step.arguments.get("checked", True) else "uncheck")]

    def drag(self, step: RecordedStep) -> list[str]:
        source = self.locator(step, "source", str(step.arguments["source"]))
        return [f"await {source}.dragTo({self.locator(step, 'target', str(step.arguments['target']))});"]

    def scroll(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        if "target" in given and "direction" not in given:
            return [self.on(step, "scrollIntoViewIfNeeded")]
        amount = given.get("amount", 600)
        x, y = {"up": (0, -amount), "left": (-amount, 0), "right": (amount, 0)}.get(
            given.get("direction", ""), (0, amount)
        )
        hover = [self.on(step, "hover")] if "target" in given else []
        return [*hover, f"await {self.page}.mouse.wheel({x}, {y});"]

    def upload(self, step: RecordedStep) -> list[str]:
        paths = [self.text(path) for path in step.arguments.get("paths", [])]
        if "target" not in step.arguments:
            return [f"await {self.page}.locator('input[type=file]').setInputFiles([{', '.join(paths)}]);"]
        return [self.on(step, "setInputFiles", f"[{', '.join(paths)}]")]

    def evaluate(self, step: RecordedStep) -> list[str]:
        # As a text, which only the page runs: pasted, what follows a comma would be run by Node.
        expression = unescaped(step.arguments["expression"])
        call = f"({expression}\n)" if _FUNCTION.match(expression) else f"(() => ({expression}\n))"
        if "target" in step.arguments:
            return [self.on(step, "evaluate", f"new Function('element', {quoted(f'return {call}(element)')})")]
        return [f"await {self.page}.evaluate({quoted(f'{call}()')});"]

    def wait(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        lines: list[str] = []
        if text := given.get("text"):
            lines.append(f"await {self.page}.getByText({self.text(text)}).first().waitFor();")
        if gone := given.get("gone"):
            lines.append(f"await expect({self.page}.getByText({self.text(gone)})).toHaveCount(0);")
        if selector := given.get("selector"):
            lines.append(f"await {self.page}.locator({self.text(selector)}).first().waitFor();")
        if url := given.get("url"):
            lines.append(f"await {self.page}.waitForURL({self.url(url)});")
        if load := given.get("load"):
            lines.append(f"await {self.page}.waitForLoadState({quoted(load.lower())});")
        if not lines and "seconds" in given:
            lines.append(f"await {self.page}.waitForTimeout({round(given['seconds'] * 1000)});")
        return lines

    def url(self, url: str) -> str:
        """Return a part of a URL, or a pattern with *, as a regular expression or a function."""
        return f"url => url.href.includes({self.text(url)})" if "*" not in url else self.text(url)

    def expect(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        lines: list[str] = []
        if url := given.get("url"):
            lines.append(f"await {self.page}.waitForURL({self.url(url)});")
        if text := given.get("text"):
            lines.append(f"await expect({self.page}.getByText({self.text(text)}).first()).toBeVisible();")
        if gone := given.get("gone"):
            lines.append(f"await expect({self.page}.getByText({self.text(gone)})).toHaveCount(0);")
        if target := given.get("target"):
            locator = self.locator(step, "target", target)
            count = given.get("count")
            expected = f"{locator}.first()).toBeVisible()" if count is None else f"{locator}).toHaveCount({count})"
            lines.append(f"await expect({expected};")
        return lines

    def tabs(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        operation, tab = given.get("operation", "list"), given.get("tab", "")
        if operation == "new":
            self._pages[step.tab] = self.page = f"page{len(self._pages) + 1}"
            goto = [f"await {self.page}.goto({self.text(given['url'])});"] if given.get("url") else []
            return [f"const {self.page} = await page.context().newPage();", *goto]
        if operation == "close":
            closed, self.page = self._pages.get(tab, self.page), "page"
            return [f"await {closed}.close();"]
        if operation == "switch" and tab in self._pages:
            self.page = self._pages[tab]
            made = [f"const {self.page} = await {self.page}Promise;"] if self.page in self._awaited else []
            self._awaited.discard(self.page)
            return [*made, f"await {self.page}.bringToFront();"]
        return []


def _simple(method: str) -> Callable[[TestCode, RecordedStep], list[str]]:
    return lambda code, step: [f"await {code.page}.{method}();"]


_WRITERS: Mapping[str, Callable[[TestCode, RecordedStep], list[str]]] = {
    "navigate": TestCode.navigate,
    "back": _simple("goBack"),
    "forward": _simple("goForward"),
    "reload": _simple("reload"),
    "click": TestCode.click,
    "hover": lambda code, step: [code.on(step, "hover")],
    "fill": lambda code, step: [code.on(step, "fill", code.text(step.arguments["value"]))],
    "fill_form": TestCode.fill_form,
    "type": TestCode.type,
    "press": TestCode.press,
    "select": TestCode.select,
    "check": TestCode.check,
    "drag": TestCode.drag,
    "scroll": TestCode.scroll,
    "upload": TestCode.upload,
    "evaluate": TestCode.evaluate,
    "wait": TestCode.wait,
    "expect": TestCode.expect,
    "tabs": TestCode.tabs,
    "dialog": lambda code, step: [],
}


def _locator_of(element: ElementDescription) -> str:
    """Return the locator of an element: the one that was checked in the page, else by role and name, else by CSS."""
    if _LOCATOR.fullmatch(element.locator):
        return element.locator
    inner = f"locator({quoted(element.selector)})"
    if element.name and element.role not in ("generic", "none", "clickable"):
        inner = f"getByRole({quoted(element.role)}, {{ name: {quoted(element.name)}, exact: true }})"
        inner += f".nth({element.place - 1})" if element.equals > 1 else ""
    return "".join(f"locator({quoted(frame)}).contentFrame()." for frame in element.frames) + inner


def _target_locator(target: str) -> str:
    """Return the locator of a target that was not described: a role and name, a locator, or a CSS selector."""
    aim = parse_target(target)
    if isinstance(aim, RoleAndName):
        return f"getByRole({quoted(aim.role)}, {{ name: {quoted(aim.name)}, exact: true }})"
    if isinstance(aim, Locator) and "(" in aim.text:
        return aim.text.removeprefix("page.")
    return f"locator({quoted(str(aim))})"
