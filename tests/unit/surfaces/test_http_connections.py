"""Connections of handshake revisions over HTTP, and the names of default sessions."""

from __future__ import annotations

import pytest
from tests.surfaces.mcp_http.serving import Holder

from rove.surfaces.mcp import http_endpoint as module
from rove.surfaces.mcp.http_endpoint import Connections, OpenConnection, TooManyConnections, default_session
from rove.surfaces.mcp.protocol import McpServer

LONG = 3600.0
ANNA, BEA = Holder("anna"), Holder("bea")


@pytest.fixture
def connections() -> Connections:
    return Connections(McpServer(), idle_limit=LONG)


def session_of(connection: OpenConnection) -> str | None:
    return connection.protocol.client.session


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("Claude Code", "claude-code-"),
        ("../../etc", "etc-"),
        ("", "mcp-"),
        ("日本", "mcp-"),
        ("x" * 99, "x" * 32 + "-"),
    ],
)
def test_the_name_of_a_default_session_is_readable_and_safe(name: str, readable: str) -> None:
    made = default_session("anna", name)
    assert made.startswith(readable)
    assert made == default_session("anna", name)
    assert made != default_session("bea", name)


def test_names_that_read_alike_are_different_sessions() -> None:
    assert default_session("anna", "a b") != default_session("anna", "a-b")


async def test_a_client_that_ended_its_connection_gets_its_session_again(connections: Connections) -> None:
    first = await connections.open(ANNA, "x", None)
    second = await connections.open(ANNA, "x", None)
    assert session_of(second) == f"{session_of(first)}-2"
    await connections.close(first)
    assert session_of(await connections.open(ANNA, "x", None)) == session_of(first)


async def test_a_client_that_stopped_listening_has_left(connections: Connections) -> None:
    first = await connections.open(ANNA, "x", None)
    with first.listening():
        assert session_of(await connections.open(ANNA, "x", None)) != session_of(first)
    assert session_of(await connections.open(ANNA, "x", None)) == session_of(first)


async def test_a_client_that_never_listened_has_left_after_a_while(connections: Connections) -> None:
    first = await connections.open(ANNA, "x", None)
    first.last_used -= module.LEFT_SECONDS - 5
    second = await connections.open(ANNA, "x", None)
    assert session_of(second) != session_of(first)
    first.last_used -= 10
    assert session_of(await connections.open(ANNA, "x", None)) == session_of(first)
    assert connections.find(first.id, "anna") is first


async def test_an_idle_connection_is_forgotten_unless_its_client_listens(connections: Connections) -> None:
    idle = await connections.open(ANNA, "x", None)
    listening = await connections.open(ANNA, "x", None)
    with listening.listening():
        idle.last_used -= LONG + 1
        listening.last_used -= LONG + 1
        await connections.open(BEA, "x", None)
        assert connections.find(idle.id, "anna") is None
        assert idle.over.is_set()
        assert connections.find(listening.id, "anna") is listening


async def test_a_token_with_too_many_connections_loses_the_one_unused_for_longest(
    connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_OF_ONE_TOKEN", 2)
    first, second = [await connections.open(ANNA, "x", None) for _ in range(2)]
    second.last_used -= 5
    third = await connections.open(ANNA, "x", None)
    assert connections.find(second.id, "anna") is None
    with first.listening(), third.listening(), pytest.raises(TooManyConnections):
        await connections.open(ANNA, "x", None)
    assert await connections.open(BEA, "x", None)
