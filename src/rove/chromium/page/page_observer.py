"""Observing a page: waiting until it is quiet, taking snapshots and remembering what the agent has seen."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from rove.chromium.capture.frame_rows import ReadOptions, read_element, read_page
from rove.chromium.frames.worlds import World
from rove.chromium.page.live_page import LivePage
from rove.chromium.protocol.connection import CdpError
from rove.errors import ScriptFailed
from rove.snapshot import Snapshot
from rove.target import Ref, parse_target

QUIET_ROUND_SECONDS = 1.0
NEXT_DOCUMENT_TIMEOUT = 1.0
WAIT_UNTIL_QUIET = "(ms, ago) => rove.untilIdle(ms, ago)"
WAIT_AND_READ_ROWS = "(ms, ago) => rove.snapshotWhenIdle(ms, ago)"


class PageObserver:
    """Takes snapshots of one page and remembers the last one that the agent has seen."""

    def __init__(self, page: LivePage, withheld: Callable[[], str]) -> None:
        self._page = page
        self._withheld = withheld
        self._rows: dict[str, Any] | None = None
        self.seen: Snapshot | None = None
        self.seen_document = 0
        # The frame that the running action has acted in.
        self._touched: World | None = None
        self._image_digest: bytes | None = None

    def note_touched(self, world: World | None) -> None:
        """Note the frame that the running action acts in; None when another action begins."""
        self._touched = world

    async def take_snapshot(self, ref: str | None = None, **options: Any) -> Snapshot:
        """Return the page, or the element that a ref means, as it is now."""
        options = {name: value for name, value in options.items() if value is not None}
        read_options = ReadOptions(self._page.frame_timeout, self._page.may_read, self._withheld(), "links" in options)
        if ref is not None:
            return await self._take_element_snapshot(ref, options, read_options)
        rows, self._rows = self._rows, None
        while True:
            if self._page.load_state.keeps_navigating:
                await self._page.navigation_block.enable()
            documents = self._page.load_state.documents
            try:
                return await read_page(self._page.worlds, options, read_options, rows if not options else None)
            except CdpError:
                # The document may have been replaced meanwhile; then the next one is read.
                if self._page.cdp.is_closed or not await self._has_next_document(documents):
                    raise
            rows = None

    async def _take_element_snapshot(self, ref: str, options: dict[str, Any], read_options: ReadOptions) -> Snapshot:
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        return await read_element(self._page.worlds, world, {**options, "root": target.local}, read_options)

    def is_new_image(self, data: bytes) -> bool:
        """Return whether a screenshot differs from the last one, and remember it."""
        before, self._image_digest = self._image_digest, sha256(data).digest()
        return before != self._image_digest

    async def _has_next_document(self, documents: int) -> bool:
        """Return whether another document has replaced the one that was there, which may be reported late."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NEXT_DOCUMENT_TIMEOUT):
                await self._page.load_state.wait_for_document(documents)
        return self._page.load_state.documents > documents

    def mark_seen(self, snapshot: Snapshot) -> None:
        """Note what the agent has seen: later changes are reported against it."""
        self.seen, self.seen_document = snapshot, self._page.load_state.documents

    def clear_seen(self) -> None:
        """Note that the agent has seen nothing of the page as it is now."""
        self.seen, self._rows = None, None

    async def wait_until_quiet(self, read_rows: bool, since: float) -> None:
        """Wait until an action that began at `since` causes no more changes.

        With `read_rows`, the rows of the page are read in the same call, for the next snapshot.
        """
        self._rows = None
        try:
            await self._wait_for_touched_frame(since)
            self._rows = await self._wait_for_page(read_rows, since)
        except CdpError:
            pass  # the document was replaced, and the caller reads the next one

    async def _wait_for_touched_frame(self, since: float) -> None:
        """Wait for a frame in another process, which may react only after the page around it is quiet."""
        world = self._touched
        if world is None or world.cdp is self._page.cdp or world.is_unresponsive:
            return
        with contextlib.suppress(TimeoutError, CdpError, ScriptFailed):  # the frame is busy or was replaced
            async with asyncio.timeout(self._page.frame_timeout):
                await world.call(WAIT_UNTIL_QUIET, QUIET_ROUND_SECONDS * 1000, _milliseconds_since(since))

    async def _wait_for_page(self, read_rows: bool, since: float) -> dict[str, Any] | None:
        function, main = WAIT_AND_READ_ROWS if read_rows else WAIT_UNTIL_QUIET, self._page.worlds.main
        while True:
            answer = await main.call(function, QUIET_ROUND_SECONDS * 1000, _milliseconds_since(since))
            if not answer["busy"]:
                rows: dict[str, Any] | None = answer.get("rows")
                return rows


def _milliseconds_since(moment: float) -> float:
    """Return the age of a moment in milliseconds, since the page has another clock."""
    return (time.monotonic() - moment) * 1000
