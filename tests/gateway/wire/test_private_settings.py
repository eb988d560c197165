"""Settings that can hold a password: the owner sees them, and no other client does."""

from __future__ import annotations

from typing import Any

from tests.gateway.clients import GatewayClient, running_gateway

SECRET = "http://anna:letmein@proxy.example:8080"


async def proxy_of(client: GatewayClient) -> Any:
    listed = (await client.call("settings.get"))["settings"]
    return next(setting["value"] for setting in listed if setting["key"] == "proxy")


async def test_only_the_owner_sees_the_address_of_a_proxy() -> None:
    async with running_gateway() as running, running.client() as owner:
        made = await owner.call("tokens.create", scopes=["view", "act", "approve"])
        async with running.client(made["token"]) as other:
            await owner.call("settings.set", key="proxy", value=SECRET)
            assert await proxy_of(owner) == SECRET
            assert await proxy_of(other) is None
            assert (await other.event("settings.changed", key="proxy"))["value"] is None
