"""Opens and presses each page with a server, and watches for two seconds what its answer did not tell."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import replace

from bench.client import NoAnswer, ServerFailed
from bench.driver import Driver
from bench.servers import ROVE, Server
from bench.site import Site
from bench.waiting.cases import Case
from bench.waiting.verdict import WITHIN, is_told, steady, untold
from bench.waiting.watcher import Reading, Watcher

# Seconds between two looks at a page, and how long a page goes on before it is pressed.
LOOK = 0.1
BEFORE = 1.2


async def run(server: Server, cases: Sequence[Case], site: Site, port: int, limit: float) -> list[Case]:
    """Try all cases with one server."""
    tried: list[Case] = []
    driver = await Driver.start(server, site, limit)
    watcher = Watcher(port)
    try:
        for case in cases:
            try:
                tried.append(await _try(driver, watcher, site, case))
            except (NoAnswer, ServerFailed, LookupError) as failure:
                tried.append(replace(case, seconds=limit, wrong=str(failure) or type(failure).__name__))
                if isinstance(failure, NoAnswer):
                    await watcher.close()
                    await driver.kill()
                    driver = await Driver.start(server, site, limit)
            latest = tried[-1]
            print(f"    {latest.kind.name}, {latest.begins}: {latest.seconds * 1000:.0f} ms {latest.wrong}", flush=True)
    finally:
        await watcher.close()
        await driver.stop()
    return tried


async def _try(driver: Driver, watcher: Watcher, site: Site, case: Case) -> Case:
    address = site.url(case.path)
    before = None
    unshown: set[str] = set()
    if case.begins == "load":
        began = time.perf_counter()
        reply = await driver.navigate(case.path)
        text = reply.text if driver.server.key == ROVE else _plain((await driver.whole_snapshot()).text)
    else:
        await driver.navigate(case.path)
        await asyncio.sleep(BEFORE)
        first = await watcher.read(address)
        snapshot = (await driver.whole_snapshot()).text
        before = await watcher.read(address)
        if first and before:
            unshown |= _unshown(snapshot, [first, before])
        ref = driver.server.tool_calls.ref_of(case.button, snapshot)
        began = time.perf_counter()
        replies = await driver.click_and_see(ref)
        reply, text = replies[0], replies[-1].text
        if driver.server.key != ROVE:
            # It shows the page, not what changed.
            text, before = _plain(text), None
    seen = await _watch(watcher, address, began)
    later = (await driver.whole_snapshot()).text
    last = await watcher.read(address)
    if last:
        unshown |= _unshown(later, [*seen, last])
    wrong = untold(text, before, seen, case.kind.pending, case.excused, unshown)
    return replace(case, seconds=reply.seconds, wrong=wrong, text=text)


def _unshown(snapshot: str, around: Sequence[Reading]) -> set[str]:
    """Return what could be seen before and after a snapshot and is not in it: a matter of its form, not of waiting."""
    return {text for text in steady(around) if not is_told(_plain(snapshot), text)}


def _plain(snapshot: str) -> str:
    """Return a snapshot of another server without its list marks: in an answer of rove they say what is gone."""
    return re.sub(r"(?m)^(\s*)- ", r"\1", snapshot)


async def _watch(watcher: Watcher, address: str, began: float) -> list[Reading]:
    """Read the page from the answer on until two seconds after the act; at least once."""
    seen: list[Reading] = []
    while True:
        reading = await watcher.read(address)
        if reading is None:
            raise LookupError(f"the page {address} is not there to be watched")
        seen.append(reading)
        if reading.at - began > WITHIN:
            return seen
        await asyncio.sleep(LOOK)
