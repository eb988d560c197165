"""Looking at a tab: when it is quiet, and what there is to be seen of it then."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

from rove.chromium.listeners import hear
from rove.chromium.observation import Reading, look, look_within
from rove.chromium.wire import WireError
from rove.chromium.worlds import World
from rove.errors import ScriptFailed
from rove.snapshot import Snapshot

if TYPE_CHECKING:
    from rove.chromium.element import Element
    from rove.chromium.tab import Tab

QUIET_ROUND = 1.0
MOVING_PATIENCE = 1.0


class Gaze:
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
        reading = Reading(self._tab.frame_patience, self._tab.surroundings.may_read, "links" in wanted)
        if element is not None:
            rooted = {**wanted, "root": element.local_ref}
            return await look_within(self._tab.worlds, element.world, rooted, reading)
        glance, self._glance = self._glance, None
        while True:
            if self._tab.loading.is_restless:
                await self._tab.restraint.put_on()
            seen = self._tab.loading.documents
            try:
                return await look(self._tab.worlds, wanted, reading, glance if not wanted else None)
            except WireError:
                # The document may have gone in mid-look, in which case the next one is looked at.
                if self._tab.session.is_closed or not await self._moves_on(seen):
                    raise
            glance = None

    async def _moves_on(self, seen: int) -> bool:
        """Whether another document is in the place of the one that was there; the news of it may be on its way."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MOVING_PATIENCE):
                await self._tab.loading.documents_after(seen)
        return self._tab.loading.documents > seen

    def remember(self, snapshot: Snapshot) -> None:
        """This is what the agent has seen of the page; what changes is told from here on."""
        self.seen, self.seen_document = snapshot, self._tab.loading.documents

    def unsee(self) -> None:
        """Nothing of the page as it is now has been seen, or will be told of."""
        self.seen, self._glance = None, None

    async def quiet(self, glance: bool, since: float) -> None:
        """Wait until an act that began at `since` brings no more change, and glance at the page in the same moment."""
        self._glance = None
        # Asked beside the wait for a frame, which takes longer.
        hearing = asyncio.ensure_future(hear(self._tab.worlds.main)) if glance else None
        try:
            await self._quiet_where_touched(since)
            self._glance = await self._quiet_rows(glance, since)
            if hearing is not None and not hearing.done() and await hearing:
                self._glance = None  # it was taken before we knew of everyone
        except WireError:
            pass  # the document went away, and whoever asked looks at the next
        finally:
            if hearing is not None:
                hearing.cancel()

    async def _quiet_where_touched(self, since: float) -> None:
        """A frame in a process of its own begins what it was set to only after the page round it is quiet."""
        world = self.touched
        if world is None or world.session is self._tab.session or world.is_silent:
            return
        with contextlib.suppress(TimeoutError, WireError, ScriptFailed):  # busy, or gone elsewhere
            async with asyncio.timeout(self._tab.frame_patience):
                await world.call("(ms, ago) => rove.untilIdle(ms, ago)", QUIET_ROUND * 1000, _ago(since))

    async def _quiet_rows(self, glance: bool, since: float) -> dict[str, Any] | None:
        call = "(ms, ago) => rove.snapshotWhenIdle(ms, ago)" if glance else "(ms, ago) => rove.untilIdle(ms, ago)"
        while (answer := await self._tab.worlds.main.call(call, QUIET_ROUND * 1000, _ago(since)))["busy"]:
            pass
        rows: dict[str, Any] | None = answer.get("rows")
        return rows


def _ago(moment: float) -> float:
    """In milliseconds, since a page's clock is not ours."""
    return (time.monotonic() - moment) * 1000
