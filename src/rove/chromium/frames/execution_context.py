"""Calling functions in one execution context: the JavaScript environment of one document."""

from __future__ import annotations

from typing import Any

from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import ElementGone, ScriptFailed
from rove.page_text import NOWHERE, PageText
from rove.validation.record import dataclass

LONGEST_MESSAGE = 4_000


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
class ExecutionContext:
    """The context of one document of a frame; a call never reaches a document that replaces it."""

    cdp: CdpSession
    context: int
    origin: str

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function with plain arguments and return a plain value; raise ElementGone if the document is gone."""
        try:
            params = Call(function, arguments, as_user=as_user).params(self.context)
            answer = await self.cdp.send("Runtime.callFunctionOn", params)
        except CdpError as error:
            raise ElementGone("The page went away before that could be done.") from error
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
