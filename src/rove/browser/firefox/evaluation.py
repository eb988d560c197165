"""Running JavaScript: functions in the sandbox of a document, and the caller's code in the page's own realm."""

from __future__ import annotations

import json
from typing import Any

from rove.browser.failures import BrowserError
from rove.browser.firefox.connection import BidiError, BidiResult, PageChannel
from rove.browser.shared.evaluation import MAX_RESULT_BYTES, called, document_gone, is_function, unreturnable
from rove.browser.shared.frames import Document, Quote
from rove.errors import ScriptFailed
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

LONGEST_MESSAGE = 4_000
Target = dict[str, str]

# More than a model can read; parsing a larger value would block the event loop.
# Values that JSON does not have are left out of objects, as JSON.stringify does.
_LEFT_OUT = frozenset({"undefined", "function", "symbol"})
_KINDS = {"node": "Node", "window": "Window", "function": "function"}
# Objects without data of their own.
_EMPTY = frozenset({"regexp", "promise", "error", "weakmap", "weakset", "arraybuffer", "generator", "proxy"})


async def call_function(
    channel: PageChannel,
    target: Target,
    function: str,
    arguments: list[dict[str, Any]],
    as_user: bool = False,
    serialization: dict[str, Any] | None = None,
) -> BidiResult:
    """Call a function with arguments as the protocol writes them; return the answer, which may be an exception."""
    params = {
        "functionDeclaration": function,
        "target": target,
        "arguments": arguments,
        "awaitPromise": True,
        "resultOwnership": "none",
        "userActivation": as_user,
        "serializationOptions": serialization or {},
    }
    return await channel.send("script.callFunction", params)


async def call_plainly(
    channel: PageChannel, target: Target, function: str, arguments: tuple[Any, ...], as_user: bool = False
) -> BidiResult:
    """Call a function with plain arguments; the result of the answer is its value as JSON text."""
    wrapped = f"async (given) => JSON.stringify(await ({function})(...JSON.parse(given)))"
    given = [{"type": "string", "value": json.dumps(arguments)}]
    return await call_function(channel, target, wrapped, given, as_user)


def plain_value(answer: BidiResult) -> Any:
    """Return the value of a call that was made with `call_plainly`."""
    text = answer["result"].get("value")
    return None if text is None else json.loads(text)


def exception_text(details: dict[str, Any]) -> str:
    """Return an exception as text: `ReferenceError: foo is not defined at line 1`."""
    message = str(details.get("text") or "").strip()[:LONGEST_MESSAGE] or "unknown error"
    frames = (details.get("stackTrace") or {}).get("callFrames") or [details]
    return f"{message} at line {frames[0].get('lineNumber', 0) + 1}"


def raise_exception(answer: BidiResult, origin: str = NOWHERE) -> BidiResult:
    """Return the answer, or raise the exception that it tells of as the words of an origin."""
    if answer["type"] == "exception":
        raise ScriptFailed(PageText(exception_text(answer["exceptionDetails"]), origin or NOWHERE))
    return answer


@dataclass(frozen=True)
class FrameDocument(Document):
    """The sandbox of one document of a frame; a call never reaches a document that replaces it."""

    channel: PageChannel
    realm: str
    origin: str

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        try:
            answer = await call_plainly(self.channel, {"realm": self.realm}, function, arguments, as_user)
        except BrowserError as error:
            raise document_gone() from error
        return plain_value(raise_exception(answer, self.origin))


async def evaluate(channel: PageChannel, expression: str, quote: Quote, await_promise: bool = True) -> Any:
    """Run an expression in the page and return its value; if it is a function, call it."""
    code = expression
    if is_function(expression):
        call = called(expression)
        # What is no expression is run as it is: its own error is the one to tell.
        code = call if await _compiles(channel, call) else expression
    answer = await _run(channel, code, quote, await_promise)
    if answer["type"] == "exception" and "await" in code and _is_syntax_error(answer):
        answer = await _run_awaiting(channel, code, quote) or answer
    return _value(answer, quote)


