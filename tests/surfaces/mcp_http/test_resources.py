"""Resources: files that rove wrote, pictures and journals, for the client whose sessions they are of."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ImageContent
from tests.site import Site
from tests.surfaces.mcp_http.serving import connected
from tests.surfaces.test_mcp import connected as connected_to_process

from rove.settings.tree import Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

ERAS = ["legacy", "2026-07-28"]


async def read(client: Client, uri: str) -> bytes:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, BlobResourceContents)
    return base64.b64decode(content.blob)


async def uris(client: Client) -> list[str]:
    return [str(each.uri) for each in (await client.list_resources()).resources]


@pytest.fixture
def workspace(settings: Settings) -> Generator[Path]:
    """The workspace, with a secret beside it and a link to that."""
    folder = settings.workspace_folder
    downloads = folder / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    secret, own, link = folder.parent / "secret.txt", folder / "passport.txt", downloads / "link.txt"
    secret.write_text("secret")
    own.write_text("put here to be uploaded")
    link.symlink_to(secret)
    yield folder
    for file in (secret, own, link):
        file.unlink()


@pytest.mark.parametrize("mode", ERAS)
async def test_a_download_can_be_listed_and_read(endpoint: str, site: Site, workspace: Path, mode: str) -> None:
    attached = {"Content-Disposition": f"attachment; filename*=UTF-8''{mode}%20t%C3%A9%23.csv"}
    url = site.page("/list", "a,b\n1,2\n", kind="text/csv", headers=attached)
    async with connected(endpoint, mode) as client:
        await client.call_tool("browser_navigate", {"url": url})
        listed = (await client.list_resources()).resources
        (found,) = [each for each in listed if each.name == f"downloads/{mode} té#.csv"]
        assert (found.mime_type, found.size) == ("text/csv", 8)
        assert await read(client, str(found.uri)) == b"a,b\n1,2\n"
        templates = (await client.list_resource_templates()).resource_templates
    assert "rove://files/{+path}" in [each.uri_template for each in templates]


@pytest.mark.parametrize("mode", ERAS)
async def test_pictures_and_the_journal_of_a_session_can_be_read(endpoint: str, site: Site, mode: str) -> None:
    async with connected(endpoint, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Tea</h1>")})
        taken = await client.call_tool("browser_screenshot", {})
        (image,) = [part for part in taken.content if isinstance(part, ImageContent)]
        listed = await uris(client)
        (picture,) = [uri for uri in listed if "/pictures/" in uri]
        assert await read(client, picture) == base64.b64decode(image.data)
        (journal,) = [uri for uri in listed if uri.endswith("/journal")]
        entries = [json.loads(line) for line in (await read(client, journal)).splitlines()]
    assert [entry["action"] for entry in entries] == ["navigate", "screenshot"]
    assert "data" not in entries[1]["attachments"][0]


@pytest.mark.parametrize("mode", ERAS)
async def test_pictures_and_journals_of_another_token_cannot_be_read(endpoint: str, site: Site, mode: str) -> None:
    async with connected(endpoint, mode) as anna, connected(endpoint, mode, "token-of-bea") as bea:
        await anna.call_tool("browser_navigate", {"url": site.page("/", "<h1>Tea</h1>")})
        await anna.call_tool("browser_screenshot", {})
        own = [uri for uri in await uris(anna) if "/sessions/" in uri]
        assert len(own) == 2
        assert not {*own} & {*await uris(bea)}
        for uri in own:
            with pytest.raises(MCPError) as caught:
                await bea.read_resource(uri)
            assert caught.value.error.code == -32602


@pytest.mark.parametrize("mode", ERAS)
async def test_a_journal_begins_when_its_session_was_opened(endpoint: str, site: Site, mode: str) -> None:
    """The file of a session's name may hold what another client did in a session of that name."""
    async with connected(endpoint, mode) as anna, connected(endpoint, mode, "token-of-bea") as bea:
        await anna.call_tool("browser_open_session", {"name": "bank"})
        await anna.call_tool("browser_navigate", {"url": site.page("/account", "<h1>1,000</h1>"), "session": "bank"})
        await anna.call_tool("browser_close_session", {"name": "bank"})
        await bea.call_tool("browser_open_session", {"name": "bank"})
        await bea.call_tool("browser_snapshot", {"session": "bank"})
        journal = await read(bea, "rove://sessions/bank/journal")
    assert b"/account" not in journal
    assert [json.loads(line)["action"] for line in journal.splitlines()] == ["snapshot"]


@pytest.mark.parametrize(
    "uri",
    [
        "rove://files/passport.txt",
        "rove://files/../secret.txt",
        "rove://files/downloads/../../secret.txt",
        "rove://files/downloads/..%2F..%2Fsecret.txt",
        "rove://files/downloads/%2e%2e/%2e%2e/secret.txt",
        "rove://files/downloads/link.txt",
        "rove://files/downloads//etc/passwd",
        "rove://files//etc/passwd",
        "rove://files/downloads/",
        "rove://files/downloads",
        "rove://files/downloads/missing.txt",
        "rove://files/downloads/a%00.txt",
        "rove://sessions/default/journal",
        "rove://sessions/..%2F..%2Fsecret/journal",
        "rove://sessions",
        "rove://other/x",
        "file:///etc/passwd",
        "rove://[/",
        "",
    ],
)
async def test_nothing_else_can_be_read(endpoint: str, workspace: Path, uri: str) -> None:
    async with connected(endpoint, "2026-07-28") as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert caught.value.error.code == -32602
        assert not [each for each in await uris(client) if "passport" in each or "link" in each]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_process_offers_the_same_resources_over_stdio(home: Path, site: Site, mode: str) -> None:
    async with connected_to_process(home / "resources", mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Tea</h1>")})
        assert b'"action": "navigate"' in await read(client, "rove://sessions/default/journal")
        assert "rove://sessions/default/journal" in await uris(client)
