"""Running JavaScript: functions in one execution context, and the caller's code in the page's own."""

from __future__ import annotations

import json
from typing import Any

from rove.browser.chromium.connection import CdpError, CdpResult, CdpSession
from rove.browser.shared.evaluation import MAX_RESULT_BYTES, called, document_gone, is_function, unreturnable
from rove.browser.shared.frames import Document, Quote
from rove.errors import ScriptFailed
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

LONGEST_MESSAGE = 4_000

# More than a model can read; parsing a larger value would block the event loop.
# As JSON has it: dates as text, functions left out; besides, maps and sets as lists. What contains itself is left as it
# is, which the browser then refuses to return.
_PLAIN_VALUE = """function () {
  const plain = (value, around) => {
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value !== "object" || value === null || around.includes(value)) return value;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    const inner = [...around, value];
    if (value instanceof Map || value instanceof Set) return plain([...value], inner);
    if (Array.isArray(value)) return value.map((item) => plain(item, inner) ?? null);
    const kind = Object.getPrototypeOf(value);
    if (kind !== Object.prototype && kind !== null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item, inner)]));
  };
  return typeof this === "function" ? this : plain(this, []);
}"""


@dataclass(frozen=True)
class Call:
    """A call of a function with plain arguments.

    `as_user`: it does what a user would do by hand, so that the page gets a user activation, with which it may open
    windows and play sound. Reading a page gives it none.
    """

    function: str
    arguments: tuple[Any, ...]
    by_value: bool = True
    as_user: bool = False

    def params(self, context: int) -> dict[str, Any]:
        """Return the parameters of `Runtime.callFunctionOn`."""
        return {
            "functionDeclaration": self.function,
            "executionContextId": context,
            "arguments": [{"value": argument} for argument in self.arguments],
            "returnByValue": self.by_value,
            "awaitPromise": True,
            "userGesture": self.as_user,
        }


@dataclass(frozen=True)
class ExecutionContext(Document):
    """The context of one document of a frame; a call never reaches a document that replaces it."""

    cdp: CdpSession
    context: int
    origin: str

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        try:
            params = Call(function, arguments, as_user=as_user).params(self.context)
            answer = await self.cdp.send("Runtime.callFunctionOn", params)
        except CdpError as error:
            raise document_gone() from error
        if "exceptionDetails" in answer:
            raise ScriptFailed(PageText(exception_text(answer["exceptionDetails"]), self.origin or NOWHERE))
        return answer["result"].get("value")


def exception_text(details: dict[str, Any]) -> str:
    """Return an exception as text: `ReferenceError: foo is not defined at line 1`."""
    exception = details.get("exception", {})
    text = exception.get("description") or str(exception.get("value", details.get("text", "")))
    # The stack of an error follows its message, which may have several lines.
    message = text.partition("\n    at ")[0].strip()[:LONGEST_MESSAGE] or "unknown error"
    # `lineNumber` of the details counts from one where code runs as in a console, and from zero elsewhere.
    position = (details.get("stackTrace", {}).get("callFrames") or [details])[0]
    return f"{message} at line {position.get('lineNumber', 0) + 1}"


async def evaluate(cdp: CdpSession, expression: str, quote: Quote, await_promise: bool = True) -> Any:
    """Run an expression in the page and return its value; if it is a function, call it."""
    if not is_function(expression):
        return _to_python(await _evaluate_in_console(cdp, expression, quote, await_promise))
    call = called(expression)
    try:
        return _to_python(await _evaluate_in_console(cdp, call, quote, await_promise))
    except _WrongSyntax:
        if await _is_expression(cdp, call):
            raise  # it has run, and has thrown such an error itself
    # It has statements after a function, or is no JavaScript, of which its own error tells more.
    return _to_python(await _evaluate_in_console(cdp, expression, quote, await_promise))


class _WrongSyntax(ScriptFailed):
    """The browser could not compile a script, or the script itself has thrown such an error."""


async def _is_expression(cdp: CdpSession, call: str) -> bool:
    """Return whether the call of a function can be compiled, without running it."""
    try:
        script = {"expression": call, "sourceURL": "", "persistScript": False}
        checked = await cdp.send("Runtime.compileScript", script)
    except CdpError:
        # The browser compiles nothing for an inspector that has not enabled its runtime, as with stealth.
        uncalled = {"expression": f"() => {call}", "throwOnSideEffect": True}
        checked = await cdp.send("Runtime.evaluate", uncalled)
    return "exceptionDetails" not in checked


async def evaluate_with(
    cdp: CdpSession, expression: str, element: str, quote: Quote, await_promise: bool = True
) -> Any:
    """Run an expression or a function with an element, given by its object id, as its argument."""
    function = expression if is_function(expression) else f"(element) => ({expression})"
    call = {"functionDeclaration": function, "objectId": element, "arguments": [{"objectId": element}]}
    params = {**call, "awaitPromise": await_promise, "returnByValue": True, "userGesture": True}
    return _to_python(await _send(cdp, "Runtime.callFunctionOn", params, quote))


async def _evaluate_in_console(cdp: CdpSession, code: str, quote: Quote, await_promise: bool) -> CdpResult:
    """Run code as the DevTools console does: `let` may redeclare a name, and `await` works at the top level."""
    command = {"expression": code, "replMode": True, "userGesture": True}
    result = await _send(cdp, "Runtime.evaluate", command, quote)
    object_id = result.get("objectId")
    if object_id is None:
        return result
    if result.get("subtype") == "promise" and await_promise:
        awaited = {"promiseObjectId": object_id, "returnByValue": True}
        return await _send(cdp, "Runtime.awaitPromise", awaited, quote)
    by_value = {"functionDeclaration": _PLAIN_VALUE, "objectId": object_id, "returnByValue": True}
    return await _send(cdp, "Runtime.callFunctionOn", by_value, quote)


async def _send(cdp: CdpSession, method: str, params: dict[str, Any], quote: Quote) -> CdpResult:
    try:
        answer = await cdp.send(method, params, MAX_RESULT_BYTES)
    except CdpError as error:
        if cdp.is_closed:
            raise
        raise unreturnable(error) from error
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        kind = _WrongSyntax if details.get("exception", {}).get("className") == "SyntaxError" else ScriptFailed
        raise kind(quote(await _thrown_text(cdp, details)))
    result: CdpResult = answer["result"]
    return result


async def _thrown_text(cdp: CdpSession, details: dict[str, Any]) -> str:
    """Return what a script has thrown as text: an error as its message, any other object as JSON."""
    thrown = details.get("exception", {})
    if thrown.get("subtype") == "error" or "objectId" not in thrown:
        return exception_text(details)
    by_value = {"functionDeclaration": _PLAIN_VALUE, "objectId": thrown["objectId"], "returnByValue": True}
    try:
        answer = await cdp.send("Runtime.callFunctionOn", by_value, MAX_RESULT_BYTES)
    except CdpError:
        return exception_text(details)  # it contains itself or is too large: the browser's description says what it is
    if "exceptionDetails" in answer or "value" not in answer["result"]:
        return exception_text(details)
    data = json.dumps(answer["result"]["value"], ensure_ascii=False)
    return exception_text({**details, "exception": {"description": data}})


def _to_python(result: CdpResult) -> Any:
    if "value" in result:
        return result["value"]
    if "unserializableValue" in result:
        return str(result["unserializableValue"])
    return None if result.get("type") == "undefined" else result.get("description")
