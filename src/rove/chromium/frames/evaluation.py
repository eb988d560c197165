"""Running JavaScript in the page's own world."""

from __future__ import annotations

from typing import Any

from rove.chromium.frames.worlds import exception_text
from rove.chromium.protocol.connection import CdpError, CdpResult, CdpSession
from rove.errors import ScriptFailed
from rove.pattern import pattern

# No model reads more, and reading it for nobody would hold up everyone else.
LARGEST = 2_000_000
_FUNCTION = pattern(r"\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")


async def evaluate(cdp: CdpSession, expression: str) -> Any:
    """Run an expression in the page; a function is called."""
    code = f"({expression})()" if _is_function(expression) else expression
    return _plain(await _in_console(cdp, code))


async def evaluate_with(cdp: CdpSession, expression: str, element: str) -> Any:
    """Run an expression or a function with an element, given by its object id, as its argument."""
    function = expression if _is_function(expression) else f"(element) => ({expression})"
    call = {"functionDeclaration": function, "objectId": element, "arguments": [{"objectId": element}]}
    return _plain(
        await _asked(
            cdp, "Runtime.callFunctionOn", {**call, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        )
    )


async def _in_console(cdp: CdpSession, code: str) -> CdpResult:
    """As a console does it: `let` may be said twice, and `await` needs no function round it."""
    answer = await _asked(cdp, "Runtime.evaluate", {"expression": code, "replMode": True, "userGesture": True})
    held = answer.get("objectId")
    if held is None:
        return answer
    if answer.get("subtype") == "promise":
        return await _asked(cdp, "Runtime.awaitPromise", {"promiseObjectId": held, "returnByValue": True})
    whole = {"functionDeclaration": "function () { return this }", "objectId": held, "returnByValue": True}
    return await _asked(cdp, "Runtime.callFunctionOn", whole)


async def _asked(cdp: CdpSession, method: str, params: dict[str, Any]) -> CdpResult:
    try:
        answer = await cdp.send(method, params, LARGEST)
    except CdpError as error:
        if cdp.is_closed:
            raise
        raise ScriptFailed(
            f"The value cannot be handed over: {error}.", hint="Return plain data: text, numbers, lists, objects."
        ) from error
    if "exceptionDetails" in answer:
        raise ScriptFailed(exception_text(answer["exceptionDetails"]))
    result: CdpResult = answer["result"]
    return result


def _is_function(expression: str) -> bool:
    """Whether it is a function to call, as Playwright's users write them, rather than a value."""
    return _FUNCTION.match(expression) is not None


def _plain(result: CdpResult) -> Any:
    if "value" in result:
        return result["value"]
    if "unserializableValue" in result:
        return str(result["unserializableValue"])
    return None if result.get("type") == "undefined" else result.get("description")
