"""`/settings` in a chat: what a person types is answered by the server, without the model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest
from tests.gateway.agent.model_server import ModelServer, Says, model_server
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway

from rove.settings.tree import load


@pytest.fixture
async def model() -> AsyncGenerator[ModelServer]:
    async with model_server() as played:
        yield played


@pytest.fixture
async def gateway(model: ModelServer) -> AsyncGenerator[RunningGateway]:
    async with running_gateway(serve__model="played", serve__model_url=model.url) as running:
        yield running


async def answered(client: GatewayClient, message: str) -> str:
    key = (await client.call("sessions.create"))["sessionKey"]
    run = (await client.call("chat.send", sessionKey=key, message=message))["runId"]
    final = await client.event("chat.final", runId=run)
    assert final["speaker"] == "server"
    text: str = final["text"]
    return text


@pytest.mark.contract("C6")
async def test_a_person_changes_a_setting_for_good_without_a_model(gateway: RunningGateway, model: ModelServer) -> None:
    home = gateway.gateway.settings.home_folder
    async with gateway.client() as client:
        shown = await answered(client, "/settings")
        assert "\nheadless = true\n" in shown and "\nbrowser_enabled = true\n" in shown
        assert "\nhome = " not in shown
        told = await answered(client, "/settings browser_headless false")
        assert told == "`headless` is false, from the next start of the server."
        assert not load(home=home).headless
        assert (await client.event("settings.changed", key="headless"))["value"] is False
        assert f"headless = false  ({home / 'config.toml'})" in await answered(client, "/settings headless")
        await answered(client, "/settings headless default")
        assert load(home=home).headless
        await answered(client, "/settings serve.allowed_hosts a.example, b.example")
        assert load(home=home).serve.allowed_hosts == ("a.example", "b.example")
    assert not model.requests


async def test_wrong_names_and_values_are_told_what_is_possible(gateway: RunningGateway) -> None:
    async with gateway.client() as client:
        unknown = await answered(client, "/settings headles false")
        assert "There is no setting `headles`" in unknown and "browser_enabled, " in unknown
        assert "It may be true or false." in await answered(client, "/settings headless perhaps")
        assert "It may be chromium, " in await answered(client, "/settings engine netscape")
        assert "It may be a number." in await answered(client, "/settings limits.tabs many")
    assert not gateway.gateway.settings.config_file.exists()


async def test_only_a_token_that_may_change_settings_changes_one(gateway: RunningGateway) -> None:
    async with gateway.client() as owner:
        token = (await owner.call("tokens.create", scopes=["act", "approve", "view"]))["token"]
    async with gateway.client(token) as client:
        assert "headless = true" in await answered(client, "/settings")
        key = (await client.call("sessions.create"))["sessionKey"]
        refused = await client.refused("chat.send", sessionKey=key, message="/settings headless false")
        assert refused["code"] == "forbidden" and "settings.set" in refused["message"]
    assert not gateway.gateway.settings.config_file.exists()


async def test_what_the_model_says_changes_nothing(gateway: RunningGateway, model: ModelServer) -> None:
    model.plays(Says(("/settings headless false",)), Says(("Yes.",)))
    async with gateway.client() as client:
        key = (await client.call("sessions.create"))["sessionKey"]
        for message in ("Say it", "/settings headless", "Again"):
            run = (await client.call("chat.send", sessionKey=key, message=message))["runId"]
            await client.event("chat.final", runId=run)
    assert not gateway.gateway.settings.config_file.exists()
    assert '/settings headless"' not in json.dumps(model.requests)  # the command of the person


async def test_a_value_that_can_hold_a_password_is_shown_to_nobody(gateway: RunningGateway) -> None:
    secret = "hunter2"
    async with gateway.client() as client:
        await answered(client, f"/settings proxy http://ann:{secret}@proxy.example:3128")
        await answered(client, "/settings proxy")
        await answered(client, f"/settings prozy http://ann:{secret}@proxy.example:3128")
        await answered(client, f"/settings proxy nonsense-{secret}")
        assert secret not in json.dumps(client.events)
    records = gateway.gateway.settings.journal_folder.glob("*.jsonl")
    assert not any(secret in record.read_text(encoding="utf-8") for record in records)
    assert secret in gateway.gateway.settings.config_file.read_text(encoding="utf-8")
