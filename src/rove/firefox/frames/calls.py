"""Calls of functions in the sandbox of a document, with plain values that cross as JSON text."""

from __future__ import annotations

import json
from typing import Any

from rove.browser.failures import BrowserError
from rove.errors import ElementGone, ScriptFailed
from rove.firefox.protocol.connection import BidiError, BidiResult, PageChannel
from rove.page_text import NOWHERE, PageText
from rove.validation.record import dataclass

LONGEST_MESSAGE = 4_000
Target = dict[str, str]


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
class FrameDocument:
    """The sandbox of one document of a frame; a call never reaches a document that replaces it."""

    channel: PageChannel
    realm: str
    origin: str

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function with plain arguments and return a plain value; raise ElementGone if the document is gone."""
        try:
            answer = await call_plainly(self.channel, {"realm": self.realm}, function, arguments, as_user)
        except BrowserError as error:
            raise ElementGone("The page went away before that could be done.") from error
        return plain_value(raise_exception(answer, self.origin))


def is_gone(error: BidiError) -> bool:
    """Return whether a command failed since its document, or its frame, was replaced or removed."""
    return error.code in ("no such frame", "unknown error", "no such node")
