"""Recording a trace of one tab.

The browser records all of its processes, so that what it sends holds events of other tabs and sessions: it is kept in
memory until those are left out, and nothing else of it is written.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from typing import Any

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.chromium.live_page import LivePage
from rove.browser.shared import profiler
from rove.browser.shared.profiler import recorded_already
from rove.errors import LimitReached

# Not the stacks of each layout, which DevTools records too: collecting them takes longer than the layouts themselves.
CATEGORIES = (
    "devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-v8.cpu_profiler", "v8.execute", "v8", "loading",
    "latencyInfo", "blink.user_timing",
)  # fmt: skip
# What the browser keeps of a recording; a longer one is cut.
BUFFER_KILOBYTES = 100_000
CHUNK_BYTES = 2**20
# Of the compressed trace, which is held in memory.
MOST_BYTES = 64 * 2**20
# Seconds that the browser may take to collect what its processes have recorded.
COLLECTING_TIMEOUT = 30.0


class Profiler(profiler.Profiler):
    """Records one tab, by the tracing of the browser."""

    _page: LivePage

    async def begin(self) -> None:
        config = {
            "includedCategories": list(CATEGORIES),
            "excludedCategories": ["*"],
            "recordMode": "recordUntilFull",
            "traceBufferSizeInKb": BUFFER_KILOBYTES,
        }
        options = {"transferMode": "ReturnAsStream", "streamFormat": "json", "streamCompression": "gzip"}
        try:
            await self._page.cdp.send("Tracing.start", {**options, "traceConfig": config})
        except CdpError as error:
            if self._page.cdp.is_closed:
                raise
            raise recorded_already() from error

    async def discard(self) -> None:
        if self.is_recording:
            with contextlib.suppress(CdpError, LimitReached, TimeoutError):
                await self.collect()

    async def collect(self) -> tuple[bytes, bool]:
        cdp, complete = self._page.cdp, asyncio.get_running_loop().create_future()

        def on_complete(event: dict[str, Any]) -> None:
            if not complete.done():
                complete.set_result(event)

        cdp.on("Tracing.tracingComplete", on_complete)
        self.is_recording = False
        await cdp.send("Tracing.end")
        async with asyncio.timeout(COLLECTING_TIMEOUT):
            ended: dict[str, Any] = await complete
        return await _read(cdp, ended["stream"]), bool(ended.get("dataLossOccurred"))


async def _read(cdp: CdpSession, stream: str) -> bytes:
    """Return the bytes of a stream of the browser; raise LimitReached if they are too many."""
    parts: list[bytes] = []
    try:
        while sum(map(len, parts)) <= MOST_BYTES:
            answer = await cdp.send("IO.read", {"handle": stream, "size": CHUNK_BYTES})
            parts.append(base64.b64decode(answer["data"]) if answer.get("base64Encoded") else answer["data"].encode())
            if answer["eof"]:
                return b"".join(parts)
    finally:
        with contextlib.suppress(CdpError):
            await cdp.send("IO.close", {"handle": stream})
    raise LimitReached("The recording is too large.", hint="Record for a shorter time.")
