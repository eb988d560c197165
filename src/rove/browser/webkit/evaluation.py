"""Running JavaScript: commands of a page to its driver, and the caller's code."""

from __future__ import annotations

import json
from typing import Any, Protocol

from rove.browser.scripts import PAGE_WORLD_EVENT, page_world_script
from rove.browser.shared.evaluation import MAX_RESULT_BYTES, is_function
from rove.browser.shared.frames import Quote
from rove.browser.webkit.connection import DocumentGone, Place, ScriptThrew, WebDriverError
from rove.errors import ScriptFailed

# Longer than any function of rove's script takes: each has a limit of its own.
SCRIPT_SECONDS = 60.0
# What a call finds in a document in which rove's script is not installed.
MISSING = "missing"
FIND = f"""const box = {{}};
performance.dispatchEvent(new CustomEvent("{PAGE_WORLD_EVENT}", {{ detail: box }}));
const rove = box.rove;"""

# More than a model can read.
# The end of an expression that began on a line of its own.
_END = "\n)"
# As JSON has it: dates as text, functions left out; besides, maps and sets as lists.
_ANSWER = """(before, work, awaits) => {
const describe = (value) => Object.prototype.toString.call(value).slice(8, -1);
const plain = (value, around) => {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return value;
  if (around.includes(value)) throw new TypeError("it contains itself");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  const inner = [...around, value];
  if (value instanceof Map || value instanceof Set) return plain([...value], inner);
  if (Array.isArray(value)) return value.map((item) => plain(item, inner) ?? null);
  if (value instanceof Node || value === window) return {};
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item, inner)]));
};
const told = (value) => {
  if (value === undefined) return { kind: "undefined" };
  if (typeof value === "function" || typeof value === "symbol") return { kind: "text", value: String(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { kind: "text", value: String(value) };
  if (Object.is(value, -0)) return { kind: "text", value: "-0" };
  try {
    return { kind: "value", value: plain(value, []) };
  } catch (error) {
    return { kind: "unserializable", value: error.message };
  }
};
const thrown = (error) => {
  if (error instanceof Error) {
    return { kind: "thrown", value: `${error.name}: ${error.message}`, line: (error.line ?? 0) - before };
  }
  const shown = told(error);
  const text = typeof shown.value === "string" ? shown.value : JSON.stringify(shown.value);
  return { kind: "thrown", value: text, line: 0 };
};
return (async () => {
  try {
    let value = work();
    if (awaits) value = await value;
    return JSON.stringify(value instanceof Promise ? { kind: "value", value: {} } : told(value));
  } catch (error) {
    return JSON.stringify(thrown(error));
  }
})();
}"""


class PageCommands(Protocol):
    """The page that frames belong to."""

    async def send_to(self, place: Place, method: str, path: str, body: Any = None, timeout: float = 20.0, /) -> Any:
        """Send a command to a window or frame. A dialog is noted, and waited for, before the command is repeated."""
        ...

    async def wait_for_dialog_end(self) -> bool:
        """Note the dialog that is open, and wait until it is closed; False if there is none."""
        ...

    async def enter_document(self, state: dict[str, Any], /) -> None:
        """Note that the main frame shows another document."""

    def note_frame(self, frame: str, parent: str, url: str, source: str = "", /) -> None:
        """Note that a frame shows another document; `source`: where its words are from if `url` says nothing."""

    @property
    def document_statements(self) -> str:
        """The statements to run in a document in which rove's script was just installed."""
        ...

    def next_call(self) -> int:
        """Return a number that no other call has."""
        ...


async def execute(page: PageCommands, place: Place, script: str, *arguments: Any) -> Any:
    """Run the body of a function in a frame, and return what it returns."""
    body = {"script": script, "args": [*arguments]}
    return await page.send_to(place, "POST", "/execute/sync", body, SCRIPT_SECONDS)


async def install(page: PageCommands, place: Place) -> dict[str, Any]:
    """Install rove's script in the document of a frame; return what is known of the document."""
    state = "return JSON.stringify(rove.documentState());"
    script = f"{page_world_script()}\n{FIND}\nif (!rove) return false;\n{page.document_statements}\n{state}"
    for _ in range(3):
        answer = await execute(page, place, script)
        if isinstance(answer, str):
            found: dict[str, Any] = json.loads(answer)
            return found
        if answer is False:
            raise DocumentGone("no such document", "it runs no scripts")
        await page.wait_for_dialog_end()
    raise DocumentGone("no such document", "rove's script could not be installed")


