"""Requests of handshake revisions: a client opens a connection, sends its id with each request, and ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Send

from rove.surfaces.mcp.http.access import Caller
from rove.surfaces.mcp.http.body import refused_as_error, refused_as_text, require_events, takes_events
from rove.surfaces.mcp.http.connections import Connections, EndSession, OpenConnection, TooManyConnections
from rove.surfaces.mcp.http.reply import PING, PING_SECONDS, Reply, event, send_part, start_events, until_gone
from rove.surfaces.mcp.http.stateless import client_name
from rove.surfaces.mcp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Message,
    ProtocolError,
    is_valid_id,
    params_of,
)
from rove.surfaces.mcp.server import McpServer
from rove.tasks import cancelled

CONNECTION_HEADER = "mcp-session-id"


class HandshakeRequests:
    """Serves clients that open a connection with `initialize`."""

    def __init__(self, server: McpServer, idle_limit: float, end_session: EndSession | None = None) -> None:
        self._connections = Connections(server, idle_limit, end_session)

    async def close(self) -> None:
        await self._connections.close_all()

    async def end_token(self, caller: str) -> None:
        """End the connections of a token, by its id."""
        await self._connections.close_of(caller)

    async def post(self, request: Request, body: Any, caller: Caller, chosen_session: str | None, send: Send) -> None:
        headers: dict[str, str] = {}
        if _opens(body) and CONNECTION_HEADER not in request.headers:
            connection = await self._open(body, caller, chosen_session)
            headers = {"Mcp-Session-Id": connection.id}
        else:
            connection = self._find(request, caller.id, body)
        has_events = takes_events(request)
        reply = Reply(takes_events=has_events, has_statuses=False, headers=headers)
        tasks = connection.protocol.receive(body, reply.send, can_request=has_events)
        if tasks:
            # A client that loses its connection has not cancelled its call.
            await reply.respond(tasks, request.scope, request.receive, send, ends_with_client=False)
        else:
            await Response(status_code=202)(request.scope, request.receive, send)

    async def listen(self, request: Request, owner: str, send: Send) -> None:
        """Hold a stream for messages that belong to no request."""
        connection = self._find(request, owner)
        require_events(request)
        if connection.is_listening:
            raise refused_as_text(409, "This connection listens already.")
        with connection.listening() as messages:
            await _send_until_over(connection, messages, request, send)

    async def end(self, request: Request, owner: str, send: Send) -> None:
        await self._connections.close(self._find(request, owner))
        await Response(status_code=204)(request.scope, request.receive, send)

    async def _open(self, body: Any, caller: Caller, chosen_session: str | None) -> OpenConnection:
        name = client_name(params_of(body).get("clientInfo"))
        try:
            return await self._connections.open(caller, name, chosen_session)
        except TooManyConnections:
            raise refused_as_text(503, "Too many clients are connected: end some, with DELETE.") from None

    def _find(self, request: Request, owner: str, body: Any = None) -> OpenConnection:
        """Return the connection that a request belongs to. Raises Refused if it names none, or none that is open."""
        name = request.headers.get(CONNECTION_HEADER)
        if name is None:
            message = "Open with `initialize`, or send the headers and `_meta` of revision 2026-07-28."
            raise refused_as_error(_id_of(body), ProtocolError(INVALID_PARAMS, message))
        connection = self._connections.find(name, owner)
        if connection is None:
            error = ProtocolError(INVALID_REQUEST, "This connection has ended: open another with `initialize`.")
            raise refused_as_error(_id_of(body), error, 404)
        return connection


def _opens(body: Any) -> bool:
    return isinstance(body, dict) and body.get("method") == "initialize"


def _id_of(body: Any) -> str | int | None:
    identity = body.get("id") if isinstance(body, dict) else None
    return identity if is_valid_id(identity) else None


async def _send_until_over(
    connection: OpenConnection, messages: asyncio.Queue[Message], request: Request, send: Send
) -> None:
    """Send messages, and a comment while there are none, until the client or the connection has gone."""
    await start_events(send, {})
    over = [asyncio.ensure_future(connection.over.wait()), asyncio.ensure_future(until_gone(request.receive))]
    part = PING
    try:
        while not any(each.done() for each in over):
            await send_part(send, part)
            part = await _next_part(messages, over)
        await send_part(send, b"", is_last=True)
    finally:
        for each in over:
            await cancelled(each)


async def _next_part(messages: asyncio.Queue[Message], over: Sequence[asyncio.Future[Any]]) -> bytes:
    """Return the next message as an event; a comment if there is none for a while, or all is over."""
    waiting = asyncio.ensure_future(messages.get())
    try:
        await asyncio.wait([waiting, *over], timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        return event(waiting.result()) if waiting.done() else PING
    finally:
        await cancelled(waiting)
