"""G1: What an extension of a profile sends passes the guard too, and its pages are not the agent's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.loopback_servers import Canary, canary
from tests.processes import marked
from tests.site import Site

from rove import Session
from rove.browser.chromium.discovery import find
from rove.engine.sessions import Sessions
from rove.errors import Denied, InvalidSettings
from rove.settings.tree import Settings

pytestmark = pytest.mark.engines("chromium", reason="extensions belong to profiles, which only Chromium has")

MANIFEST = {
    "manifest_version": 3,
    "name": "Courier",
    "version": "2.0",
    "host_permissions": ["<all_urls>"],
    "permissions": ["offscreen"],
    "background": {"service_worker": "background.js"},
    "content_scripts": [{"matches": ["<all_urls>"], "js": ["content.js"]}],
    "sandbox": {"pages": ["sandboxed.html"]},
}
# Each document tries what is refused first, and then tells the site that it has.
BACKGROUND = """
const settled = Promise.allSettled([
  fetch("http://127.0.0.1:CANARY/fetch"),
  fetch("http://[::1]:CANARY/fetch"),
  new Promise((done) => { const socket = new WebSocket("ws://127.0.0.1:CANARY/"); socket.onerror = done }),
]);
settled.then(() => fetch("SITE/background"));
const offscreen = { url: "offscreen.html", reasons: ["WEB_RTC"], justification: "test" };
// Not when it is installed: there may be no window yet.
chrome.runtime.onMessage.addListener(async () => {
  for (const url of ["page.html", "sandboxed.html"]) chrome.tabs.create({ url });
  await chrome.offscreen.createDocument(offscreen);
});
"""
# Chromium does not hold extensions to its policy for WebRTC, nor a web page that is framed by one.
WEBRTC = """
const gathering = (urls) => new Promise(async (begun) => {
  const connection = new RTCPeerConnection({ iceServers: [{ urls, username: "x", credential: "x" }] });
  connection.createDataChannel("x");
  connection.onicegatheringstatechange = begun;
  await connection.setLocalDescription(await connection.createOffer());
});
const tried = async () => {
  await gathering(["stun:127.0.0.1:CANARY", "stun:[::1]:CANARY", "turn:127.0.0.1:CANARY?transport=udp"]);
  await gathering(["turn:127.0.0.1:CANARY?transport=tcp"]);
};
const tell = (name) => tried().then(() => fetch("SITE/" + name, { mode: "no-cors" }));
"""
PAGE = """
Promise.allSettled([tried(), fetch("http://127.0.0.1:CANARY/page")]).then(() => fetch("SITE/page"));
"""
DOCUMENTS = {
    "page.html": "<script src=webrtc.js></script><script src=page.js></script><iframe src=SITE/rtc></iframe>",
    "offscreen.html": "<script src=webrtc.js></script><script src=offscreen.js></script>",
    "sandboxed.html": "<script src=webrtc.js></script><script>tell('sandboxed')</script>",
}
SCRIPTS = {"background.js": BACKGROUND, "webrtc.js": WEBRTC, "page.js": PAGE, "offscreen.js": "tell('offscreen')"}
TOLD = ("/background", "/page", "/frame", "/offscreen", "/sandboxed")
FRAME = f"<script>{WEBRTC} tell('frame')</script>"
CONTENT = """
document.documentElement.dataset.extension = chrome.runtime.getURL("page.html");
chrome.runtime.sendMessage("opened");
"""


@pytest.fixture
async def unreachable() -> AsyncGenerator[Canary]:
    async with canary() as watched:
        yield watched


def write_extension(folder: Path, site: Site, watched: Canary, **changes: object) -> Path:
    folder.mkdir(parents=True)
    files = SCRIPTS | DOCUMENTS | {"content.js": CONTENT, "manifest.json": json.dumps(MANIFEST | changes)}
    for name, text in files.items():
        (folder / name).write_text(addressed(text, site, watched), encoding="utf-8")
    return folder


def addressed(text: str, site: Site, watched: Canary) -> str:
    return text.replace("CANARY", str(watched.port)).replace("SITE/", site.url("/"))


def is_filtered(pid: int) -> bool:
    """Return whether the kernel filters the system calls of a process; also True if it has ended."""
    try:
        return "\nSeccomp:\t2\n" in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return True


@pytest.mark.contract("C7")
@pytest.mark.feature("Extensions", works=("chromium",))
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
        site.page("/rtc", addressed(FRAME, site, unreachable))
        first = await agent.navigate(site.page("/", "<title>Page</title>"))
        assert not [event for event in first.events if event.kind == "guarded in part"]
        async with asyncio.timeout(60):
            while not all(map(site.asked, TOLD)):
                await agent.wait(seconds=0.1)
        browser, *children = marked(own.home_folder)
        assert children and all(map(is_filtered, (browser, *children)))
        page = str((await agent.evaluate("document.documentElement.dataset.extension")).result.value)
        assert page.startswith("chrome-extension://")
        with pytest.raises(Denied):
            await agent.navigate(page)
        assert len((await agent.tabs()).result.tabs) == 1
        assert "extensions: Courier 2.0" in str((await agent.status()).result)
    assert unreachable.calls == []


async def test_an_extension_that_could_change_the_proxy_stops_the_start(
    tmp_path: Path, settings: Settings, site: Site, unreachable: Canary
) -> None:
    folder = write_extension(tmp_path / "courier", site, unreachable, permissions=["proxy"])
    with pytest.raises(InvalidSettings, match="`proxy`"):
        Sessions(replace(settings, profile="work", extension=(str(folder),)))
