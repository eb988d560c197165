"""MCP over HTTP: the application at `/mcp`, for clients of every revision.

Since revision 2026-07-28 a request is one POST, and closing its response cancels it. Clients of older revisions open a
connection with `initialize`, send its id as `Mcp-Session-Id`, may hold a GET for messages that belong to no request,
and end it with DELETE.
"""

from __future__ import annotations

from collections import Counter

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from rove.engine.served.owned_sessions import DEFAULT
from rove.engine.served.served_sessions import ServedSessions
from rove.surfaces.mcp.approvers import Inbox
from rove.surfaces.mcp.browser_server import browser_server
from rove.surfaces.mcp.exchange import Client
from rove.surfaces.mcp.http.access import Caller, Places, Refused, Tokens, authorized, note_authenticated, places_of
from rove.surfaces.mcp.http.body import Bodies, refused_as_text
from rove.surfaces.mcp.http.connections import EndSession
from rove.surfaces.mcp.http.handshake import HandshakeRequests
from rove.surfaces.mcp.http.header_checks import is_stateless
from rove.surfaces.mcp.http.rate_limit import RateLimit
from rove.surfaces.mcp.http.stateless import StatelessRequests
from rove.surfaces.mcp.server import McpServer
from rove.toolsets.toolset import Toolset
from rove.validation.pattern import pattern
from rove.validation.record import dataclass

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
