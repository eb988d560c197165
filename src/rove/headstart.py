"""A browser's process, started before anything slow is imported.

A server's imports take longer than a browser's start; side by side, the first call is answered 0.1 s sooner. Only
where settings that are not read yet cannot say otherwise: no file, and no word of windows, of sandboxes
or of a browser that is there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rove.chromium.installation import find
from rove.chromium.launch import decide_sandbox
from rove.chromium.warmup import Warmup
from rove.errors import RoveError
from rove.home import given, home_from

DECISIVE = ("attach", "headless", "no-headless", "sandbox")


def head_start(arguments: Sequence[str], environment: Mapping[str, str]) -> Warmup | None:
    """The process that default settings would start, or None if they may not be in force."""
    home = home_from(given("--home", arguments), environment)
    if (home / "config.toml").exists() or {"ROVE_ATTACH", "ROVE_HEADLESS", "ROVE_SANDBOX"} & set(environment):
        return None
    if any(word.removeprefix("--").split("=")[0] in DECISIVE for word in arguments):
        return None
    browser = given("--browser", arguments) or environment.get("ROVE_BROWSER")
    try:
        found = find(Path(browser) if browser else None, headless=True)
        return Warmup(home / "run", found, decide_sandbox("auto", found.path), headless=True) if found else None
    except (RoveError, OSError):
        return None  # said properly by whoever asks for a browser
