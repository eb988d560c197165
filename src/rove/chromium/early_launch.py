"""Starting the browser of a server before anything slow is imported.

The imports of a server take longer than the start of a browser. With the browser first and both at once, the first
call is answered 0.1 s sooner, so this module imports very little (docs/decisions/0010). Settings are not read yet, so
it acts only where they cannot change how the browser starts: there is no configuration file, and neither flags nor
environment decide about the window, the sandbox or a browser to attach to.
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
DECISIVE_VARIABLES = ("ROVE_ATTACH", "ROVE_HEADLESS", "ROVE_SANDBOX")


def early_launch(arguments: Sequence[str], environment: Mapping[str, str]) -> BrowserProcess | None:
    """Start the browser that default settings would start; return None if other settings may be in force."""
    home = home_from(given("--home", arguments), environment)
    if any(name in environment for name in DECISIVE_VARIABLES) or os.path.exists(f"{home}/config.toml"):
        return None
    if any(word.removeprefix("--").split("=")[0] in DECISIVE_FLAGS for word in arguments):
        return None
    try:
        installation = find(given("--browser", arguments) or environment.get("ROVE_BROWSER"), headless=True)
        if installation is None:
            return None
        sandbox = decide_sandbox("auto", installation.location)
        return BrowserProcess(f"{home}/run", installation, sandbox, headless=True, makes_page=True)
    except (RoveError, OSError):
        return None  # the regular launch meets the same failure and reports it
