"""Looking at a tab: when it is quiet, and what there is to be seen of it then."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

from rove.chromium.capture.frame_rows import ReadOptions, read_element, read_page
from rove.chromium.frames.event_listeners import find_listeners
from rove.chromium.frames.worlds import World
from rove.chromium.protocol.connection import CdpError
from rove.errors import ScriptFailed
from rove.snapshot import Snapshot

if TYPE_CHECKING:
    from rove.chromium.input.element import Element
    from rove.chromium.page.tab import Tab

QUIET_ROUND = 1.0
MOVING_PATIENCE = 1.0


class PageObserver:
    """What was seen last, and the looks that are taken."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._glance: dict[str, Any] | None = None
        self.seen: Snapshot | None = None
        self.seen_document = 0
        # The frame that the act under way has had its hands in.
        self.touched: World | None = None

    async def look(self, element: Element | None = None, **options: Any) -> Snapshot:
        """The page, or one element of it, as it is now."""
        wanted = {name: value for name, value in options.items() if value is not None}
        reading = ReadOptions(self._tab.frame_patience, self._tab.shared_resources.may_read, "links" in wanted)
        if element is not None:
            rooted = {**wanted, "root": element.local_ref}
            return await read_element(self._tab.worlds, element.world, rooted, reading)
        glance, self._glance = self._glance, None
        while True:
            if self._tab.load_state.is_restless:
                await self._tab.navigation_block.enable()
            seen = self._tab.load_state.documents
            try:
                return await read_page(self._tab.worlds, wanted, reading, glance if not wanted else None)
            except CdpError:
                # The document may have gone in mid-look, in which case the next one is looked at.
                if self._tab.cdp.is_closed or not await self._moves_on(seen):
                    raise
            glance = None

    async def _moves_on(self, seen: int) -> bool:
        """Whether another document is in the place of the one that was there; the news of it may be on its way."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MOVING_PATIENCE):
                await self._tab.load_state.documents_after(seen)
        return self._tab.load_state.documents > seen

    def remember(self, snapshot: Snapshot) -> None:
        """This is what the agent has seen of the page; what changes is told from here on."""
        self.seen, self.seen_document = snapshot, self._tab.load_state.documents

    def forget_seen(self) -> None:
        """Nothing of the page as it is now has been seen, or will be told of."""
        self.seen, self._glance = None, None

    async def quiet(self, glance: bool, since: float) -> None:
        """Wait until an act that began at `since` brings no more change, and glance at the page in the same moment."""
        self._glance = None
        # Asked beside the wait for a frame, which takes longer.
        hearing = asyncio.ensure_future(find_listeners(self._tab.worlds.main)) if glance else None
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
        world = self.touched
        if world is None or world.cdp is self._tab.cdp or world.is_silent:
            return
        with contextlib.suppress(TimeoutError, CdpError, ScriptFailed):  # busy, or gone elsewhere
            async with asyncio.timeout(self._tab.frame_patience):
                await world.call("(ms, ago) => rove.quiet(ms, ago)", QUIET_ROUND * 1000, _ago(since))

    async def _quiet_rows(self, glance: bool, since: float) -> dict[str, Any] | None:
        call = "(ms, ago) => rove.quietThenRows(ms, ago)" if glance else "(ms, ago) => rove.quiet(ms, ago)"
        while (answer := await self._tab.worlds.main.call(call, QUIET_ROUND * 1000, _ago(since)))["busy"]:
            pass
        rows: dict[str, Any] | None = answer.get("rows")
        return rows


def _ago(moment: float) -> float:
    """In milliseconds, since a page's clock is not ours."""
    return (time.monotonic() - moment) * 1000
