"""Looking at a tab: when it is quiet, and what there is to be seen of it then."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from rove.chromium.capture.frame_rows import ReadOptions, read_element, read_page
from rove.chromium.frames.event_listeners import find_listeners
from rove.chromium.frames.worlds import World
from rove.chromium.page.live_page import LivePage
from rove.chromium.protocol.connection import CdpError
from rove.errors import ScriptFailed
from rove.snapshot import Snapshot
from rove.target import Ref, parse_target

QUIET_ROUND = 1.0
MOVING_PATIENCE = 1.0


class PageObserver:
    """What was seen last, and the looks that are taken."""

    def __init__(self, page: LivePage, withheld: Callable[[], str]) -> None:
        self._page = page
        self._withheld = withheld
        self._glance: dict[str, Any] | None = None
        self.seen: Snapshot | None = None
        self.seen_document = 0
        # The frame that the running action has acted in.
        self._touched: World | None = None
        self._image_digest: bytes | None = None

    def note_touched(self, world: World | None) -> None:
        """Note the frame that the running action acts in; None when another action begins."""
        self._touched = world

    async def look(self, ref: str | None = None, **options: Any) -> Snapshot:
        """Return the page, or the element that a ref means, as it is now."""
        wanted = {name: value for name, value in options.items() if value is not None}
        reading = ReadOptions(self._page.frame_patience, self._page.may_read, self._withheld(), "links" in wanted)
        if ref is not None:
            return await self._look_at(ref, wanted, reading)
        glance, self._glance = self._glance, None
        while True:
            if self._page.load_state.is_restless:
                await self._page.navigation_block.enable()
            seen = self._page.load_state.documents
            try:
                return await read_page(self._page.worlds, wanted, reading, glance if not wanted else None)
            except CdpError:
                # The document may have gone in mid-look, in which case the next one is looked at.
                if self._page.cdp.is_closed or not await self._moves_on(seen):
                    raise
            glance = None

    async def _look_at(self, ref: str, wanted: dict[str, Any], reading: ReadOptions) -> Snapshot:
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        return await read_element(self._page.worlds, world, {**wanted, "root": target.local}, reading)

    def is_new_image(self, data: bytes) -> bool:
        """Return whether a screenshot differs from the last one, and remember it."""
        before, self._image_digest = self._image_digest, sha256(data).digest()
        return before != self._image_digest

    async def _moves_on(self, seen: int) -> bool:
        """Whether another document is in the place of the one that was there; the news of it may be on its way."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MOVING_PATIENCE):
                await self._page.load_state.documents_after(seen)
        return self._page.load_state.documents > seen

    def remember(self, snapshot: Snapshot) -> None:
        """This is what the agent has seen of the page; what changes is told from here on."""
        self.seen, self.seen_document = snapshot, self._page.load_state.documents

    def forget_seen(self) -> None:
        """Nothing of the page as it is now has been seen, or will be told of."""
        self.seen, self._glance = None, None

    async def quiet(self, glance: bool, since: float) -> None:
        """Wait until an act that began at `since` brings no more change, and glance at the page in the same moment."""
        self._glance = None
        # Asked beside the wait for a frame, which takes longer.
        hearing = asyncio.ensure_future(find_listeners(self._page.worlds.main)) if glance else None
        try:
            await self._quiet_where_touched(since)
            self._glance = await self._quiet_rows(glance, since)
            if hearing is not None and not hearing.done() and await hearing:
                self._glance = None  # it was taken before we knew of everyone
        except CdpError:
            pass  # the document went away, and whoever asked looks at the next
        finally:
            if hearing is not None:
                hearing.cancel()

    async def _quiet_where_touched(self, since: float) -> None:
        """A frame in a process of its own begins what it was set to only after the page round it is quiet."""
        world = self._touched
        if world is None or world.cdp is self._page.cdp or world.is_unresponsive:
            return
        with contextlib.suppress(TimeoutError, CdpError, ScriptFailed):  # busy, or gone elsewhere
            async with asyncio.timeout(self._page.frame_patience):
                await world.call("(ms, ago) => rove.untilIdle(ms, ago)", QUIET_ROUND * 1000, _ago(since))

    async def _quiet_rows(self, glance: bool, since: float) -> dict[str, Any] | None:
        call = "(ms, ago) => rove.snapshotWhenIdle(ms, ago)" if glance else "(ms, ago) => rove.untilIdle(ms, ago)"
        while (answer := await self._page.worlds.main.call(call, QUIET_ROUND * 1000, _ago(since)))["busy"]:
            pass
        rows: dict[str, Any] | None = answer.get("rows")
        return rows


def _ago(moment: float) -> float:
    """In milliseconds, since a page's clock is not ours."""
    return (time.monotonic() - moment) * 1000
