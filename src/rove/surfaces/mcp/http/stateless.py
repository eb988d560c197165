"""Requests of stateless revisions: each is one POST, and closing its response cancels it."""

from __future__ import annotations

from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Send

from rove.surfaces.mcp.exchange import Client
from rove.surfaces.mcp.http.access import Caller, may_approve
from rove.surfaces.mcp.http.body import refused_as_error, takes_events
from rove.surfaces.mcp.http.connections import default_session
from rove.surfaces.mcp.http.header_checks import REVISION_HEADER, check_headers, check_parameters
from rove.surfaces.mcp.http.reply import Reply
from rove.surfaces.mcp.messages import (
    CLIENT_KEY,
    INVALID_REQUEST,
    VERSION_KEY,
    Message,
    ProtocolError,
    is_valid_id,
    params_of,
    refuse_unsupported,
    required_meta,
)
from rove.surfaces.mcp.protocol import McpConnection
from rove.surfaces.mcp.server import McpServer


class StatelessRequests:
    """Serves requests that say themselves which client they come from."""

    def __init__(self, server: McpServer) -> None:
        self._server = server

    async def post(self, request: Request, body: Any, caller: Caller, chosen_session: str | None, send: Send) -> None:
        message = _single(body)
        if "id" not in message:
            await self._acknowledge(request, send)
            return
        try:
            self._check(request, message)
        except ProtocolError as error:
            raise refused_as_error(message["id"], error) from None
        session = chosen_session or default_session(caller.id, client_name(_meta(message).get(CLIENT_KEY)))
        connection = McpConnection(self._server, Client(caller.owner, session, may_approve(caller)))
        reply = Reply(takes_events=takes_events(request), has_statuses=True)
        try:
            tasks = connection.receive(message, reply.send)
            await reply.respond(tasks, request.scope, request.receive, send, ends_with_client=True)
        finally:
            await connection.close()

    async def _acknowledge(self, request: Request, send: Send) -> None:
        """Take a notification, and do nothing: over HTTP these revisions have none from a client."""
        try:
            refuse_unsupported(request.headers.get(REVISION_HEADER, ""))
        except ProtocolError as error:
            raise refused_as_error(None, error) from None
        await Response(status_code=202)(request.scope, request.receive, send)

    def _check(self, request: Request, message: Message) -> None:
        params = params_of(message)
        meta = required_meta(params)
        check_headers(request.headers, message)
        refuse_unsupported(meta[VERSION_KEY])
        if message["method"] == "tools/call" and isinstance(name := params.get("name"), str):
            check_parameters(request.headers, self._server.input_schema(name), params.get("arguments"))


def client_name(info: object) -> str:
    """Return what a client calls itself; nothing if it does not say."""
    name = cast(Message, info).get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""


def _meta(message: Message) -> Message:
    meta: Message = params_of(message)["_meta"]
    return meta


def _single(body: Any) -> Message:
    """Return the one request or notification in a body. Raises Refused for a batch, an answer, and anything else."""
    if isinstance(body, dict) and isinstance(body.get("method"), str) and is_valid_id(body.get("id", 0)):
        return cast(Message, body)
    raise refused_as_error(None, ProtocolError(INVALID_REQUEST, "The body must be one request or notification."))
