"""The wire: authentication, requests, errors, events, catching up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from websockets.exceptions import ConnectionClosed, InvalidStatus

from rove.surfaces.gateway.methods.method import methods
from rove.surfaces.gateway.tokens import Scope
from rove.version import VERSION


@pytest.fixture(scope="module")
async def gateway() -> AsyncGenerator[RunningGateway]:
    async with running_gateway(serve__requests_per_second=200, serve__message_kilobytes=64) as running:
        yield running


@pytest.mark.contract("A7")
async def test_a7_the_first_message_authenticates_and_is_answered_with_a_version(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        hello = await client.event("hello")
        assert hello["version"] == VERSION and hello["protocol"] == 1 and hello["scopes"] == ["own"]


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ('{"type":"auth","token":"wrong"}', 4401),
        ('{"type":"auth"}', 4401),
        ('{"id":"1","method":"sessions.create"}', 4401),
        ("not json", 4400),
        ("[1]", 4400),
    ],
)
@pytest.mark.contract("A7")
async def test_a7_a_client_without_the_token_is_closed_with_a_reason(
    gateway: RunningGateway, first: str, code: int
) -> None:
    async with gateway.raw_client() as client:
        await client.send(first)
        closed, reason = await client.closed()
        assert closed == code and reason
        assert client.events == []


@pytest.mark.contract("A7")
async def test_a7_answers_have_the_id_of_the_request(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        await client.send({"id": "1", "method": "sessions.create", "params": {}})
        answer = await client.answer("1")
        assert set(answer) == {"id", "result"} and len(answer["result"]["sessionKey"]) == 36
        await client.call("sessions.close", sessionKey=answer["result"]["sessionKey"])


@pytest.mark.parametrize(
    ("message", "identity", "code"),
    [
        ("not json", None, "invalid_message"),
        ("[]", None, "invalid_message"),
        ('{"method": "sessions.list"}', None, "invalid_message"),
        ('{"id": "a", "method": "sessions.lits"}', "a", "unknown_method"),
        ('{"id": "b", "method": "sessions.get", "params": {}}', "b", "invalid_arguments"),
        ('{"id": "c", "method": "sessions.get", "params": []}', "c", "invalid_arguments"),
        ('{"id": "d", "method": "sessions.get", "params": {"sessionKey": "no", "x": 1}}', "d", "invalid_arguments"),
        ('{"id": "e", "method": "sessions.get", "params": {"sessionKey": "no"}}', "e", "not_open"),
        ('{"id": "f", "method": {}}', "f", "unknown_method"),
        ("[" * 100_0 + "]" * 100_0, None, "invalid_message"),
    ],
)
async def test_a_message_that_makes_no_sense_is_answered_and_the_connection_stays(
    gateway: RunningGateway, message: str, identity: str | None, code: str
) -> None:
    async with gateway.client() as client:
        await client.send(message)
        error = (await client.answer(identity))["error"]
        assert error["code"] == code and error["message"] and error["hint"]
        assert await client.call("sessions.list") == {"sessions": []}


async def test_an_error_names_the_parameter_and_the_nearest_method(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        assert "`sessionKey`" in (await client.refused("sessions.get", sessionKye="a"))["message"]
        assert "sessions.list" in (await client.refused("sessions.lits"))["message"]


async def test_every_client_is_told_of_an_event_once(gateway: RunningGateway) -> None:
    async with gateway.client() as one, gateway.client() as two:
        key = (await one.call("sessions.create"))["sessionKey"]
        for client in (one, two):
            await client.event("session.opened", sessionKey=key)
        await two.call("sessions.close", sessionKey=key)
        for client in (one, two):
            await client.event("session.closed", sessionKey=key)
            assert [each["event"] for each in client.events] == ["hello", "session.opened", "session.closed"]


async def test_a_client_that_reconnects_catches_up_from_its_last_event(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        first = gateway.gateway.events.publish("settings.changed", {"key": "a", "n": 1})
        await client.event("settings.changed", n=1)
    for n in range(2, 50):
        gateway.gateway.events.publish("settings.changed", {"n": n})
    async with gateway.client(since=first) as client:
        await client.event("settings.changed", n=49)
        assert [each["data"]["n"] for each in client.events if each["event"] == "settings.changed"] == list(
            range(2, 50)
        )


async def test_a_client_that_was_away_too_long_is_told_that_it_missed_events(gateway: RunningGateway) -> None:
    async with gateway.client(since=1) as client:
        missed = await client.event("events.missed")
        assert missed["after"] == 1


async def test_a_token_allows_what_its_scopes_say_and_no_more(gateway: RunningGateway) -> None:
    async with gateway.client() as owner:
        viewer = (await owner.call("tokens.create", scopes=["view"]))["token"]
        made = await owner.call("tokens.create", scopes=["approve"], label="the desk")
        async with gateway.client(viewer) as client:
            assert (await client.event("hello"))["scopes"] == ["view"]
            await client.call("sessions.list")
            for name, method in methods().items():
                if Scope.VIEW not in method.needs:
                    assert (await client.request(name))["error"]["code"] in ("forbidden", "invalid_arguments"), name
            assert (await client.refused("sessions.create"))["code"] == "forbidden"
        async with gateway.client(made["token"]) as client:
            assert (await client.refused("exec.deny", approvalId="none"))["code"] == "not_open"
            await owner.call("tokens.revoke", id=made["id"])
            assert (await client.closed())[0] == 4401


async def test_a_token_expires(gateway: RunningGateway) -> None:
    text, _ = gateway.gateway.tokens.create({Scope.VIEW}, 0.0)
    async with gateway.raw_client() as client:
        await client.send({"type": "auth", "token": text})
        assert (await client.closed())[0] == 4401


async def test_the_owner_alone_can_read_the_tokens(gateway: RunningGateway) -> None:
    folder = gateway.gateway.settings.home_folder / "gateway"
    gateway.gateway.tokens.create({Scope.VIEW}, 60)
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file
    owner = (folder / "owner-token").read_text().strip()
    assert gateway.gateway.tokens.owner == owner and owner not in (folder / "tokens.json").read_text()


@pytest.mark.parametrize("header", ["Host", "Origin"])
async def test_other_hosts_and_origins_are_refused_with_the_flag(gateway: RunningGateway, header: str) -> None:
    value = "evil.example" if header == "Host" else "http://evil.example"
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    lines = [
        "GET / HTTP/1.1",
        f"Host: {value if header == 'Host' else 'localhost'}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    lines += [f"Origin: {value}"] if header == "Origin" else []
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = (await asyncio.wait_for(reader.read(4096), 10)).decode()
    writer.close()
    assert answer.startswith("HTTP/1.1 403") and f"--serve-allowed-{header.lower()}s" in answer


async def test_a_page_of_the_gateway_itself_may_connect(gateway: RunningGateway) -> None:
    async with gateway.raw_client(origin=f"http://localhost:{gateway.port}") as client:
        await client.send({"type": "auth", "token": gateway.gateway.tokens.owner})
        await client.event("hello")
    with pytest.raises(InvalidStatus):
        async with gateway.raw_client(origin="null"):
            pass


async def test_a_message_that_is_too_large_ends_that_connection_alone(gateway: RunningGateway) -> None:
    async with gateway.client() as other, gateway.client() as client:
        await client.send("x" * 70_000)
        assert (await client.closed())[0] == 1009
        await other.call("sessions.list")


async def test_a_flood_is_refused_and_then_cut_off(gateway: RunningGateway) -> None:
    async with gateway.client() as other, gateway.client() as client:
        try:
            for number in range(3000):
                await client.send({"id": number, "method": "sessions.list"})
        except ConnectionClosed:
            pass
        assert (await client.closed())[0] == 4429
        await other.call("sessions.list")


async def test_clients_are_limited(gateway: RunningGateway) -> None:
    async with running_gateway(serve__connections=1) as small, small.client(), small.raw_client() as client:
        await client.send(json.dumps({"type": "auth", "token": small.gateway.tokens.owner}))
        assert (await client.closed())[0] == 4409


async def test_clients_are_told_when_the_server_stops() -> None:
    async with running_gateway() as running:
        client_context = running.client()
        client = await client_context.__aenter__()
    code, reason = await client.closed()
    assert code == 1001 and "stopping" in reason
    await client_context.__aexit__(None, None, None)
