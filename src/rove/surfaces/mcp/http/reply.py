"""The response to one POST: JSON if the answer is the first message, otherwise a stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rove.surfaces.mcp.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_REVISION,
    Message,
    is_answer,
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
