"""A recording as a test of Playwright, in JavaScript, as its users write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rove.browser.element import ElementDescription
from rove.patterns import pattern
from rove.recorded_steps import RecordedStep, Recording, split, unescaped
from rove.recordings.export import SWITCH, Exported, TabVariables, named_tab, operation_of, variable_of
from rove.target import Locator, Point, RoleAndName, parse_target, secret_named

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


# Steps that may open a page, which is waited for before they are done.
_OPENING = frozenset(["click", "press", "type", "evaluate", "check", "select", "fill", "fill_form"])
_MATCHES = """// Whether an address is like a pattern in which * stands for anything.
const matches = (url, pattern) => new RegExp(
  `^${pattern.split('*').map(part => part.replace(/[.+?^${}()|[\\]\\\\]/g, '\\\\$&')).join('.*')}$`).test(url.href);"""


def to_playwright(recording: Recording) -> Exported:
    """Return a test for `npx playwright test`; parameters and secrets are variables of the environment."""
    code = TestCode(recording)
    body = [f"  {line}" for line in code.lines()]
    constants = [*code.names.constants()]
    when = f" on {recording.recorded[:10]}" if recording.recorded else ""
    lines = [
        f"// What rove recorded as {recording.name}{when}. Run it: npx playwright test {recording.name}.spec.js",
        "import { test, expect } from '@playwright/test';",
        "",
        *([*constants, ""] if constants else []),
        *([_MATCHES, ""] if code.has_patterns else []),
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


class TestNames:
    """The constants of a test: its parameters, and the secrets that it types, each with a name of its own."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._taken = {*_TAKEN}
        self._variables = {variable_of(recording, name) for name in recording.parameters}
        self._parameters = {name: self._free(name) for name in recording.parameters}
        self._secrets: dict[str, str] = {}

    def parameter(self, name: str) -> str:
        return self._parameters[name]

    def secret(self, name: str) -> str:
        """Return the constant of a secret, which is also its variable of the environment."""
        if name not in self._secrets:
            variable = name.upper().replace("-", "_")
            is_taken = variable[0].isdigit() or variable in self._taken | self._variables
            self._secrets[name] = self._free(f"SECRET_{variable}" if is_taken else variable)
        return self._secrets[name]

    def _free(self, name: str) -> str:
        """Return a name that is no word of the language or of the test, and that no other constant has."""
        while name in self._taken or name.startswith("page"):
            name = f"_{name}" if name.startswith("page") else f"{name}_"
        self._taken.add(name)
        return name

    def constants(self) -> Iterator[str]:
        for name, value in self._recording.parameters.items():
            usual = f" ?? {quoted(value)}" if value is not None else ""
            yield f"const {self._parameters[name]} = process.env.{variable_of(self._recording, name)}{usual};"
        for variable in self._secrets.values():
            yield f"const {variable} = process.env.{variable};"


