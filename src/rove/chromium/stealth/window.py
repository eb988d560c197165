"""The window of a page, which with stealth has the size that the page sees, instead of an emulated one."""

from __future__ import annotations

from typing import Any

from rove.browser.emulation.emulation import Size
from rove.chromium.emulation.session_overrides import SessionOverrides
from rove.chromium.frames.world import World
from rove.settings.sections import Viewport

# A usual size. The default viewport of the settings is one that pages know from robots.
WINDOW = Size(1440, 900)
# What the browser draws above a page, until a page has been measured.
TOOLBAR_HEIGHT = 87
# Chromium makes no window narrower.
MIN_WIDTH = 500
_EDGES = "() => [outerWidth - innerWidth, outerHeight - innerHeight]"
_UNTIL_RESIZED = """(width, height, ms) => new Promise((resolve) => {
  const isResized = () => innerWidth === width && innerHeight === height;
  const check = () => isResized() && resolve(true);
  addEventListener("resize", check);
  setTimeout(() => { removeEventListener("resize", check); resolve(isResized()); }, ms);
  check();
})"""
RESIZE_MS = 500


def window_for(viewport: Viewport) -> Size:
    """Return the size of a window whose page has about this viewport."""
    return WINDOW if viewport == Viewport() else Size(viewport.width, viewport.height + TOOLBAR_HEIGHT)


def new_window(viewport: Viewport) -> dict[str, Any]:
    """Return the parameters of `Target.createTarget` for a page in a window of its own, so that it is not hidden."""
    size = window_for(viewport)
    return {"newWindow": True, "width": size.width, "height": size.height}


async def resize_page(world: World, tab: str, size: Size, overrides: SessionOverrides, in_window: bool) -> None:
    """Give the page of a tab a size: by its window, or emulated if it has none that can be so large or small."""
    if not (in_window and overrides.note_window(tab, size) and await fit_window(world, size)):
        await overrides.resize(world.cdp, tab, size)


async def fit_window(world: World, size: Size) -> bool:
    """Resize the window of a page until the page has this size; return whether it has."""
    if size.width < MIN_WIDTH:
        return False
    wide, high = await world.call(_EDGES)
    window = (await world.cdp.send("Browser.getWindowForTarget"))["windowId"]
    bounds = {"width": size.width + wide, "height": size.height + high}
    await world.cdp.send("Browser.setWindowBounds", {"windowId": window, "bounds": bounds})
    return bool(await world.call(_UNTIL_RESIZED, size.width, size.height, RESIZE_MS))
