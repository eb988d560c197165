"""The body of a request: what its headers say of it, its size, and the message in it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from rove.surfaces.mcp.http.access import Refused
from rove.surfaces.mcp.http.reply import STATUS_OF_ERROR, json_response
from rove.surfaces.mcp.messages import PARSE_ERROR, ProtocolError, error_message

EVENTS, JSON = "text/event-stream", "application/json"
# Seconds for a client to send a body.
BODY_SECONDS = 30.0
# The bodies that one token sends at once may be as large together as so many of the largest.
BODIES_AT_ONCE = 4


class Bodies:
    """The bodies that clients are sending now: each has a limit, and those of one token have one together."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        # By the ids of tokens.
        self._received: Counter[str] = Counter()

    async def read_message(self, request: Request, owner: str) -> Any:
        """Return the JSON in a request's body. Raises Refused if there is none or it is too large."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise refused_as_text(415, f"The Content-Type must be {JSON}.")
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._read(request, owner)
        except TimeoutError:
            raise refused_as_text(408, f"The body was not sent within {BODY_SECONDS:g} s.") from None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise refused_as_error(None, ProtocolError(PARSE_ERROR, "not JSON")) from None

    async def _read(self, request: Request, owner: str) -> bytes:
        body = bytearray()
        length = request.headers.get("content-length", "0")
        # `isdigit` alone is true of `²` too, which `int` refuses, as it does a number of thousands of digits.
        if length.isascii() and length.isdigit() and int(length[:20]) > self._max_bytes:
            raise _too_large(self._max_bytes)
        try:
            async for chunk in request.stream():
                body += chunk
                self._received[owner] += len(chunk)
                if len(body) > self._max_bytes:
                    raise _too_large(self._max_bytes)
                if self._received[owner] > BODIES_AT_ONCE * self._max_bytes:
                    raise refused_as_text(429, "This token is sending too much at once. Send it again later.")
        except ClientDisconnect:
            raise Refused(Response(status_code=400)) from None
        finally:
            self._received[owner] -= len(body)
        return bytes(body)


def takes_events(request: Request) -> bool:
    """Whether the client accepts a stream of events. Raises Refused if it does not even accept JSON."""
    if not _accepts(request, JSON):
        raise refused_as_text(406, f"The client must accept {JSON} and {EVENTS}.")
    return _accepts(request, EVENTS)


def require_events(request: Request) -> None:
    """Raise Refused if the client does not accept a stream of events."""
    if not _accepts(request, EVENTS):
        raise refused_as_text(406, f"The client must accept {EVENTS}.")


def _accepts(request: Request, kind: str) -> bool:
    listed = ",".join(request.headers.getlist("accept")) or "*/*"
    accepted = {each.partition(";")[0].strip().lower() for each in listed.split(",")}
    return bool(accepted & {kind, kind.partition("/")[0] + "/*", "*/*"})


def refused_as_text(status: int, reason: str) -> Refused:
    return Refused(PlainTextResponse(reason + "\n", status))


def refused_as_error(identity: str | int | None, error: ProtocolError, status: int | None = None) -> Refused:
    """Return a refusal whose body is a JSON-RPC error."""
    return Refused(json_response(error_message(identity, error), status or STATUS_OF_ERROR.get(error.code, 200)))


def _too_large(max_bytes: int) -> Refused:
    return refused_as_text(413, f"The body is larger than {max_bytes} bytes.")
