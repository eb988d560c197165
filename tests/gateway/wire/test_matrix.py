"""Every method and route against every scope, in a session of the token's own, in one of another, and in none.

The tables are compared with what is registered: a method, route or MCP method that they do not list fails.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway

from rove.owned_names import mark_of
from rove.surfaces.gateway.methods.method import methods
from rove.surfaces.gateway.server import SafeHeaders, create_app
from rove.surfaces.gateway.tokens import Scope, Token

ALL = frozenset(Scope)
ACTS, APPROVES = frozenset({Scope.ACT, Scope.OWN}), frozenset({Scope.APPROVE, Scope.APPROVE_ALL, Scope.OWN})
SEES_ALL, APPROVES_ALL = (
    frozenset({Scope.VIEW_ALL, Scope.APPROVE_ALL, Scope.OWN}),
    frozenset({Scope.APPROVE_ALL, Scope.OWN}),
)
OWNS = frozenset({Scope.OWN})
Scopes = frozenset[Scope]

# Which scopes may do it in sessions of their own, and in those of others; then its parameters besides `sessionKey`.
IN_SESSIONS: dict[str, tuple[Scopes, Scopes, dict[str, Any]]] = {
    "chat.abort": (ACTS | APPROVES, APPROVES_ALL, {}),
    "chat.send": (ACTS, OWNS, {"message": "/settings"}),
    "downloads.list": (ALL, SEES_ALL, {}),
    "downloads.read": (ALL, SEES_ALL, {"file": "none.txt"}),
    "handoff.decline": (ACTS | APPROVES, APPROVES_ALL, {"handoffId": "none"}),
    "hosts.allow": (OWNS, OWNS, {"host": "localhost:1"}),
    "live.ack": (ALL, SEES_ALL, {"frameId": 1}),
    "live.input": (APPROVES, APPROVES_ALL, {"type": "mouseMove"}),
    "live.release": (APPROVES, APPROVES_ALL, {}),
    "live.start": (ALL, SEES_ALL, {}),
    "live.stop": (ALL, SEES_ALL, {}),
    "live.take": (APPROVES, APPROVES_ALL, {}),
    "session.box": (ALL, SEES_ALL, {"ref": "e1"}),
    "session.export": (ALL, SEES_ALL, {}),
    "session.pause": (ACTS | APPROVES, APPROVES_ALL, {}),
    "session.picture": (ALL, SEES_ALL, {}),
    "session.resume": (APPROVES, APPROVES_ALL, {}),
    "session.snapshot": (ALL, SEES_ALL, {}),
    "session.step": (APPROVES, APPROVES_ALL, {}),
    "session.stop": (ACTS | APPROVES, APPROVES_ALL, {}),
    "sessions.close": (ACTS, OWNS, {}),
    "sessions.get": (ALL, SEES_ALL, {}),
    "sessions.history": (ALL, SEES_ALL, {}),
    "tools.call": (ACTS, OWNS, {"name": "none"}),
}
# Which scopes may do it, and its parameters. What these find depends on the token, and has tests of its own.
OTHERS: dict[str, tuple[Scopes, dict[str, Any]]] = {
    "approvals.list": (ALL, {}),
    "cluster.drain": (OWNS, {"node": "none"}),
    "cluster.status": (SEES_ALL, {}),
    "exec.approve": (APPROVES, {"approvalId": "none"}),
    "exec.deny": (APPROVES, {"approvalId": "none"}),
    "sessions.create": (ACTS, {}),
    "sessions.list": (ALL, {}),
    "sessions.records": (ALL, {}),
    "settings.get": (ALL, {}),
    "settings.set": (OWNS, {"key": "none", "value": 1}),
    "tokens.create": (OWNS, {}),
    "tokens.list": (OWNS, {}),
    "tokens.revoke": (OWNS, {"id": "none"}),
    "tools.list": (ALL, {}),
}
# The status of a request without a token, and which scopes are let through.
ROUTES: dict[str, tuple[int, Scopes]] = {
    "/": (200, ALL),  # the page, which holds nothing; its WebSocket asks for a token
    "/ws": (404, frozenset()),  # a WebSocket alone
    "/healthz": (200, ALL),
    "/metrics": (401, SEES_ALL),
    "/mcp": (401, ACTS),
    "/{path:path}": (404, frozenset()),
}
# All of them are for those that may use `/mcp`, and about the sessions of the caller alone.
MCP_METHODS = {
    "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
}  # fmt: skip


@pytest.fixture(autouse=True)
async def _revoked(gateway: RunningGateway) -> AsyncGenerator[None]:
    """End the tokens of a test, as a server has no more than 200."""
    yield
    for token in gateway.gateway.tokens.valid:
        gateway.gateway.tokens.revoke(token.id)


@pytest.fixture(scope="module")
async def gateway() -> AsyncGenerator[RunningGateway]:
    async with running_gateway() as running:
        yield running


def _token(gateway: RunningGateway, *scopes: Scope) -> tuple[str, Token]:
    return gateway.gateway.tokens.create(scopes, 600)


async def _open(gateway: RunningGateway, token: Token, name: str) -> str:
    """Open a session of a token, without a browser; return its full name."""
    sessions = gateway.gateway.sessions
    session = sessions.session(await sessions.open_session(name, token.owner))
    await session.journal.record("message", {"role": "user", "text": "hello"})
    return session.name


async def _answer(client: GatewayClient, method: str, session: str, params: dict[str, Any]) -> str:
    """Return the answer to a request, without the name of the session and the number of the request."""
    answer = await client.request(method, sessionKey=session, **params)
    del answer["id"]
    return json.dumps(answer).replace(session, "SESSION").replace(session.partition("~")[0], "SESSION")


def test_the_tables_list_what_is_registered(gateway: RunningGateway) -> None:
    assert {*IN_SESSIONS, *OTHERS} == {*methods()}
    with_session = {name for name, each in methods().items() if "session_key" in each.__annotations__}
    assert with_session == {*IN_SESSIONS}
    app = create_app(gateway.gateway)
    assert isinstance(app, SafeHeaders)
    inner = app._app
    assert isinstance(inner, Starlette)
    paths = {route.path for route in inner.routes if isinstance(route, Route | WebSocketRoute)}
    assert len(inner.routes) == len(ROUTES) and paths == {*ROUTES}
    # A toolset whose tools come and go has subscriptions too, to the tools of the caller.
    assert {*gateway.gateway.mcp._server.methods} == MCP_METHODS


@pytest.mark.parametrize("name", IN_SESSIONS)
async def test_a_method_about_a_session(gateway: RunningGateway, name: str) -> None:
    own, others, params = IN_SESSIONS[name]
    _, other = _token(gateway, Scope.ACT)
    for scope in Scope:
        text, token = _token(gateway, scope)
        mine, theirs = await _open(gateway, token, "mine"), await _open(gateway, other, "theirs")
        never = f"never{mark_of(other.owner)}"
        async with gateway.client(text) as client:
            answers = {each: await _answer(client, name, each, params) for each in (theirs, never, mine)}
        is_refused = {each: '"code": "forbidden"' in answer for each, answer in answers.items()}
        assert is_refused[mine] == (scope not in own), (scope, answers[mine])
        if scope not in SEES_ALL:  # for it there is no such session
            assert answers[theirs] == answers[never], scope
            assert scope not in others
        else:
            assert is_refused[theirs] == (scope not in others), (scope, answers[theirs])
        for session in gateway.gateway.sessions.sessions():
            await gateway.gateway.sessions.close_session(str(session["session"]))


@pytest.mark.parametrize("name", OTHERS)
async def test_a_method_that_names_no_session(gateway: RunningGateway, name: str) -> None:
    allowed, params = OTHERS[name]
    for scope in Scope:
        async with gateway.client(_token(gateway, scope)[0]) as client:
            answer = await client.request(name, **params)
        assert (answer.get("error", {}).get("code") == "forbidden") == (scope not in allowed), (scope, answer)


@pytest.mark.parametrize("path", ROUTES)
async def test_a_route(gateway: RunningGateway, path: str) -> None:
    without, allowed = ROUTES[path]
    url = f"http://localhost:{gateway.port}{path.replace('{path:path}', 'none')}"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with httpx2.AsyncClient() as http:

        async def status(headers: dict[str, str]) -> int:
            accept = {"Accept": "application/json, text/event-stream", **headers}
            answer = await (
                http.post(url, json=body, headers=accept) if path == "/mcp" else http.get(url, headers=accept)
            )
            return answer.status_code

        assert await status({}) == without
        assert (await status({"Authorization": "Bearer none"})) == without
        for scope in Scope:
            code = await status({"Authorization": f"Bearer {_token(gateway, scope)[0]}"})
            assert (code not in (401, 403, 404)) == (scope in allowed), (scope, code)
