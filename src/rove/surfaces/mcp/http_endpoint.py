"""MCP over HTTP: the application at `/mcp`, for clients of every revision, with a connection or stateless.

Since revision 2026-07-28 a request is one POST, and closing its response cancels it. Clients of older revisions open a
connection with `initialize`, send its id as `Mcp-Session-Id`, may hold a GET for messages that belong to no request,
and end it with DELETE.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, cast

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from rove.engine.client_sessions import DEFAULT, ServedSessions
from rove.patterns import pattern
from rove.records import dataclass
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.http_access import (
    Caller,
    Places,
    RateLimit,
    Refused,
    Tokens,
    authorized,
    may_approve,
    note_authenticated,
    places_of,
)
from rove.surfaces.mcp.http_messages import (
    PING,
    PING_SECONDS,
    REVISION_HEADER,
    Bodies,
    Reply,
    check_headers,
    check_parameters,
    event,
    is_stateless,
    refused_as_error,
    refused_as_text,
    require_events,
    send_part,
    start_events,
    takes_events,
    until_gone,
)
from rove.surfaces.mcp.messages import (
    CLIENT_KEY,
    INVALID_PARAMS,
    INVALID_REQUEST,
    VERSION_KEY,
    Message,
    ProtocolError,
    is_valid_id,
    params_of,
    refuse_unsupported,
    required_meta,
)
from rove.surfaces.mcp.protocol import McpConnection, McpServer
from rove.surfaces.mcp.request import Client, Inbox
from rove.tasks import cancelled
from rove.toolsets.toolset import Toolset

MAX_OF_ONE_TOKEN = 100
# Seconds without a request after which a client that does not listen is taken to have left without saying so.
LEFT_SECONDS = 60.0
LONGEST_NAME = 32
EndSession = Callable[[Client], Awaitable[None]]
_OTHER_CHARACTERS = pattern(r"[^a-z0-9]+", re.ASCII)
CONNECTION_HEADER = "mcp-session-id"

# Names the default session in the URL that a client is given: `/mcp?session=research`.
SESSION_PARAMETER = "session"
_SESSION_NAME = pattern(r"[A-Za-z0-9_.-]{1,64}")
# For pages of other origins that are allowed: what they may send besides the usual headers, and what they may read.
SENT_HEADERS = (
    "Authorization",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Param-Session",
)
READ_HEADERS = ("Mcp-Session-Id", "WWW-Authenticate")


class OpenConnection:
    """One client between `initialize` and its end, with the id that it sends with each request."""

    def __init__(self, server: McpServer, caller: str, client: Client, has_own_session: bool = False) -> None:
        """`caller`: the id of the token that it was opened with."""
        self.caller = caller
        self.has_own_session = has_own_session
        self.id = secrets.token_urlsafe(24)
        self.protocol = McpConnection(server, client)
        self.last_used = time.monotonic()
        # Whether the client listens for messages that belong to no request, and whether it ever did.
        self.is_listening = False
        self.has_listened = False
        self.over = asyncio.Event()

    @contextlib.contextmanager
    def listening(self) -> Generator[asyncio.Queue[Message]]:
        """Yield the messages that belong to no request, while the client listens for them."""
        self.is_listening = self.has_listened = True
        messages: asyncio.Queue[Message] = asyncio.Queue()
        self.protocol.stream = messages.put
        try:
            yield messages
        finally:
            self.is_listening = False
            self.protocol.stream = None
            self.last_used = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        is_used = self.is_listening or self.protocol.is_busy
        return 0.0 if is_used else time.monotonic() - self.last_used

    @property
    def has_left(self) -> bool:
        """Whether its client seems to have gone: it listens no more, or has been silent for long."""
        return self.idle_seconds > (0.0 if self.has_listened else LEFT_SECONDS)


class TooManyConnections(Exception):
    """A token has as many connections as are allowed, and uses all of them."""


class Connections:
    """The open connections. One that is idle for too long is forgotten."""

    def __init__(self, server: McpServer, idle_limit: float, end_session: EndSession | None = None) -> None:
        """`end_session`: closes the default session of a connection that has ended, which no other connection has."""
        self._server = server
        self._idle_limit = idle_limit
        self._end_session = end_session
        self._open: dict[str, OpenConnection] = {}

    async def open(
        self,
        caller: Caller,
        client_name: str,
        chosen_session: str | None,
    ) -> OpenConnection:
        """Open a connection. Its default session is one that no other connected client has, unless it is chosen."""
        await self._close_idle()
        await self._make_room(caller.id)
        taken = {each.protocol.client.session for each in self._of(caller.id) if not each.has_left}
        names = (default_session(caller.id, client_name, number) for number in itertools.count(1))
        session = chosen_session or next(name for name in names if name not in taken)
        has_own_session = self._end_session is not None and chosen_session is None
        if has_own_session:
            session = f"{session}-{secrets.token_hex(4)}"
        client = Client(caller.owner, session, may_approve(caller))
        opened = OpenConnection(self._server, caller.id, client, has_own_session)
        self._open[opened.id] = opened
        return opened

    def _of(self, caller: str) -> list[OpenConnection]:
        return [each for each in self._open.values() if each.caller == caller]

    async def _make_room(self, caller: str) -> None:
        """Forget the connection that was unused for longest if there are too many: its client opens another."""
        owned = self._of(caller)
        if len(owned) < MAX_OF_ONE_TOKEN:
            return
        oldest = max(owned, key=lambda each: each.idle_seconds)
        if not oldest.idle_seconds:
            raise TooManyConnections
        await self.close(oldest)

    def find(self, name: str, caller: str) -> OpenConnection | None:
        """Return a connection of the token with this id; None if it is another's, closed or unknown."""
        found = self._open.get(name)
        if found is None or found.caller != caller:
            return None
        found.last_used = time.monotonic()
        return found

    async def close(self, connection: OpenConnection) -> None:
        """End a connection and what it runs. Its sessions stay, but for one that is its own."""
        self._open.pop(connection.id, None)
        connection.over.set()
        await connection.protocol.close()
        if self._end_session is not None and connection.has_own_session:
            await self._end_session(connection.protocol.client)

    async def close_of(self, caller: str) -> None:
        """End the connections of the token with this id."""
        for connection in self._of(caller):
            await self.close(connection)

    async def close_all(self) -> None:
        for connection in [*self._open.values()]:
            await self.close(connection)

    async def _close_idle(self) -> None:
        for connection in [each for each in self._open.values() if each.idle_seconds > self._idle_limit]:
            await self.close(connection)


