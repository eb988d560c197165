"""A browser that leaves no traces of automation in pages: docs/stealth.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from rove.browser.chromium.connection import CdpSession
from rove.browser.chromium.console import ConsoleLog, ExecutionContexts, FindSource
from rove.browser.chromium.emulation import SessionOverrides
from rove.browser.chromium.frames import FrameOrigins, World
from rove.browser.chromium.network import NetworkLog
from rove.browser.emulation import Size
from rove.browser.page_data import ConsoleSource
from rove.browser.shared.frames import MAX_KNOWN_ORIGINS as MAX_FRAMES
from rove.browser.shared.logs import REPORT_PREFIX
from rove.records import dataclass
from rove.settings.sections import Viewport

SCREEN = Size(1920, 1080)
_DRIVERS = (Path("/usr/share/glvnd/egl_vendor.d"), Path("/etc/glvnd/egl_vendor.d"))
# Renderers that need no graphics card: Chromium's, those of Mesa, that of Windows and that of macOS.
_SOFTWARE = ("swiftshader", "llvmpipe", "softpipe", "swrast", "lavapipe", "software", "basic render")
# Arguments that pages notice: `--headless` alone is read as the mode of old by some versions.
_NOTICEABLE = frozenset({"--headless", "--hide-scrollbars", "--disable-popup-blocking"})
_BLINK_FEATURES = "--disable-blink-features="

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


@dataclass(frozen=True)
class StealthLaunch:
    """How a browser is started with stealth.

    `user_agent`, and the `version` that it was made from: only where the browser would call itself headless.
    """

    headless: bool
    window: Size
    user_agent: str = ""
    version: str = ""

    def arguments(self, usual: Sequence[str]) -> list[str]:
        """Return the usual arguments without those that pages notice, and those that stealth adds."""
        kept = [each for each in usual if each not in _NOTICEABLE and not each.startswith(_BLINK_FEATURES)]
        # Without this feature `navigator.webdriver` is false, as it is for a person.
        own = [f"{_BLINK_FEATURES}AutomationControlled", f"--window-size={self.window.width},{self.window.height}"]
        if self.headless:
            own += ["--headless=new", f"--screen-info={{{SCREEN.width}x{SCREEN.height}}}"]
        if self.user_agent:
            own.append(f"--user-agent={self.user_agent}")
        return [*kept, *own, *_graphics(self.headless)]


def has_graphics_driver() -> bool:
    """Return whether this machine has an OpenGL driver: that of a graphics card, or Mesa's, which needs none."""
    return sys.platform != "linux" or any(True for folder in _DRIVERS for _ in folder.glob("*.json"))


def graphics_cards() -> list[Path]:
    """Return the devices of this machine that draw for programs without a display; none where they are not known."""
    found = [*Path("/dev/dri").glob("renderD*"), *Path("/dev").glob("nvidia[0-9]*")]
    return sorted(found) if sys.platform == "linux" else []


def is_software(renderer: str) -> bool:
    """Return whether the name of what draws WebGL is that of a program, and not of a graphics card."""
    return any(name in renderer.lower() for name in _SOFTWARE)


def _graphics(headless: bool) -> tuple[str, ...]:
    """Return the arguments by which WebGL uses the machine's own driver, instead of one that only Chromium has."""
    if sys.platform != "linux" or not has_graphics_driver():
        return ()
    return ("--use-gl=angle", f"--use-angle={'gl-egl' if headless else 'gl'}", "--ignore-gpu-blocklist")


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
        await overrides.resize(world.channel, tab, size)


async def fit_window(world: World, size: Size) -> bool:
    """Resize the window of a page until the page has this size; return whether it has."""
    if size.width < MIN_WIDTH:
        return False
    wide, high = await world.call(_EDGES)
    window = (await world.channel.send("Browser.getWindowForTarget"))["windowId"]
    bounds = {"width": size.width + wide, "height": size.height + high}
    await world.channel.send("Browser.setWindowBounds", {"windowId": window, "bounds": bounds})
    return bool(await world.call(_UNTIL_RESIZED, size.width, size.height, RESIZE_MS))


class FrameLogs:
    """Logs the console and the requests of a page, and of its frames in other processes."""

    def __init__(self, console: ConsoleLog, network: NetworkLog, origins: FrameOrigins, stealth: bool) -> None:
        self._console = console
        self._network = network
        self._origins = origins
        self._stealth = stealth

    def listen(self, cdp: CdpSession, frame: str, context: Literal["page", "frame"]) -> None:
        """Log what a CDP session reports, whose root is a frame."""
        find_source = console_source(cdp, frame, context, self._origins, stealth=self._stealth)
        self._console.listen(cdp, find_source, self._author)
        self._network.listen(cdp, context)

    def _author(self, entry: dict[str, Any]) -> str:
        return self._origins.of_entry(entry, self._network.sender(entry))


def console_source(
    cdp: CdpSession, frame: str, context: Literal["page", "frame"], origins: FrameOrigins, *, stealth: bool
) -> FindSource:
    """Return what tells the source of messages in a CDP session, whose root is a frame; listen for what it needs."""
    if not stealth:
        return ExecutionContexts(cdp, frame if context == "page" else None, origins)
    listen_for_reports(cdp)
    return FramesSource(cdp, frame, context, origins)


def listen_for_reports(cdp: CdpSession) -> None:
    """Pass on what rove's script reports through the console of its world, as if through its binding."""
    cdp.on("Console.messageAdded", lambda event: _pass_on(cdp, event["message"]["text"]))


def _pass_on(cdp: CdpSession, text: str) -> None:
    if text.startswith(REPORT_PREFIX):
        world, name, payload = text.removeprefix(REPORT_PREFIX).split(" ", 2)
        cdp.emit("Runtime.bindingCalled", {"name": name, "payload": payload, "executionContextId": world})


class FramesSource:
    """The frames that the messages of a CDP session may be from: the browser does not tell which of them wrote one."""

    def __init__(self, cdp: CdpSession, frame: str, context: str, origins: FrameOrigins) -> None:
        self._context = context
        self._origins = origins
        self._frames = {frame: None}
        cdp.on("Page.frameNavigated", lambda event: self._add(event["frame"]["id"]))

    def __call__(self, context_id: int | None) -> ConsoleSource:
        found = {self._origins.of(frame) for frame in self._frames}
        return ConsoleSource(self._context, found.pop() if len(found) == 1 else self._origins.of_any)

    def _add(self, frame: str) -> None:
        self._frames[frame] = None
        if len(self._frames) > MAX_FRAMES:
            del self._frames[next(iter(self._frames))]
