"""`python -m bench.proxy_overhead`: how much rove's proxy adds to the time of a page load.

Loads the same pages from this machine in one browser, in turn through a session's proxy, which runs in its own process
as in the program, and without it. Sessions of rove always use the proxy; only this benchmark does without.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from rove.browser.chromium.browser import Browser, launch, start_process
from rove.browser.chromium.tab import Tab
from rove.engine.network_access import EgressSettings
from rove.settings.tree import Settings

PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82"
)
PICTURES = (0, 20, 60)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve requests: `/20` is a page of twenty images that are not cached."""
    while (head := await _head(reader)) is not None:
        path = head.split(b" ", 2)[1].decode()
        number = path.removeprefix("/")
        body, kind = (_page(int(number)), b"text/html") if number.isdigit() else (PIXEL, b"image/png")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nCache-Control: no-store\r\n" % kind)
        writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()


async def _head(reader: asyncio.StreamReader) -> bytes | None:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None  # the browser closed the connection


def _page(pictures: int) -> bytes:
    stamp = time.monotonic_ns()
    images = "".join(f"<img src=/i{number}-{stamp}.png>" for number in range(pictures))
    return f"<!doctype html><link rel=icon href=data:,><h1>{pictures} pictures</h1>{images}".encode()


@asynccontextmanager
async def _tabs(address: str) -> AsyncGenerator[dict[str, Tab]]:
    """Open a tab that uses the proxy and one that does not, in one browser."""
    with tempfile.TemporaryDirectory(prefix="rv") as home:
        settings = Settings(home=Path(home), allow_host=(address,))
        egress = EgressSettings(settings)
        network = egress.for_session()
        proxy_url, _ = network.open()
        browser = await launch(settings, await start_process(settings, None), Browser)
        try:
            await network.trust(browser.process_group, loads_now=True)
            guarded = await browser.new_context(settings, proxy_url)
            direct = await browser.new_context(settings, "direct://")
            yield {"direct": await direct.new_tab(), "guarded": await guarded.new_tab()}
        finally:
            await browser.close()
            egress.close()


async def _load(tab: Tab, url: str) -> float:
    began = time.perf_counter()
    await tab.navigate(url)
    await tab.page.load_state.wait_for_stage("load")
    return (time.perf_counter() - began) * 1000


async def _measure(repeats: int) -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with _tabs(address) as tabs:
        print(f"{'requests':>8}  {'direct':>9}  {'guarded':>9}  overhead   (medians of {repeats} loads each, in turn)")
        for pictures in PICTURES:
            times: dict[str, list[float]] = {name: [] for name in tabs}
            for number in range(repeats + 2):
                for name, tab in tabs.items():
                    taken = await _load(tab, f"http://{address}/{pictures}")
                    if number > 1:  # the first loads warm up both tabs
                        times[name].append(taken)
            direct, guarded = (statistics.median(times[name]) for name in ("direct", "guarded"))
            print(f"{pictures + 1:>8}  {direct:>6.1f} ms  {guarded:>6.1f} ms  {guarded / direct - 1:>+8.1%}")
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.proxy_overhead", description=__doc__)
    parser.add_argument("--repeats", type=int, default=30, help="loads of each page, each way (default: 30)")
    asyncio.run(_measure(parser.parse_args().repeats))


if __name__ == "__main__":
    main()
