"""Pictures of a page that stands still, so that two of them differ only where the page does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.errors import NotOpen, ScriptFailed
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.page_data import Box, ScreenshotImage
    from rove.browser.shared.frames import World
    from rove.browser.shared.live_page import LivePage
    from rove.browser.shared.tab import Tab

EMPTY = "about:blank"
HAS_CONTENT = "() => Boolean(document.body?.hasChildNodes())"

# Seconds that fonts and animations may take to be ready, and the share of the time left for the action.
LONGEST_WAIT = 3.0
SHARE_OF_TIME = 1 / 4
# Pictures that are taken at most, until two in a row are the same.
MOST_PICTURES = 6
# No picture that a browser can take is scaled down for a comparison.
MAX_SIDE = 16000


async def refuse_empty(tab: Tab) -> None:
    """Raise NotOpen for a tab without a page: what would be told of it is true, and of no use."""
    # The page that opened a tab may have written into it.
    if tab.url == EMPTY and not await tab.page.worlds.main.call(HAS_CONTENT):
        raise NotOpen("No page is open in this tab.", hint="Open one with {navigate} first.")


@dataclass(frozen=True)
class StillPicture:
    """A picture, and whether the one after it was the same: if not, the page kept changing."""

    image: ScreenshotImage
    is_steady: bool


@contextlib.asynccontextmanager
async def held_still(page: LivePage, seconds: float) -> AsyncGenerator[None]:
    """Within this block, animations stand still and no caret blinks, in any frame that answers."""
    worlds = await page.every_world()
    try:
        await asyncio.gather(*(_hold(world, seconds) for world in worlds))
        yield
    finally:
        await asyncio.gather(*(_tell(world, page.frame_timeout, "() => rove.releaseStill()") for world in worlds))


async def _hold(world: World, seconds: float) -> None:
    await _tell(world, 2 * seconds, "ms => rove.holdStill(ms)", seconds * 1000)


async def _tell(world: World, timeout: float, function: str, *arguments: float) -> None:
    """Call a function in a frame; one that is busy or going away is pictured as it is."""
    with contextlib.suppress(TimeoutError, BrowserError, ScriptFailed):
        async with asyncio.timeout(timeout):
            await world.call(function, *arguments)


async def take_still_picture(tab: Tab, box: Box | None, full_page: bool) -> StillPicture:
    """Capture the viewport, the full page or a box of the viewport as a PNG, once two captures are the same."""
    last = await tab.take_screenshot(box, full_page, "png", MAX_SIDE)
    for _ in range(MOST_PICTURES - 1):
        image = await tab.take_screenshot(box, full_page, "png", MAX_SIDE)
        if image.data == last.data:
            return StillPicture(image, True)
        last = image
        if tab.page.time.left < LONGEST_WAIT:
            break
    return StillPicture(last, False)
