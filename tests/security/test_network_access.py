"""G1: A session refuses forbidden hosts with a reason: before a navigation, on redirects and for subresources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidSettings
from rove.settings.tree import Deadlines, Settings

METADATA_SERVICES = ("169.254.169.254", "100.100.100.200", "metadata.google.internal")


class Canary:
    """A server that must not be reached, and counts its connections."""

    def __init__(self) -> None:
        self.visits = 0
        self.port = 0

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        writer.close()

    async def watch(self) -> asyncio.Server:
        server = await asyncio.start_server(self._visited, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server


@pytest.fixture
async def canary() -> AsyncGenerator[Canary]:
    server = Canary()
    async with await server.watch():
        yield server


@pytest.fixture(scope="module")
async def guarded(home: Path, _server: Site) -> AsyncGenerator[Session]:
    """A session that may reach one port of this machine and no other."""
    deadlines = Deadlines(action=30, launch=60)
    settings = Settings(home=home / "guarded", allow_host=(f"127.0.0.1:{_server.port}",), deadlines=deadlines)
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def test_a_forbidden_address_is_refused_with_the_setting_that_would_allow_it(
    guarded: Session, canary: Canary
) -> None:
    with pytest.raises(Denied) as caught:
        await guarded.navigate(f"http://127.0.0.1:{canary.port}/")
    assert f"127.0.0.1:{canary.port}" in caught.value.message
    assert "loopback" in caught.value.message
    assert f'rove.open(allow_host="127.0.0.1:{canary.port}")' in caught.value.hint
    assert canary.visits == 0


@pytest.mark.parametrize(
    "host", ["localhost", "2130706433", "0x7f.1", "017700000001", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"]
)
async def test_this_machine_is_refused_in_every_notation(guarded: Session, canary: Canary, host: str) -> None:
    with pytest.raises(Denied):
        await guarded.navigate(f"http://{host}:{canary.port}/")
    assert canary.visits == 0


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_redirect_to_a_forbidden_host_is_refused_and_cannot_be_read(
    guarded: Session, site: Site, canary: Canary, scheme: str
) -> None:
    site.page("/there", "", status=302, headers={"Location": f"{scheme}://127.0.0.1:{canary.port}/"})
    with pytest.raises(Denied):
        await guarded.navigate(site.url("/there"))
    if scheme == "http":  # over https the browser shows no page at all
        for read in (guarded.snapshot(), guarded.extract(), guarded.evaluate("1"), guarded.screenshot()):
            with pytest.raises(Denied):
                await read
    assert canary.visits == 0
    assert "Good" in (await guarded.navigate(site.page("/good", "<h1>Good</h1>"))).changes.text


async def test_a_forbidden_subresource_is_refused_and_reported(guarded: Session, site: Site, canary: Canary) -> None:
    outcome = await guarded.navigate(site.page("/", f"<img src=http://127.0.0.1:{canary.port}/x.png><p>Text"))
    assert [event.kind for event in outcome.events] == ["refused"]
    assert f"127.0.0.1:{canary.port}" in outcome.events[0].text
    assert canary.visits == 0


@pytest.fixture(scope="module")
async def unguarded(home: Path) -> AsyncGenerator[Session]:
    """A session that may reach every address, those of metadata services by name too."""
    settings = Settings(home=home / "open", allow_host=("0.0.0.0/0", "*.internal", *METADATA_SERVICES))
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


@pytest.mark.parametrize("address", METADATA_SERVICES)
async def test_metadata_services_are_refused_whatever_is_allowed(unguarded: Session, address: str) -> None:
    with pytest.raises(Denied) as caught:
        await unguarded.navigate(f"http://{address}/latest/meta-data/")
    assert "metadata" in caught.value.message
    assert "--allow-host" not in caught.value.hint


def test_an_invalid_host_list_stops_the_start(home: Path) -> None:
    with pytest.raises(InvalidSettings, match="localhost:"):
        Sessions(Settings(home=home, allow_host=("localhost:port",)))
