"""Whether this machine can show a window."""

from __future__ import annotations

import os
import sys

from rove.errors import BrowserUnavailable


def has_display() -> bool:
    """Return whether a browser window can be shown on this machine."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def refuse_without_display() -> None:
    """Raise BrowserUnavailable if there is no display for a browser with a window."""
    if not has_display():
        raise BrowserUnavailable(
            "A browser with a window needs a display, and there is none.",
            hint="Leave out --no-headless, or `headless` of a session; or start rove under `xvfb-run`.",
        )
