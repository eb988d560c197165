"""Emulation: viewport sizes and being offline."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import InvalidArguments, NavigationFailed

ASK = "fetch('/data', {cache: 'no-store'}).then(r => r.text(), () => 'no network')"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def test_a_viewport_takes_the_size_that_is_given(session: Session, site: Site) -> None:
    page = "<style>nav {display: none} @media (max-width: 500px) {nav {display: block}}</style><nav>Menu</nav>"
    await session.navigate(site.page("/", page))
    outcome = await session.resize(400, 700)
    assert await value(session, "[innerWidth, innerHeight]") == [400, 700]
    assert "Menu" in outcome.changes.text
    assert (await session.screenshot()).result.width == 400


async def test_a_viewport_stays_across_navigations_and_applies_to_its_tab_only(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.resize(400, 700)
    await session.navigate(site.page("/next", "<p>Next</p>"))
    assert await value(session, "innerWidth") == 400
    await session.tabs("new", url=site.url("/"))
    assert await value(session, "innerWidth") == 1280


@pytest.mark.parametrize(("width", "height"), [(0, 100), (100, 0), (-1, 100)])
async def test_a_viewport_of_size_zero_is_refused(session: Session, site: Site, width: int, height: int) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.resize(width, height)
    assert caught.value.message == "Invalid dimensions: width and height must be positive"


async def test_offline_no_request_reaches_the_server(session: Session, site: Site) -> None:
    site.page("/data", "fresh", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.offline()
    asked = len(site.requests)
    assert await value(session, f"Promise.all([navigator.onLine, {ASK}])") == [False, "no network"]
    with pytest.raises(NavigationFailed) as caught:
        await session.navigate(site.url("/?again"))
    assert "ERR_INTERNET_DISCONNECTED" in caught.value.message
    assert len(site.requests) == asked
    await session.offline(False)
    await session.navigate(site.url("/"))
    assert await value(session, f"Promise.all([navigator.onLine, {ASK}])") == [True, "fresh"]


async def test_offline_applies_to_the_whole_session_and_to_no_other(session: Session, site: Site) -> None:
    site.page("/data", "fresh", kind="text/plain")
    site.page("/w.js", f"onmessage = async () => postMessage(await {ASK})", kind="text/javascript")
    page = f"<iframe src={site.url('/frame', 'localhost')}></iframe><script>w = new Worker('/w.js')</script>"
    site.page("/frame", f"<script>onmessage = async (e) => e.source.postMessage(await {ASK}, '*')</script>")
    other = await session.another()
    await other.navigate(site.page("/", page))
    await session.navigate(site.url("/"))
    await session.tabs("new", url=site.url("/"))
    await session.offline()
    from_worker = "new Promise(r => { w.onmessage = e => r(e.data); w.postMessage(1) })"
    from_frame = "new Promise(r => { onmessage = e => r(e.data); frames[0].postMessage(1, '*') })"
    for tab in ("t1", "t2"):
        for where in (ASK, from_worker, from_frame):
            assert (await session.using(tab=tab).evaluate(where)).result.value == "no network"
    assert await value(other, ASK) == "fresh"


async def test_a_tab_that_is_opened_offline_is_offline(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.offline()
    asked = len(site.requests)
    with pytest.raises(NavigationFailed):
        await session.tabs("new", url=site.url("/"))
    assert len(site.requests) == asked


@pytest.mark.engines(
    "chromium", reason="Firefox looks for a new version of a service worker also where a session is offline"
)
async def test_a_service_worker_is_offline_too_and_answers_from_its_cache(session: Session, site: Site) -> None:
    worker = """self.addEventListener('install', e => e.waitUntil(
        caches.open('x').then(cache => cache.add('/')).then(() => skipWaiting())));
      self.addEventListener('activate', e => e.waitUntil(clients.claim()));
      self.addEventListener('fetch', e => e.respondWith(
        caches.match(e.request).then(kept => kept || fetch(e.request))))"""
    site.page("/sw.js", worker, kind="text/javascript")
    site.page("/data", "fresh", kind="text/plain")
    await session.navigate(site.page("/", "<h1>From the cache</h1>"))
    await session.evaluate("""(async () => { await navigator.serviceWorker.register('/sw.js');
      while (!navigator.serviceWorker.controller) await new Promise(r => setTimeout(r, 20)) })()""")
    assert await value(session, ASK) == "fresh"
    await session.offline()
    asked = len(site.requests)
    assert "From the cache" in (await session.navigate(site.url("/"))).changes.text
    assert await value(session, ASK) == "no network"
    assert len(site.requests) == asked
