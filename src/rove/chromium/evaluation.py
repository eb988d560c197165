"""JavaScript among the page's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rove.chromium.wire import Answer, Wire
from rove.chromium.worlds import exception_text
from rove.errors import ScriptFailed

if TYPE_CHECKING:
    from rove.chromium.element import Element

_FUNCTION = re.compile(r"\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")
AS_VALUE = {"awaitPromise": True, "returnByValue": True, "userGesture": True}


async def evaluate(wire: Wire, expression: str, element: Element | None) -> Any:
    """Run an expression; a function is called, with the element if one is given."""
    if element is not None:
        answer = await _with_element(expression, element)
    elif _is_function(expression):
        answer = await _evaluated(wire, f"({expression})()")
    else:
        answer = await _evaluated(wire, expression)
    if "exceptionDetails" in answer:
        raise ScriptFailed(exception_text(answer["exceptionDetails"]))
    return _plain(answer["result"])


async def _evaluated(wire: Wire, expression: str) -> Answer:
    # As a console does: `let` may be said twice, and `await` needs no function round it.
    return await wire.send("Runtime.evaluate", {"expression": expression, "replMode": True, **AS_VALUE})


async def _with_element(expression: str, element: Element) -> Answer:
    function = expression if _is_function(expression) else f"(element) => ({expression})"
    this = await element.in_page()
    return await element.session.send(
        "Runtime.callFunctionOn",
        {"functionDeclaration": function, "objectId": this, "arguments": [{"objectId": this}], **AS_VALUE},
    )


def _is_function(expression: str) -> bool:
    """Whether it is a function to call, as Playwright's users write them, rather than a value."""
    return _FUNCTION.match(expression) is not None


def _plain(result: Answer) -> Any:
    if "value" in result:
        return result["value"]
    if "unserializableValue" in result:
        return str(result["unserializableValue"])
    return None if result.get("type") == "undefined" else result.get("description")
