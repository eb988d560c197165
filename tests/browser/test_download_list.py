"""The list of a tab's downloads."""

from __future__ import annotations

import asyncio
import threading

from tests.site import Site

from rove import Session, as_text


async def test_downloads_are_listed_when_they_are_complete(session: Session, site: Site) -> None:
    file = site.page("/listed.csv", "a,b", headers={"Content-Disposition": "attachment"})
    await session.navigate(site.page("/", f"<a href='{file}'>Report</a>"))
    assert as_text(await session.downloads()) == "No page of this tab has downloaded a file."
    await session.click("a")
    (listed,) = (await session.downloads(wait=True)).result.files
    assert (listed.name, listed.state) == ("listed.csv", "complete")
    assert listed.path is not None
    assert listed.path in as_text(await session.downloads())


async def test_a_file_whose_server_has_not_answered_yet_is_waited_for(session: Session, site: Site) -> None:
    held = threading.Event()
    file = site.page("/late.csv", "a,b", headers={"Content-Disposition": "attachment"}, hold=held)
    await session.navigate(site.page("/", f"<a href='{file}'>Report</a>"))
    await session.using(timeout=2).click("a")
    waiting = asyncio.create_task(session.downloads(wait=True))
    await session.status()  # the call above is under way
    assert not waiting.done()
    held.set()
    (listed,) = (await waiting).result.files
    assert (listed.name, listed.state) == ("late.csv", "complete")
