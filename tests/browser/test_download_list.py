"""The list of a tab's downloads."""

from __future__ import annotations

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
