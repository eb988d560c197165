"""Messages over HTTP: headers and body of a request, and the response as JSON or as a stream of events.

They must say what the body says: otherwise a request could be routed, counted or allowed as another one.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from rove.patterns import pattern
from rove.surfaces.mcp.http_access import Refused
from rove.surfaces.mcp.messages import (
    HANDSHAKE_REVISIONS,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_REVISION,
    VERSION_KEY,
    Message,
    ProtocolError,
    error_message,
    is_answer,
    meta_of,
    params_of,
    to_json,
)
from rove.tasks import cancelled

# Seconds without a message after which a comment is sent, as proxies close connections that are silent for long.
PING_SECONDS = 15.0
PING = b": ping\n\n"
EVENT_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    # Tells nginx to pass on each event at once.
    "X-Accel-Buffering": "no",
}
_BAD_REQUEST = (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_REVISION)
STATUS_OF_ERROR = {METHOD_NOT_FOUND: 404, **dict.fromkeys(_BAD_REQUEST, 400)}
EVENTS, JSON = "text/event-stream", "application/json"
# Seconds for a client to send a body.
BODY_SECONDS = 30.0
# The bodies that one token sends at once may be as large together as so many of the largest.
BODIES_AT_ONCE = 4
REVISION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
PARAMETER_PREFIX = "mcp-param-"
# The parameter that `Mcp-Name` repeats, by method.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ENCODED = pattern(r"=\?base64\?(?P<data>.*)\?=")
_DECIMAL = pattern(r"-?[0-9]+(\.0+)?", re.ASCII)


class Reply:
    """Messages to a client that belong to one POST, in order.

    `takes_events`: whether the client accepts a stream; if not, it gets answers alone.
    `has_statuses`: whether errors have HTTP statuses of their own, as since revision 2026-07-28.
    """

    def __init__(self, *, takes_events: bool, has_statuses: bool, headers: Mapping[str, str] | None = None) -> None:
        self._takes_events = takes_events
        self._has_statuses = has_statuses
        self._headers = dict(headers or {})
        # None stands for the end.
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()

    async def send(self, message: Message) -> None:
        """Queue a message for the client."""
        if self._takes_events or is_answer(message):
            self._messages.put_nowait(message)

    async def respond(
        self, tasks: Iterable[asyncio.Task[None]], scope: Scope, receive: Receive, send: Send, *, ends_with_client: bool
    ) -> None:
        """Send the messages of these tasks until they are over or the client has gone.

        `ends_with_client`: whether the tasks are cancelled then.
        """
        serving = list(tasks)
        ending = asyncio.ensure_future(self._end_after(serving))
        writing = asyncio.ensure_future(self._write(len(serving) == 1, scope, receive, send))
        leaving = asyncio.ensure_future(until_gone(receive))
        try:
            await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                writing.result()
        finally:
            if ends_with_client:
                for task in serving:
                    task.cancel()
            for each in (writing, leaving, ending):
                await cancelled(each)

    async def _end_after(self, serving: list[asyncio.Task[None]]) -> None:
        await asyncio.wait(serving)
        self._messages.put_nowait(None)

    async def _write(self, is_single: bool, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(PING_SECONDS if self._takes_events else None):
                first = await self._messages.get()
        except TimeoutError:
            await self._write_events(PING, send)
            return
        if first is None:  # the client has cancelled its request, which is not answered then
            await Response(status_code=202, headers=self._headers)(scope, receive, send)
        elif is_single and is_answer(first):
            await json_response(first, self._status(first), self._headers)(scope, receive, send)
        elif self._takes_events:
            await self._write_events(event(first), send)
        else:
            await json_response(await self._all(first), 200, self._headers)(scope, receive, send)

    async def _write_events(self, first: bytes, send: Send) -> None:
        await start_events(send, self._headers)
        data = first
        while data:
            await send_part(send, data)
            data = await self._next_event()
        await send_part(send, b"", is_last=True)

    async def _next_event(self) -> bytes:
        """Return the next event, a comment if there is none for a while, and nothing at the end."""
        try:
            async with asyncio.timeout(PING_SECONDS):
                message = await self._messages.get()
        except TimeoutError:
            return PING
        return b"" if message is None else event(message)

    async def _all(self, first: Message) -> list[Message]:
        found = [first]
        while (message := await self._messages.get()) is not None:
            found.append(message)
        return found

    def _status(self, answer: Message) -> int:
        error = answer.get("error")
        return STATUS_OF_ERROR.get(error["code"], 200) if error is not None and self._has_statuses else 200


def json_response(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(to_json(content), status, dict(headers or {}), media_type="application/json")


def event(message: Message) -> bytes:
    return b"event: message\ndata: " + to_json(message) + b"\n\n"


async def start_events(send: Send, headers: Mapping[str, str]) -> None:
    """Begin a stream of events."""
    raw = [(name.lower().encode(), value.encode()) for name, value in {**EVENT_HEADERS, **headers}.items()]
    await send({"type": "http.response.start", "status": 200, "headers": raw})


async def send_part(send: Send, data: bytes, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": not is_last})


async def until_gone(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


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


def is_stateless(headers: Headers, message: object) -> bool:
    """Whether a request is of a stateless revision, by its header or, if that is missing, by its body."""
    revision = headers.get(REVISION_HEADER)
    if revision is not None:
        return revision not in HANDSHAKE_REVISIONS
    meta = params_of(message).get("_meta") if isinstance(message, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def check_headers(headers: Headers, message: Message) -> None:
    """Raise ProtocolError if a header does not say what the body says."""
    params = params_of(message)
    _check(headers, REVISION_HEADER, meta_of(params).get(VERSION_KEY))
    _check(headers, METHOD_HEADER, message["method"])
    name = params.get(NAMED_BY.get(message["method"], ""))
    if name is not None:
        _check(headers, NAME_HEADER, name)


def check_parameters(headers: Headers, schema: Mapping[str, Any], arguments: object) -> None:
    """Raise ProtocolError if a header `Mcp-Param-*` does not say what the argument says that its schema names."""
    given = arguments if isinstance(arguments, dict) else {}
    for name, value, declared in _marked(schema, given):
        header = PARAMETER_PREFIX + str(name).lower()
        if value is not None or header in headers:
            _check(headers, header, value, is_integer=declared == "integer")


def _marked(schema: Mapping[str, Any], given: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return each argument that has a header: the header's name, the value and the declared type."""
    found: list[tuple[str, Any, Any]] = []
    for name, part in schema.get("properties", {}).items():
        if not isinstance(part, dict):
            continue
        value = given.get(name)
        if "x-mcp-header" in part:
            found.append((part["x-mcp-header"], value, part.get("type")))
        found += _marked(part, value if isinstance(value, dict) else {})
    return found


def _check(headers: Headers, header: str, value: object, *, is_integer: bool = False) -> None:
    told = headers.getlist(header)
    if not told:
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} is missing.")
    if len(told) > 1:
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} appears more than once.")
    if not _is_same(_decoded(told[0]), value, is_integer):
        raise ProtocolError(HEADER_MISMATCH, f"The header {header} does not say what the body says.")


def _is_same(told: str | None, value: object, is_integer: bool) -> bool:
    if told is None:
        return False
    if isinstance(value, bool):
        return told == ("true" if value else "false")
    if is_integer and isinstance(value, int | float) and _DECIMAL.fullmatch(told):
        return float(told) == value
    return isinstance(value, str | int | float) and told == str(value)


def _decoded(value: str) -> str | None:
    """Return a header's value, which is encoded if it has other characters than a header may have."""
    found = _ENCODED.fullmatch(value)
    if found is None:
        return value
    try:
        return base64.b64decode(found["data"], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
