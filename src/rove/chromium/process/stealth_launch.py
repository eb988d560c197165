"""The command line of a browser that pages cannot tell from one that a person has started."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rove.browser.emulation.emulation import Size
from rove.validation.record import dataclass

SCREEN = Size(1920, 1080)
_DRIVERS = (Path("/usr/share/glvnd/egl_vendor.d"), Path("/etc/glvnd/egl_vendor.d"))
# Renderers that need no graphics card: Chromium's, those of Mesa, that of Windows and that of macOS.
_SOFTWARE = ("swiftshader", "llvmpipe", "softpipe", "swrast", "lavapipe", "software", "basic render")
# Arguments that pages notice: `--headless` alone is read as the mode of old by some versions.
_NOTICEABLE = frozenset({"--headless", "--hide-scrollbars", "--disable-popup-blocking"})
_BLINK_FEATURES = "--disable-blink-features="


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
