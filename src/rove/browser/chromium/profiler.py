"""Recording a trace of one tab.

The browser records all of its processes, so that what it sends holds events of other tabs and sessions: it is kept in
memory until those are left out, and nothing else of it is written.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.performance import RecordedTrace
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.workspace import Workspace

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


class Page(Protocol):
    """The page that is recorded. `LivePage` is the one implementation."""

    cdp: CdpSession
    settings: Settings

    @property
    def url(self) -> PageText: ...
    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...


class Profiler:
    """Records one tab."""

    def __init__(self, page: Page, redact: Callable[[str], str]) -> None:
        self._page = page
        self._redact = redact
        self._is_recording = False

    @property
    def is_recording(self) -> bool:
        return self._is_recording

    async def start(self) -> None:
        """Start to record; raise LimitReached if the browser records another tab."""
        if self._is_recording:
            raise InvalidArguments("This tab is being recorded.", hint="Use {profile_stop}.")
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
            raise LimitReached(
                "The browser cannot record this tab now: it records one tab at a time.",
                hint="Stop the other recording with {profile_stop}, or try again when it has ended.",
            ) from error
        self._is_recording = True

    async def stop(self, name: str) -> RecordedTrace:
        """Stop, and write what was recorded to a file of this name."""
        if not self._is_recording:
            raise InvalidArguments("Nothing is being recorded in this tab.", hint="Use {profile_start} first.")
        from rove.browser.tracing import write_trace  # not needed to open a first page

        compressed, is_cut = await self._collect()
        workspace = Workspace(self._page.settings.workspace_folder)
        try:
            path, size, summary = await asyncio.to_thread(
                write_trace, workspace, name, compressed, self._may_tell, self._redact
            )
        except OSError as error:
            raise unwritable(workspace.root, error) from error
        return RecordedTrace(path, size, summary, is_cut)

    async def discard(self) -> None:
        """Stop and keep nothing."""
        if self._is_recording:
            with contextlib.suppress(CdpError, LimitReached, TimeoutError):
                await self._collect()

    async def _collect(self) -> tuple[bytes, bool]:
        """End the recording; return the compressed trace, and whether the browser had to leave something out."""
        cdp, complete = self._page.cdp, asyncio.get_running_loop().create_future()

        def on_complete(event: dict[str, Any]) -> None:
            if not complete.done():
                complete.set_result(event)

        cdp.on("Tracing.tracingComplete", on_complete)
        self._is_recording = False
        await cdp.send("Tracing.end")
        async with asyncio.timeout(COLLECTING_TIMEOUT):
            ended: dict[str, Any] = await complete
        return await _read(cdp, ended["stream"]), bool(ended.get("dataLossOccurred"))

    def _may_tell(self, url: str) -> bool:
        if not url.startswith(("http:", "https:")) or url.startswith(f"{self._page.url.origin}/"):
            return True
        return self._page.may_read(url)


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
