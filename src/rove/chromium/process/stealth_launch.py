"""The command line of a browser that pages cannot tell from one that a person has started."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rove.browser.emulation.emulation import Size
from rove.validation.record import dataclass

SCREEN = Size(1920, 1080)
_DRIVERS = (Path("/usr/share/glvnd/egl_vendor.d"), Path("/etc/glvnd/egl_vendor.d"))
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


def _graphics(headless: bool) -> tuple[str, ...]:
    """Return the arguments by which WebGL uses the machine's own driver, instead of one that only Chromium has."""
    if sys.platform != "linux" or not has_graphics_driver():
        return ()
    return ("--use-gl=angle", f"--use-angle={'gl-egl' if headless else 'gl'}", "--ignore-gpu-blocklist")
