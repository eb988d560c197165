"""A browser's process, started before anything slow is imported.

A server's imports take longer than a browser's start. Side by side, and with the browser first, the first call is
answered 0.1 s sooner; so what is imported here is chosen with care (docs/decisions/0010). Only where settings
that are not read yet cannot say otherwise: no file, and no word of windows, of sandboxes or of a browser that is there
already.
"""

from __future__ import annotations

import os

from rove.chromium.process.browser_process import BrowserProcess
from rove.chromium.process.discovery import find
from rove.chromium.process.launch_arguments import decide_sandbox
from rove.errors import RoveError
from rove.home import given, home_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DECISIVE_FLAGS = ("attach", "headless", "no-headless", "sandbox")


def early_launch(arguments: Sequence[str], environment: Mapping[str, str]) -> BrowserProcess | None:
    """The process that default settings would start, or None if they may not be in force."""
    home = home_from(given("--home", arguments), environment)
    told = {"ROVE_ATTACH", "ROVE_HEADLESS", "ROVE_SANDBOX"} & set(environment)
    if told or os.path.exists(f"{home}/config.toml"):
        return None
    if any(word.removeprefix("--").split("=")[0] in DECISIVE_FLAGS for word in arguments):
        return None
    try:
        found = find(given("--browser", arguments) or environment.get("ROVE_BROWSER"), headless=True)
        if found is None:
            return None
        sandbox = decide_sandbox("auto", found.location)
        return BrowserProcess(f"{home}/run", found, sandbox, headless=True, makes_page=True)
    except (RoveError, OSError):
        return None  # said properly by whoever asks for a browser
