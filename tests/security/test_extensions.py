"""G1: What an extension of a profile sends passes the guard too, and its pages are not the agent's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.loopback_servers import Canary, canary
from tests.site import Site

from rove import Session
from rove.chromium.process.discovery import find
from rove.engine.sessions.sessions import Sessions
from rove.errors import Denied, InvalidSettings
from rove.settings.tree import Settings

pytestmark = pytest.mark.engines("chromium", reason="extensions belong to profiles, which only Chromium has")

MANIFEST = {
    "manifest_version": 3,
    "name": "Courier",
    "version": "2.0",
    "host_permissions": ["<all_urls>"],
    "background": {"service_worker": "background.js"},
    "content_scripts": [{"matches": ["<all_urls>"], "js": ["content.js"]}],
}
# Each tries what is refused first, and then tells the site that it has.
BACKGROUND = """
const settled = Promise.allSettled([
  fetch("http://127.0.0.1:CANARY/fetch"),
  fetch("http://[::1]:CANARY/fetch"),
  new Promise((done) => { const socket = new WebSocket("ws://127.0.0.1:CANARY/"); socket.onerror = done }),
]);
settled.then(() => fetch("SITE/background"));
chrome.runtime.onInstalled.addListener(() => chrome.tabs.create({ url: "page.html" }));
"""
# Chromium does not hold extensions to its policy for WebRTC: a frame of the page is held to that of the page.
WEBRTC = """
const gathered = async () => {
  const connection = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:CANARY" }] });
  connection.createDataChannel("x");
  const done = new Promise((resolve) => {
    connection.onicegatheringstatechange = () => connection.iceGatheringState === "complete" && resolve();
  });
  await connection.setLocalDescription(await connection.createOffer());
  await done;
};
"""
PAGE = (
    WEBRTC
    + """
Promise.allSettled([gathered(), fetch("http://127.0.0.1:CANARY/page")]).then(() => fetch("SITE/page"));
"""
)
FRAME = f"<script>{WEBRTC} gathered().catch(() => 0).finally(() => fetch('/frame'))</script>"
CONTENT = 'document.documentElement.dataset.extension = chrome.runtime.getURL("page.html")'


@pytest.fixture
async def unreachable() -> AsyncGenerator[Canary]:
    async with canary() as watched:
        yield watched


def write_extension(folder: Path, site: Site, watched: Canary, **changes: object) -> Path:
    folder.mkdir(parents=True)
    files = {"background.js": BACKGROUND, "page.js": PAGE, "content.js": CONTENT}
    files |= {
        "page.html": "<script src=page.js></script><iframe src=SITE/rtc></iframe>",
        "manifest.json": json.dumps(MANIFEST | changes),
    }
    for name, text in files.items():
        text = text.replace("CANARY", str(watched.port)).replace("SITE/", site.url("/"))
        (folder / name).write_text(text, encoding="utf-8")
    return folder


async def test_requests_of_an_extension_pass_the_guard_and_its_pages_are_closed_to_the_agent(
    tmp_path: Path, home: Path, settings: Settings, site: Site, unreachable: Canary
) -> None:
    if find(None, headless=False) is None:
        pytest.skip("no full browser is installed; `rove install --no-headless` fetches one")
    folder = write_extension(tmp_path / "courier", site, unreachable)
    own = replace(settings, home=home / "extensions", allow_host=(f"127.0.0.1:{site.port}",))
    own = replace(own, profile="work", extension=(str(folder),))
    async with Sessions(own) as sessions:
        agent = Session(sessions, None)
        site.page("/rtc", FRAME.replace("CANARY", str(unreachable.port)))
        first = await agent.navigate(site.page("/", "<title>Page</title>"))
        assert "guarded in part" in {event.kind for event in first.events}
        async with asyncio.timeout(60):
            while not (all(map(site.asked, ("/background", "/page", "/frame")))):
                await agent.wait(seconds=0.1)
        # WebRTC is removed as a page of an extension opens, which may be too late: the notice says so.
        assert [call for call in unreachable.calls if not call.startswith("udp")] == []
        page = str((await agent.evaluate("document.documentElement.dataset.extension")).result.value)
        assert page.startswith("chrome-extension://")
        with pytest.raises(Denied):
            await agent.navigate(page)
        assert len((await agent.tabs()).result.tabs) == 1
        assert "extensions: Courier 2.0" in str((await agent.status()).result)


async def test_an_extension_that_could_change_the_proxy_stops_the_start(
    tmp_path: Path, settings: Settings, site: Site, unreachable: Canary
) -> None:
    folder = write_extension(tmp_path / "courier", site, unreachable, permissions=["proxy"])
    with pytest.raises(InvalidSettings, match="`proxy`"):
        Sessions(replace(settings, profile="work", extension=(str(folder),)))
