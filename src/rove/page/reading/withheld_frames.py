"""Hides the frames that the agent may not read while a picture of their page is taken."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from rove.browser.failures import BrowserError
from rove.errors import Denied, RoveError
from rove.page.frames.world import World
from rove.page.live_page import LivePage

HIDE_OWNER = "ref => rove.element(ref).style.setProperty('visibility', 'hidden', 'important')"
SHOW_OWNER = "ref => rove.element(ref).style.removeProperty('visibility')"
HIDE_ROOT = "() => document.documentElement.style.setProperty('opacity', '0', 'important')"
SHOW_ROOT = "() => document.documentElement.style.removeProperty('opacity')"


@contextlib.asynccontextmanager
async def without_withheld_frames(page: LivePage) -> AsyncGenerator[None]:
    """Within this block, frames of origins that the policy does not let the agent read are not painted."""
    hidden = [world for world in await page.worlds.current() if _is_withheld(page, world)]
    try:
        for world in hidden:
            await _hide(page, world)
        yield
    finally:
        for world in hidden:
            with contextlib.suppress(BrowserError, RoveError):  # the frame is gone
                await _parent(world).call(SHOW_OWNER, await page.worlds.owner(world))
                await world.call(SHOW_ROOT)


def _is_withheld(page: LivePage, world: World) -> bool:
    if world.parent is None:
        return False
    origin = page.origins.of(world.frame_id)
    return origin != page.url.origin and not page.may_read(origin)


async def _hide(page: LivePage, world: World) -> None:
    """Hide a frame from the outside and from the inside, as the page around it could show it again."""
    try:
        await _parent(world).call(HIDE_OWNER, await page.worlds.owner(world))
        if not world.is_unresponsive:
            await world.call(HIDE_ROOT)
    except (BrowserError, RoveError) as error:
        hint = "Call again when the page is at rest."
        raise Denied("The page shows a frame that may not be read and could not be hidden.", hint=hint) from error


def _parent(world: World) -> World:
    assert world.parent is not None
    return world.parent
