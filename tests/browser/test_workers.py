"""Workers: listing, stopping, unregistering and bypassing them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.browser.page_data import WorkerInfo

CACHING = """self.addEventListener('install', () => skipWaiting());
  self.addEventListener('activate', event => event.waitUntil(clients.claim()));
  self.addEventListener('fetch', event => { if (event.request.url.includes('/data'))
    event.respondWith(new Response('stale')) })"""
CONTROLLED = """(async () => { await navigator.serviceWorker.register('/sw.js');
  while (!navigator.serviceWorker.controller) await new Promise(r => setTimeout(r, 20)) })()"""
ASK = "fetch('/data').then(r => r.text())"
PATIENCE = 10


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def listed(session: Session, count: int, **arguments: str) -> tuple[WorkerInfo, ...]:
    """Return the workers, once there are that many."""
    for _ in range(PATIENCE * 20):
        found = (await session.workers(**arguments)).result.workers  # type: ignore[arg-type]
        if len(found) == count:
            return found
        await session.wait(seconds=0.05)
    raise AssertionError(f"waited for {count} workers in vain: {found}")


@pytest.fixture
async def controlled(session: Session, site: Site) -> Session:
    """A session whose page is controlled by a service worker."""
    site.page("/sw.js", CACHING, kind="text/javascript")
    site.page("/data", "fresh", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate(CONTROLLED)
    return session


async def test_a_page_without_workers_has_none(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    result = (await session.workers()).result
    assert result.workers == ()
    assert str(result) == "There are no workers."


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not tell which page shared workers belong to")
async def test_workers_of_every_kind_are_listed(session: Session, site: Site) -> None:
    for kind in ("worker", "shared", "sw"):
        site.page(f"/{kind}.js", "", kind="text/javascript")
    script = "new Worker('/worker.js'); new SharedWorker('/shared.js'); navigator.serviceWorker.register('/sw.js')"
    await session.navigate(site.page("/", f"<script>{script}</script>"))
    found = await listed(session, 3)
    assert {(worker.kind, worker.url) for worker in found} == {
        ("worker", site.url("/worker.js")),
        ("shared worker", site.url("/shared.js")),
        ("service worker", site.url("/sw.js")),
    }
    (service,) = [worker for worker in found if worker.kind == "service worker"]
    assert service.scope == site.url("/")
    assert not service.controls_page


@pytest.mark.engines("chromium", reason="Firefox does not tell whether a service worker runs")
async def test_the_service_worker_that_controls_the_page_is_marked(controlled: Session, site: Site) -> None:
    (worker,) = (await controlled.workers()).result.workers
    assert worker.controls_page
    assert worker.state == "activated, running"
    await controlled.reload()
    outcome = await controlled.workers()
    assert outcome.result.workers[0].controls_page
    assert "controls this page" in str(outcome.result)


@pytest.mark.engines("chromium", reason="Firefox cannot send requests past a service worker")
async def test_a_service_worker_is_bypassed_and_used_again(controlled: Session, site: Site) -> None:
    assert await value(controlled, ASK) == "stale"
    result = (await controlled.workers("bypass")).result
    assert result.is_bypassed
    assert "bypassed" in str(result)
    await controlled.reload()
    assert await value(controlled, ASK) == "fresh"
    assert not (await controlled.workers("use")).result.is_bypassed
    await controlled.reload()
    assert await value(controlled, ASK) == "stale"


@pytest.mark.engines("chromium", reason="Firefox does not let workers be stopped")
async def test_a_stopped_service_worker_starts_again_when_needed(controlled: Session, site: Site) -> None:
    (stopped,) = (await controlled.workers("stop")).result.workers
    assert stopped.state == "activated, stopped"
    assert await value(controlled, ASK) == "stale"
    (again,) = (await controlled.workers()).result.workers
    assert again.state == "activated, running"


async def test_a_service_worker_is_unregistered(controlled: Session, site: Site) -> None:
    await controlled.workers("unregister")
    await controlled.reload()
    assert await listed(controlled, 0) == ()
    assert await value(controlled, ASK) == "fresh"


@pytest.mark.engines("chromium", reason="Firefox does not let workers be stopped")
async def test_a_worker_is_selected_by_a_part_of_its_url(session: Session, site: Site) -> None:
    for name in ("one", "two"):
        site.page(f"/{name}.js", "", kind="text/javascript")
    await session.navigate(site.page("/", "<script>a = new Worker('/one.js'); b = new Worker('/two.js')</script>"))
    await listed(session, 2)
    await session.workers("stop", url="one.js")
    assert [worker.url for worker in await listed(session, 1)] == [site.url("/two.js")]


@pytest.mark.engines("chromium", reason="Firefox does not let workers be stopped")
async def test_a_worker_whose_script_never_ends_is_stopped(session: Session, site: Site) -> None:
    site.page("/busy.js", "for (;;);", kind="text/javascript")
    await session.navigate(site.page("/", "<script>w = new Worker('/busy.js')</script>"))
    await listed(session, 1)
    await session.workers("stop")
    assert await listed(session, 0) == ()


async def test_a_worker_is_no_longer_listed_when_its_page_is_gone(session: Session, site: Site) -> None:
    site.page("/w.js", "", kind="text/javascript")
    await session.navigate(site.page("/", "<script>new Worker('/w.js')</script>"))
    await listed(session, 1)
    await session.navigate(site.page("/next", "<p>Next</p>"))
    assert await listed(session, 0) == ()


async def test_another_sessions_workers_are_not_seen(controlled: Session, site: Site) -> None:
    other = await controlled.another()
    await other.navigate(site.url("/"))
    assert (await other.workers()).result.workers == ()


@pytest.mark.engines("chromium", reason="Firefox does not tell which pages a service worker controls")
async def test_an_inspection_says_what_a_service_worker_controls(controlled: Session, site: Site) -> None:
    (worker,) = (await controlled.workers("inspect", url="sw.js")).result.workers
    assert worker.clients == (site.url("/"),)
    assert worker.fetched is not None and worker.fetched.startswith("20")
    assert f"controls {site.url('/')}" in str((await controlled.workers("inspect")).result)
    assert (await controlled.workers("inspect", url="other.js")).result.workers == ()


async def test_a_service_worker_is_updated(controlled: Session, site: Site) -> None:
    await controlled.workers("update")
    assert await value(controlled, ASK) == "stale"
    site.page("/sw.js", CACHING.replace("stale", "updated"), kind="text/javascript")
    found = (await controlled.workers("update")).result.workers
    assert found[0].state.startswith(("installed", "activat"))
    await listed(controlled, 1)  # the new version takes over by itself
    assert await value(controlled, ASK) == "updated"