async def _run_awaiting(channel: PageChannel, code: str, quote: Quote) -> BidiResult | None:
    """Run code that awaits at the top level, as a console does; None if it cannot be compiled either."""
    for wrapped in (f"(async () => ({code}\n))()", f"(async () => {{ {code}\n}})()"):
        if await _compiles(channel, wrapped):
            return await _run(channel, wrapped, quote, True)
    return None


async def _compiles(channel: PageChannel, code: str) -> bool:
    """Return whether code can be compiled as an expression, without running it."""
    params = {
        "expression": f"() => {code}",
        "target": {"context": channel.context},
        "awaitPromise": False,
        "resultOwnership": "none",
    }
    return bool((await channel.send("script.evaluate", params))["type"] == "success")


async def _run(channel: PageChannel, code: str, quote: Quote, await_promise: bool) -> BidiResult:
    params = {
        "expression": code,
        "target": {"context": channel.context},
        "awaitPromise": await_promise,
        "resultOwnership": "none",
        "userActivation": True,
        "serializationOptions": {"maxDomDepth": 0},
    }
    return await _send(channel, "script.evaluate", params)


async def evaluate_with(
    channel: PageChannel, frame: str, expression: str, node: str, quote: Quote, await_promise: bool = True
) -> Any:
    """Run an expression or a function with an element, given by its shared id, as its argument."""
    function = expression if is_function(expression) else f"(element) => ({expression})"
    params = {
        "functionDeclaration": function,
        "target": {"context": frame},
        "arguments": [{"sharedId": node}],
        "this": {"sharedId": node},
        "awaitPromise": await_promise,
        "resultOwnership": "none",
        "userActivation": True,
        "serializationOptions": {"maxDomDepth": 0},
    }
    return _value(await _send(channel, "script.callFunction", params), quote)


async def _send(channel: PageChannel, method: str, params: dict[str, Any]) -> BidiResult:
    try:
        return await channel.send(method, params, max_bytes=MAX_RESULT_BYTES)
    except BidiError as error:
        if channel.is_closed or error.code == "no such frame":
            raise
        raise unreturnable(error) from error


def _is_syntax_error(answer: BidiResult) -> bool:
    return str(answer["exceptionDetails"].get("text", "")).startswith("SyntaxError")


def _value(answer: BidiResult, quote: Quote) -> Any:
    if answer["type"] == "exception":
        raise ScriptFailed(quote(_thrown_text(answer["exceptionDetails"])))
    return to_python(answer["result"])


def _thrown_text(details: dict[str, Any]) -> str:
    """Return what a script has thrown as text: an error as its message, any other object as JSON."""
    thrown = details.get("exception", {})
    if thrown.get("type") not in ("object", "array", "map", "set"):
        return exception_text({**details, "text": str(details.get("text", "")).removeprefix("uncaught exception: ")})
    return exception_text({**details, "text": json.dumps(to_python(thrown), ensure_ascii=False)})


def to_python(value: dict[str, Any]) -> Any:
    """Return a remote value as plain data: dates as text, maps and sets as lists."""
    kind, data = value["type"], value.get("value")
    if kind in ("null", "undefined"):
        return None
    if kind in ("string", "boolean", "date"):
        return data
    if kind == "number":
        return 0 if data == "-0" else data
    if kind == "bigint":
        return f"{data}n"
    if data is None and kind in ("array", "object", "map", "set"):
        raise ScriptFailed(
            "The value cannot be returned: it contains itself.",
            hint="Return plain data: text, numbers, lists, objects.",
        )
    if kind in ("array", "set", "nodelist", "htmlcollection") and isinstance(data, list):
        return [None if item["type"] in _LEFT_OUT else to_python(item) for item in data]
    if kind == "map" and isinstance(data, list):
        return [[key if isinstance(key, str) else to_python(key), to_python(item)] for key, item in data]
    if kind == "object" and isinstance(data, list):
        return {str(key): to_python(item) for key, item in data if item["type"] not in _LEFT_OUT}
    if kind in _EMPTY:
        return {}
    return _KINDS.get(kind, kind)
