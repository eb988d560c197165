"""A worker over a real browser: what its sessions keep, carry over and forget."""

from __future__ import annotations

from pathlib import Path

from tests.site import Site

from rove import Session
from rove.jobs.addresses import Address
from rove.jobs.browser_worker import BrowserWorker
from rove.jobs.worker import PageAnswer, PageOptions
from rove.settings.tree import Settings

SCRIPT = """
async def run(session, url):
    await session.navigate(url)
    return (await session.evaluate("document.cookie")).result.value
"""


async def visit(worker: BrowserWorker, url: str) -> PageAnswer:
    return await worker.run(Address.of(url).task)


async def test_cookies_are_kept_carried_over_and_forgotten_as_asked(
    site: Site, settings: Settings, tmp_path: Path
) -> None:
    script = tmp_path / "cookies.py"
    script.write_text(SCRIPT)
    first = site.page("/first", "<script>document.cookie = 'first=1'</script>")
    second = site.page("/second", "<script>document.cookie = 'second=1'</script>")
    other = site.url("/first", "localhost")
    keeping = BrowserWorker(settings, PageOptions(str(script), keep_session=True), 1, Session)
    await keeping.open()
    try:
        assert (await visit(keeping, first)).result == "first=1"
        assert (await visit(keeping, other)).result == "first=1"
        assert "first=1" in (await visit(keeping, second)).result
        assert (await visit(keeping, "http://10.0.0.1/")).error is not None
        health = await keeping.health()
        assert (health.busy, health.pages, health.failed) == (0, 4, 1)
        assert (health.memory or 0) > 50 * 2**20
        state = await keeping.save()
    finally:
        await keeping.drain(0)
    # Another worker goes on from there. Each page begins with what was restored, and with nothing of the page before.
    fresh = BrowserWorker(settings, PageOptions(str(script), fresh=True), 1, Session)
    await fresh.open()
    try:
        await fresh.restore(state)
        third = site.page("/third", "<script>document.cookie = 'third=1'</script>")
        fourth = site.page("/fourth", "")
        assert "third=1" in (await visit(fresh, third)).result
        answer = await visit(fresh, fourth)
        assert ("second=1" in answer.result, "third=1" in answer.result) == (True, False)
        assert answer.final_url == fourth
    finally:
        await fresh.drain(0)
