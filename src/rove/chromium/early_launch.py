"""Starting the browser of a server before anything slow is imported.

The imports of a server take longer than the start of a browser. With the browser first and both at once, the first
call is answered 0.1 s sooner. This module and those that it imports therefore use only a few of Python's own modules
(docs/decisions/0010), which a test checks. Settings are not read yet, so the browser is started only where they cannot
ask for another one: there is no configuration file, and no setting that changes the browser's start is given.
"""

from __future__ import annotations

import os

from rove.chromium.process.browser_process import BrowserProcess
from rove.chromium.process.discovery import find
from rove.chromium.process.launch_arguments import decide_sandbox
from rove.errors import RoveError
from rove.settings.chrome_version import PINNED, checked_version
from rove.settings.home import given, home_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Settings that are read here, as the whole tree would read them.
READ = ("home", "browser", "browser_version")
# Settings that change how the browser is started: if one is given, the browser is not started early.
DECISIVE = (
    "attach", "browser_enabled", "browser_per_session", "engine", "extension", "headless", "profile", "sandbox",
    "start_early", "stealth", "toolset",
)  # fmt: skip


def early_launch(arguments: Sequence[str], environment: Mapping[str, str]) -> BrowserProcess | None:
    """Start the browser that default settings would start; return None if other settings may be in force."""
    home = home_from(given("--home", arguments), environment)
    if _is_decided(arguments, environment) or os.path.exists(f"{home}/config.toml"):
        return None
    try:
        path = given("--browser", arguments) or environment.get("ROVE_BROWSER")
        version = given("--browser-version", arguments) or environment.get("ROVE_BROWSER_VERSION") or PINNED
        installation = find(path, headless=True, home=home, version=checked_version(version))
        if installation is None:
            return None
        sandbox = decide_sandbox("auto", installation.location)
        return BrowserProcess(f"{home}/run", installation, sandbox, headless=True, makes_page=True)
    except (RoveError, OSError, ValueError):
        return None  # the first call that needs a browser meets the same error, and reports it


def _is_decided(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether a setting that changes the start of the browser is given as a flag or as a variable."""
    flags = {word.split("=")[0].removeprefix("--").removeprefix("no-").replace("-", "_") for word in arguments}
    return any(name in flags or f"ROVE_{name.upper()}" in environment for name in DECISIVE)
