"""Which frame receives input: Firefox passes none on to a frame in another process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from rove.browser.element import Point
from rove.browser.failures import BrowserError
from rove.errors import ScriptFailed
from rove.firefox.events.live_page import LivePage
from rove.firefox.frames.world import World
from rove.page.frames.nesting import world_inside
from rove.validation.record import dataclass

# Seconds that a page waits until the keys of another page are handled.
TURN_SECONDS = 2.0


@dataclass(frozen=True)
class FramePlace:
    """A point of a frame, and how points of the tab are converted to points of the frame."""

    frame: str
    scale: Point = (1.0, 1.0)
    shift: Point = (0.0, 0.0)

    def convert(self, point: Point) -> Point:
        """Return a point of the tab as a point of the frame."""
        return point[0] * self.scale[0] + self.shift[0], point[1] * self.scale[1] + self.shift[1]


async def frame_at(page: LivePage, point: Point) -> FramePlace:
    """Return the innermost frame at a point of the tab."""
    worlds = page.worlds
    if len(await worlds.current()) == 1:
        return FramePlace(worlds.main.frame_id)
    world: World = worlds.main
    inner = point
    place = FramePlace(world.frame_id)
    while (hit := await world.call("(x, y) => rove.hitAt(x, y)", *inner)) and hit["isFrame"]:
        inside = await world_inside(worlds, world, hit["ref"], page.url.around(hit["line"]))
        if not isinstance(inside, World):
            break
        world, inner = inside, (hit["x"], hit["y"])
        place = FramePlace(world.frame_id, (1.0, 1.0), (inner[0] - point[0], inner[1] - point[1]))
    return place


@contextlib.asynccontextmanager
async def keyboard_turn(page: LivePage) -> AsyncGenerator[None]:
    """Keep the window of a page active within this block: the text of keys is written into no other window.

    Pages of all sessions take turns. One that does not answer to its keys holds up the others for a moment only.
    """
    lock = page.channel.connection.keyboard_lock
    has_turn = await _acquire(lock)
    try:
        await page.take_focus()
        yield
    finally:
        if has_turn:
            lock.release()


async def _acquire(lock: asyncio.Lock) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TURN_SECONDS):
            return await lock.acquire()
    return False


async def focused_frame(page: LivePage) -> str:
    """Return the frame that has the focus, in a page whose window is the active one."""
    worlds = await page.worlds.current()
    if len(worlds) == 1:
        return page.target_id
    for world in reversed(worlds):
        try:
            if not world.is_unresponsive and await world.call("() => rove.focusHere() !== null"):
                return world.frame_id
        except (BrowserError, ScriptFailed):
            continue  # the frame is being replaced
    return page.target_id
