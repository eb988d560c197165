"""`python -m bench.fetching`: read every page with `web_fetch`, and print which way was taken."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.site import OWN_SITES, Site, serving

import rove
from bench.fetching.pages import TestPage, Way, serve_pages
from rove.errors import RoveError


async def main() -> int:
    with serving() as site, tempfile.TemporaryDirectory(prefix="fetch") as folder:
        pages = serve_pages(site, Path(folder))
        ways = await _read(site, pages, Path(folder) / "home")
    groups: defaultdict[str, list[tuple[TestPage, Way]]] = defaultdict(list)
    for page, way in zip(pages, ways, strict=True):
        groups[page.kind].append((page, way))
        if page.way != way:
            print(f"{page.kind}, {page.name}: {way} instead of {page.way}")
    print("| pages | | over HTTP | with the browser | error | as they should |\n|---|---|---|---|---|---|")
    for kind, read in groups.items():
        counts = [sum(way == each for _, way in read) for each in ("HTTP", "browser", "error")]
        right = sum(page.way == way for page, way in read)
        print(f"| {kind} | {len(read)} | {counts[0]} | {counts[1]} | {counts[2]} | {right} |")
    return int(any(page.way != way for page, way in zip(pages, ways, strict=True)))


async def _read(site: Site, pages: list[TestPage], home: Path) -> list[Way]:
    async with rove.open(home=home, allow_host=list(OWN_SITES)) as session:
        return [await _way(session, site, page) for page in pages]


async def _way(session: rove.Session, site: Site, page: TestPage) -> Way:
    before = len(site.requests)
    try:
        await session.web_fetch(site.url(page.path))
    except RoveError:
        return "error"
    is_browser = any("Sec-Fetch-Mode" in request.headers for request in site.requests[before:])
    return "browser" if is_browser else "HTTP"


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