def default_session(owner: str, client_name: str, number: int = 1) -> str:
    """Return the name of a client's default session. It is always the same, also after a restart of the server.

    `number`: for further clients of the same token and name, while an earlier one is connected.
    """
    readable = _OTHER_CHARACTERS.sub("-", client_name.lower())[:LONGEST_NAME].strip("-") or "mcp"
    digest = hashlib.sha256(f"{owner}\0{client_name}".encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{readable}-{digest}" + (f"-{number}" if number > 1 else "")


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


@dataclass(frozen=True)
class Limits:
    """What one token may use of the server.

    `idle_seconds`: after so long without a request, a connection of a handshake revision is forgotten.
    """

    idle_seconds: float = 1800.0
    body_bytes: int = 4 * 2**20
    requests_at_once: int = 100
    requests_per_second: int = 50


class McpEndpoint:
    """The ASGI application."""

    def __init__(
        self,
        server: McpServer,
        tokens: Tokens,
        places: Places,
        limits: Limits,
        end_session: EndSession | None = None,
    ) -> None:
        """`end_session`: closes the default session of a connection that has ended, if each has one of its own."""
        self._server = server
        self._tokens = tokens
        self._places = places
        self._limits = limits
        # By the ids of tokens.
        self._running: Counter[str] = Counter()
        self._rates: dict[str, RateLimit] = {}
        self._bodies = Bodies(limits.body_bytes)
        self._stateless = StatelessRequests(server)
        self._handshake = HandshakeRequests(server, limits.idle_seconds, end_session)
        self._app = CORSMiddleware(
            self._serve,
            allow_origins=places.origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=SENT_HEADERS,
            expose_headers=READ_HEADERS,
        )

    async def close(self) -> None:
        """End every connection, and the calls that wait for an approval. Sessions stay."""
        await self._handshake.close()
        await self._server.close()

    async def end_token(self, caller: str) -> None:
        """End the connections of a token that was revoked, by its id."""
        await self._handshake.end_token(caller)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            if reason := self._places.refusal(request.headers):
                raise Refused(PlainTextResponse(reason, 403))
            caller = authorized(request.headers, self._tokens)
            note_authenticated(scope)
            await self._handle_within_limit(request, caller, send)
        except Refused as refused:
            await refused.response(scope, receive, send)

    async def _handle_within_limit(self, request: Request, caller: Caller, send: Send) -> None:
        owner = caller.id
        rate = self._rates.setdefault(owner, RateLimit(self._limits.requests_per_second))
        if not rate.allows():
            raise refused_as_text(429, "This token sends too many requests a second: see --serve-requests-per-second.")
        if self._running[owner] >= self._limits.requests_at_once:
            raise refused_as_text(429, f"{self._limits.requests_at_once} requests of this token are running already.")
        self._running[owner] += 1
        try:
            await self._handle(request, caller, send)
        finally:
            self._running[owner] -= 1

    async def _handle(self, request: Request, caller: Caller, send: Send) -> None:
        if request.method == "POST":
            await self._post(request, caller, send)
        elif is_stateless(request.headers, None):
            raise _not_allowed("POST")
        elif request.method == "GET":
            await self._handshake.listen(request, caller.id, send)
        elif request.method == "DELETE":
            await self._handshake.end(request, caller.id, send)
        else:
            raise _not_allowed("GET, POST, DELETE")

    async def _post(self, request: Request, caller: Caller, send: Send) -> None:
        body = await self._bodies.read_message(request, caller.id)
        era = self._stateless if is_stateless(request.headers, body) else self._handshake
        await era.post(request, body, caller, _chosen_session(request), send)


def browser_endpoint(
    sessions: ServedSessions, tools: Toolset, tokens: Tokens, inbox: Inbox | None = None
) -> McpEndpoint:
    """Return the application that gives a browser to clients with a token, as the settings of `rove serve` say.

    `inbox`: where people answer what a client's own user does not.
    """
    settings = sessions.settings
    limits = Limits(
        idle_seconds=settings.limits.idle,
        body_bytes=settings.serve.message_kilobytes * 1024,
        requests_per_second=settings.serve.requests_per_second,
    )
    server = browser_server(sessions, tools, inbox, has_headers=True)
    end_session = _closer(sessions) if settings.serve.session_per_connection else None
    return McpEndpoint(server, tokens, places_of(settings), limits, end_session)


def _closer(sessions: ServedSessions) -> EndSession:
    """Return what closes the default session of a client whose connection has ended."""

    async def end_session(client: Client) -> None:
        own = sessions.owned_by(client.owner)
        if (name := own.full_name(client.session)) in own.open:
            await sessions.close_session(name)

    return end_session


def _chosen_session(request: Request) -> str | None:
    """Return the default session that the URL names."""
    name = request.query_params.get(SESSION_PARAMETER)
    if name is not None and (name == DEFAULT or not _SESSION_NAME.fullmatch(name)):
        reason = f"`{SESSION_PARAMETER}` must be a name of at most 64 letters, digits and _.- other than `{DEFAULT}`."
        raise refused_as_text(400, reason)
    return name


def _not_allowed(methods: str) -> Refused:
    return Refused(Response(status_code=405, headers={"Allow": methods}))
