"""E5: With stealth, pages find no trace of automation; each check finds rove without it."""

from __future__ import annotations

import asyncio
import html
import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.browser.test_devices import value
from tests.site import Site

from rove import Session
from rove.browser.chromium.browser import Browser, launch, start_process
from rove.browser.chromium.discovery import find
from rove.browser.chromium.stealth import graphics_cards, has_graphics_driver, is_software
from rove.settings.tree import Settings

pytestmark = pytest.mark.engines("chromium", reason="stealth is for Chromium")

DETECTOR = (Path(__file__).parent / "detector.js").read_text(encoding="utf-8")
PAGE = """<title>Detector</title><label>Name <input></label><button>Press</button><iframe></iframe>
<div style="height: 4000px"></div><script src="/detector.js"></script>"""
# What every check is called that finds rove in its usual mode.
WITHOUT_STEALTH = {
    "calls in this world", "chrome object", "client hints", "connection", "inspected console",
    "inspected console of a frame", "inspected console of a worker", "languages", "plugins", "scroll bars",
    "user agent", "viewport of robots", "webdriver", "window",
}  # fmt: skip
# The functions of a page as their sources, and all its names.
GLOBALS = """JSON.stringify(Object.getOwnPropertyNames(window).sort().map(name => {
  const value = Object.getOwnPropertyDescriptor(window, name).value;
  if (typeof value !== "function") return [name, typeof value];
  const methods = Object.getOwnPropertyDescriptors(value.prototype ?? {});
  return [name, String(value), Object.entries(methods).map(([key, each]) => [key, String(each.value ?? each.get)])];
}))"""


def serve_detector(site: Site) -> str:
    site.page("/detector.js", DETECTOR, kind="text/javascript")
    return site.page("/", PAGE)


async def marks(session: Session, site: Site) -> set[str]:
    """Return what the page finds, given the headers of its own request."""
    headers = {name.lower(): text for name, text in site.asked("/")[0].headers.items()}
    found = set(await value(session, f"marks({json.dumps(headers)})"))
    return found if has_graphics_driver() else found - {"WebGL"}


async def dom_without_driver(url: str, profile: Path, flag: str) -> str:
    """Return the document as a browser has it that no program drives."""
    browser = find(None, headless=False)
    assert browser is not None
    command = [
        browser.location,
        "--headless=new",
        "--no-sandbox",
        f"--user-data-dir={profile}",
        flag,
        "--dump-dom",
        url,
    ]
    run = partial(subprocess.run, command, capture_output=True, text=True, timeout=60, check=True)
    return (await asyncio.to_thread(run)).stdout


async def act(session: Session) -> None:
    await session.click("button")
    await session.type("hello", "input")
    await session.console()
    await session.snapshot()
    await session.screenshot()
    await session.scroll(direction="down")


@pytest.mark.contract("E5")
async def test_e5_a_page_finds_no_marks_before_and_after_clicking_typing_console_and_snapshot(
    stealthy: Session, site: Site
) -> None:
    await stealthy.navigate(serve_detector(site))
    assert await marks(stealthy, site) == set()
    await act(stealthy)
    assert await value(stealthy, "mouseEventCount()") > 4
    assert await marks(stealthy, site) == set()


@pytest.mark.contract("E5")
async def test_e5_the_same_checks_find_rove_without_stealth(session: Session, site: Site) -> None:
    await session.navigate(serve_detector(site))
    await act(session)
    found = await marks(session, site)
    assert found >= WITHOUT_STEALTH


@pytest.mark.slow
@pytest.mark.contract("E5")
async def test_e5_the_names_and_functions_of_a_page_are_those_of_a_browser_that_is_not_driven(
    stealthy: Session, session: Session, site: Site, tmp_path: Path
) -> None:
    def as_written(text: str) -> Any:
        return {name: rest for name, *rest in json.loads(text)}

    url = site.page(
        "/plain", f"<body><pre></pre><script>document.querySelector('pre').textContent = {GLOBALS}</script>"
    )
    dom = await dom_without_driver(url, tmp_path, "--disable-blink-features=AutomationControlled")
    await stealthy.navigate(url)
    seen = await value(stealthy, "document.querySelector('pre').textContent")
    as_html = await value(stealthy, "document.querySelector('pre').innerHTML")
    assert as_html in dom, _difference(as_written(seen), dom)
    await session.navigate(url)
    assert await value(session, "document.querySelector('pre').innerHTML") not in dom


