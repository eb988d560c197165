"""Methods of the gateway that were made for its page: downloads, snapshots, hosts, exports."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator

import pytest
from tests.gateway.clients import GatewayClient, RunningGateway
from tests.site import Site

from rove.surfaces.gateway.methods.sessions import page_of
from rove.surfaces.gateway.tokens import Scope

KEY = "methods"


@pytest.fixture
async def client(gateway: RunningGateway) -> AsyncGenerator[GatewayClient]:
    async with gateway.client() as connected:
        await connected.call("sessions.create", name=KEY)
        yield connected
        await connected.call("sessions.close", sessionKey=KEY)


async def test_downloads_are_listed_and_read_and_nothing_beside_them(
    client: GatewayClient, gateway: RunningGateway
) -> None:
    folder = gateway.gateway.settings.workspace_folder / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.txt").write_bytes(b"42")
    (folder / "link.txt").symlink_to("/etc/hostname")
    (folder.parent / "own.txt").write_bytes(b"not downloaded")
    listed = (await client.call("downloads.list"))["files"]
    names = {file["name"]: file["bytes"] for file in listed}
    assert names["report.txt"] == 2
    assert not names.keys() & {"link.txt", "own.txt"}
    read = await client.call("downloads.read", file="report.txt")
    assert base64.b64decode(read["data"]) == b"42" and read["mimeType"] == "text/plain"
    for name in ("../own.txt", "link.txt", "/etc/hostname", "missing.txt"):
        assert (await client.refused("downloads.read", file=name))["code"] in ("denied", "invalid_arguments")


async def test_looking_does_not_change_what_the_agent_is_told(
    client: GatewayClient, gateway: RunningGateway, site: Site
) -> None:
    assert (await client.refused("session.snapshot", sessionKey=KEY))["code"] == "not_open"
    page = site.page("/list", "<p id=one>one</p>")
    await client.call("tools.call", sessionKey=KEY, name="browser_navigate", arguments={"url": page})
    change = {"expression": "document.querySelector('#one').textContent = 'two'", "snapshot": "none"}
    await client.call("tools.call", sessionKey=KEY, name="browser_evaluate", arguments=change)
    seen = await client.call("session.snapshot", sessionKey=KEY)
    assert [line["text"].strip() for line in seen["lines"]] == ['"one"'] and seen["picture"]["data"]
    told = await client.call("tools.call", sessionKey=KEY, name="browser_wait", arguments={"text": "two"})
    assert '"two"' in told["text"]


async def test_a_host_that_may_never_be_reached_stays_closed(client: GatewayClient) -> None:
    await client.call("hosts.allow", sessionKey=KEY, host="169.254.169.254")
    arguments = {"url": "http://169.254.169.254/latest"}
    told = await client.call("tools.call", sessionKey=KEY, name="browser_navigate", arguments=arguments)
    assert not told["ok"] and told["text"].startswith("denied")
    assert (await client.refused("hosts.allow", sessionKey=KEY, host="http://no:such:host"))["code"]


async def test_a_link_that_has_ended_shows_nothing_more(gateway: RunningGateway) -> None:
    token, known = gateway.gateway.tokens.create([Scope.VIEW_ALL], 60)
    async with gateway.client(token) as guest:
        async with gateway.client() as owner:
            await owner.call("tokens.revoke", id=known.id)
        gateway.gateway.events.publish("session.changed", {}, KEY)
        assert (await guest.closed())[0] == 4401
        assert [message["event"] for message in guest.events] == ["hello"]


def test_an_exported_page_runs_nothing_that_a_page_wrote() -> None:
    hostile = "<script>alert(1)</script>"
    entry = {
        "number": 1,
        "kind": "action",
        "action": "click",
        "summary": hostile,
        "url": hostile,
        "arguments": {"target": hostile},
        "changes": hostile,
        "error": hostile,
        "outcome": hostile,
        "attachments": [
            {"mimeType": "image/png", "data": '"><script>', "name": hostile},
            {"mimeType": "text/html", "data": ""},
        ],
    }
    page = page_of(hostile, [entry], False)
    assert "<script" not in page and "default-src 'none'" in page