async def run_call(page: PageCommands, place: Place, function: str, call: int, first: int, rest: list[Any]) -> Any:
    """Call a function of rove's script; return its answer, or MISSING where the script is not installed.

    A dialog that opens during the call takes its answer, which is then asked for again by the number of the call.
    """
    running = f"rove.runCall(arguments[0], arguments[1], {function}, arguments[2])"
    script = f"{FIND}\nif (!rove) return '{MISSING}';\nreturn {running};"
    for _ in range(50):
        answer = await execute(page, place, script, call, first, rest)
        if answer == MISSING:
            return MISSING
        if isinstance(answer, str):
            return json.loads(answer)
        await page.wait_for_dialog_end()
    raise WebDriverError("unknown error", "the page opens one dialog after another")


async def evaluate(page: PageCommands, place: Place, expression: str, quote: Quote, await_promise: bool = True) -> Any:
    """Run an expression, or statements, and return the value; a function is called."""
    code = expression.rstrip().removesuffix(";")
    called = f"({code})()" if is_function(expression) else None
    forms = [f"() => (\n{called}{_END}"] if called else []
    forms += [f"async () => (\n{code}{_END}" if "await" in code else f"() => (\n{code}{_END}"]
    forms += [f"() => (0, eval)({json.dumps(expression)})", f"async () => {{\n{expression}\n}}"]
    return await _first_that_compiles(page, place, forms, (), quote, await_promise)


async def evaluate_with(
    page: PageCommands, place: Place, expression: str, element: dict[str, str], quote: Quote, await_promise: bool
) -> Any:
    """Run an expression or a function with an element as its argument."""
    function = expression if is_function(expression) else f"(element) => (\n{expression}\n)"
    form = f"() => ({function}).call(arguments[0], arguments[0])"
    return await _first_that_compiles(page, place, [form], (element,), quote, await_promise)


async def _first_that_compiles(
    page: PageCommands, place: Place, forms: list[str], given: tuple[Any, ...], quote: Quote, awaits: bool
) -> Any:
    """Run the first form that is valid JavaScript. What is not valid is refused before any of it runs."""
    failure: ScriptThrew | None = None
    for form in dict.fromkeys(forms):
        flag = "true" if awaits or form.startswith("async") else "false"
        # The caller's code sees none of the names in the code around it. An error tells its line of the whole script,
        # or of the code that `eval` was given.
        before = "0" if "eval)(" in form else f"new Error().line + {1 if form.endswith(_END) else 0}"
        script = f"return ({_ANSWER})({before},\n{form},\n{flag});"
        try:
            answer = await execute(page, place, script, *given)
        except ScriptThrew as error:
            failure = failure or error  # the script itself catches what it throws, so it was not compiled
            continue
        if answer is None:
            await page.wait_for_dialog_end()  # a dialog has taken the answer
        told = None if answer is None else json.loads(answer)
        if (
            told is not None
            and told["kind"] == "thrown"
            and told["value"].startswith("SyntaxError")
            and "eval)(" in form
        ):
            failure = ScriptThrew("javascript error", told["value"])
            continue
        return _to_python(told, len(answer or ""), quote)
    assert failure is not None
    text = failure.detail if failure.detail.startswith("SyntaxError") else f"SyntaxError: {failure.detail}"
    raise ScriptFailed(quote(f"{text} at line 1"))


def _to_python(told: dict[str, Any] | None, size: int, quote: Quote) -> Any:
    if told is None or told["kind"] == "undefined":
        return None
    if told["kind"] == "thrown":
        raise ScriptFailed(quote(f"{told['value']} at line {max(told['line'], 1)}"))
    if told["kind"] == "unserializable" or size > MAX_RESULT_BYTES:
        reason = "it is too large" if size > MAX_RESULT_BYTES else told["value"]
        raise ScriptFailed(
            "The value cannot be returned: ",
            quote(reason),
            ".",
            hint="Return plain data: text, numbers, lists, objects.",
        )
    return told.get("value")