def _difference(seen: dict[str, Any], dom: str) -> list[str]:
    plain = {name: rest for name, *rest in json.loads(html.unescape(dom.partition("<pre>")[2].partition("</pre>")[0]))}
    return [name for name in {*seen, *plain} if seen.get(name) != plain.get(name)]


@pytest.mark.slow
@pytest.mark.contract("E5")
async def test_e5_the_identity_is_that_of_the_same_browser_with_its_own_client_hints(
    stealthy: Session, site: Site, tmp_path: Path
) -> None:
    hints = (
        "navigator.userAgentData.getHighEntropyValues(['architecture', 'bitness', 'formFactors', 'fullVersionList', "
    )
    hints += "'model', 'platform', 'platformVersion', 'uaFullVersion', 'wow64']).then(JSON.stringify)"
    url = site.page(
        "/hints", f"<pre></pre><script>{hints}.then(text => document.querySelector('pre').append(text))</script>"
    )
    dom = await dom_without_driver(url, tmp_path, "--virtual-time-budget=2000")
    await stealthy.navigate(url)
    assert json.loads(dom.partition("<pre>")[2].partition("</pre>")[0]) == json.loads(await value(stealthy, hints))


SOURCE_OF_WORKER = """
const reads = () => { let count = 0;
  Object.defineProperty(Error.prototype, "name", { configurable: true, get: () => { count += 1; return "Error" } });
  console.debug(new Error("")); delete Error.prototype.name; return count };
const tell = async () => { const told = await navigator.userAgentData.getHighEntropyValues(["uaFullVersion"]);
  return [navigator.userAgent, told.uaFullVersion, reads()] };
self.onconnect = async (event) => event.ports[0].postMessage(await tell());
self.onmessage = async (event) => event.source?.postMessage(await tell());
"""


# What the page, a shared worker, a service worker and a frame of another site tell.
TELL_ALL = """async () => {
  const next = (target) => new Promise(resolve => target.onmessage = event => resolve(event.data));
  const shared = await next(new SharedWorker("/worker.js").port);
  await navigator.serviceWorker.register("/worker.js");
  const service = next(navigator.serviceWorker);
  (await navigator.serviceWorker.ready).active.postMessage("tell");
  const frame = next(window);
  document.body.append(Object.assign(document.createElement("iframe"), { src: "%s" }));
  const own = await navigator.userAgentData.getHighEntropyValues(["uaFullVersion"]);
  return [[navigator.userAgent, own.uaFullVersion, 1], shared, await service, await frame];
}"""


@pytest.mark.contract("E5")
async def test_e5_shared_and_service_workers_and_frames_of_other_sites_are_as_the_page_is(
    stealthy: Session, site: Site
) -> None:
    site.page("/worker.js", SOURCE_OF_WORKER, kind="text/javascript")
    site.page("/frame", f"<script>{SOURCE_OF_WORKER}; tell().then(told => parent.postMessage(told, '*'))</script>")
    await stealthy.navigate(site.page("/", "<p>page"))
    told = await value(stealthy, TELL_ALL % site.url("/frame", "localhost"))
    assert "Headless" not in told[0][0]
    assert told[1:] == [told[0]] * 3
    for path in ("/worker.js", "/frame"):
        assert {request.headers["User-Agent"] for request in site.asked(path)} == {told[0][0]}


@pytest.mark.contract("E5")
async def test_e5_webgl_names_the_renderer_that_doctor_tells_and_no_program_where_there_is_a_card(
    stealthy: Session, site: Site
) -> None:
    await stealthy.navigate(serve_detector(site))
    named = await value(stealthy, "webGlRenderer")
    settings = Settings(stealth=True)
    browser = await launch(settings, await start_process(settings, lambda _: None), Browser)
    try:
        told = await browser.webgl_renderer()  # with the version of the driver, which pages are not told
        assert told.startswith(named.removesuffix(")"))
    finally:
        await browser.close()
    usable = [card for card in graphics_cards() if os.access(card, os.R_OK | os.W_OK)]
    assert not usable or not is_software(named)
