"""What the guard refuses is told to every client, and the owner can open a host for one session."""

from __future__ import annotations

import pytest
from tests.gateway.clients import running_gateway
from tests.site import Site

from rove.actions.navigation import Navigate
from rove.errors import Denied


async def test_the_owner_opens_a_refused_host_for_one_session(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROVE_ALLOW_HOST")
    address = site.page("/open", "<h1>Open</h1>")
    host = address.split("/")[2]
    async with running_gateway() as gateway, gateway.client() as client:
        one = (await client.call("sessions.create"))["sessionKey"]
        two = (await client.call("sessions.create"))["sessionKey"]
        sessions = gateway.gateway.sessions
        with pytest.raises(Denied):
            await sessions.session(one).run(Navigate(address))
        refused = await client.event("guard.refused", sessionKey=one)
        assert refused["host"] == host and refused["flag"]
        await client.call("hosts.allow", sessionKey=one, host=refused["host"])
        outcome = await sessions.session(one).run(Navigate(address))
        assert outcome.url == address
        with pytest.raises(Denied):
            await sessions.session(two).run(Navigate(address))
        assert (await client.refused("hosts.allow", sessionKey=one, host="not a host"))["code"] == "invalid_arguments"


async def test_what_is_never_allowed_stays_refused(site: Site) -> None:
    async with running_gateway() as gateway, gateway.client() as client:
        one = (await client.call("sessions.create"))["sessionKey"]
        await client.call("hosts.allow", sessionKey=one, host="169.254.169.254")
        with pytest.raises(Denied):
            await gateway.gateway.sessions.session(one).run(Navigate("http://169.254.169.254/latest/meta-data/"))


async def test_the_gateway_itself_is_never_reached_by_its_sessions() -> None:
    async with running_gateway(allow_host=("localhost", "127.0.0.1")) as gateway, gateway.client() as client:
        one = (await client.call("sessions.create"))["sessionKey"]
        for host in ("localhost", "127.0.0.1", "0.0.0.0"):
            await client.call("hosts.allow", sessionKey=one, host=f"{host}:{gateway.port}")
            with pytest.raises(Denied):
                await gateway.gateway.sessions.session(one).run(Navigate(f"http://{host}:{gateway.port}/"))