class TestCode:
    """Writes the lines of a test, one step after another."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.names = TestNames(recording)
        self.notes: list[str] = []
        self.page = "page"
        self.has_patterns = False
        # Pages that a step opens, and that are not awaited yet.
        self._awaited: set[str] = set()
        self._pages = TabVariables(recording, "page", "page")
        self._closed = 0

    def lines(self) -> list[str]:
        lines: list[str] = []
        for number, step in enumerate(self._recording.steps, 1):
            if step.action != "tabs" and step.tab in self._pages:
                self.page = self._pages[step.tab]
            lines += self._before(number)
            lines += self._step(number, step)
        return lines

    def _before(self, number: int) -> Iterator[str]:
        """Yield what must be there before a step: the answer to a dialog, or the wait for a tab, that it leads to."""
        for after in self._recording.steps[number : number + 1]:
            if after.action == "dialog":
                answer = f"accept({self.text(after.arguments['text'])})" if after.arguments.get("text") else "accept()"
                is_accepted = after.arguments.get("accept", True)
                yield f"{self.page}.once('dialog', dialog => dialog.{answer if is_accepted else 'dismiss()'});"
            is_opening = self._recording.steps[number - 1].action in _OPENING
            if operation_of(after) == SWITCH and named_tab(after) not in self._pages and is_opening:
                name = self._pages.add(named_tab(after))
                self._awaited.add(name)
                yield f"const {name}Promise = {self.page}.context().waitForEvent('page');"

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
            return self.names.secret(name)
        parts = split(text)
        if len(parts) == 1 and isinstance(parts[0], tuple):
            return self.names.parameter(parts[0][0])
        if not any(isinstance(part, tuple) for part in parts):
            return quoted("".join(str(part) for part in parts))
        inner = "".join(
            f"${{{self.names.parameter(part[0])}}}" if isinstance(part, tuple) else _in_template(part) for part in parts
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
            lines.append(f"await {self.shown(text)}.first().waitFor();")
        if gone := given.get("gone"):
            lines.append(f"await expect({self.shown(gone)}).toHaveCount(0);")
        if selector := given.get("selector"):
            lines.append(f"await {self.page}.locator({self.text(selector)}).first().waitFor();")
        if url := given.get("url"):
            lines.append(f"await {self.page}.waitForURL({self.url(url)});")
        if load := given.get("load"):
            lines.append(f"await {self.page}.waitForLoadState({quoted(load.lower())});")
        if not lines and "seconds" in given:
            lines.append(f"await {self.page}.waitForTimeout({round(given['seconds'] * 1000)});")
        return lines

    def shown(self, text: str) -> str:
        """Return the locator of a text that the page shows; what is hidden has no part in it."""
        return f"{self.page}.getByText({self.text(text)}).filter({{ visible: true }})"

    def url(self, url: str) -> str:
        """Return a part of a URL, or a pattern with *, as a function. Playwright's own * ends at a slash."""
        if "*" not in url:
            return f"url => url.href.includes({self.text(url)})"
        self.has_patterns = True
        return f"url => matches(url, {self.text(url)})"

    def expect(self, step: RecordedStep) -> list[str]:
        given = step.arguments
        lines: list[str] = []
        if url := given.get("url"):
            lines.append(f"await {self.page}.waitForURL({self.url(url)});")
        if text := given.get("text"):
            lines.append(f"await expect({self.shown(text)}.first()).toBeVisible();")
        if gone := given.get("gone"):
            lines.append(f"await expect({self.shown(gone)}).toHaveCount(0);")
        if target := given.get("target"):
            locator = self.locator(step, "target", target)
            count = given.get("count")
            expected = f"{locator}.first()).toBeVisible()" if count is None else f"{locator}).toHaveCount({count})"
            lines.append(f"await expect({expected};")
        return lines

    def tabs(self, step: RecordedStep) -> list[str]:
        match operation_of(step):
            case "new":
                return self._new_page(step)
            case "close":
                closed = self._pages.get(named_tab(step), self.page)
                self._closed += 1
                return [f"await {closed}.close();"]
            case "switch":
                return self._switch(named_tab(step))
            case _:
                return []

    def _new_page(self, step: RecordedStep) -> list[str]:
        self.page = self._pages.add(step.tab)
        goto = [f"await {self.page}.goto({self.text(step.arguments['url'])});"] if step.arguments.get("url") else []
        return [f"const {self.page} = await page.context().newPage();", *goto]

    def _switch(self, tab: str) -> list[str]:
        made: list[str] = []
        if tab not in self._pages:
            # It was opened by an earlier step than the one before.
            count = len(self._pages) + 1 - self._closed
            made = [f"await expect.poll(() => page.context().pages().length).toBe({count});"]
            made.append(f"const {self._pages.add(tab)} = page.context().pages().at(-1);")
        self.page = self._pages[tab]
        if self.page in self._awaited:
            made.append(f"const {self.page} = await {self.page}Promise;")
            self._awaited.discard(self.page)
        return [*made, f"await {self.page}.bringToFront();"]


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
