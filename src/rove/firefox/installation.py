"""Finding a Firefox, or installing one where that needs no person."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rove.errors import BrowserUnavailable
from rove.firefox.process.discovery import Installation, candidates, find, is_snap
from rove.process.packages import install_package, may_use_apt
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.browser import Progress

INSTALL_COMMAND = "rove install firefox"
PACKAGE = "firefox-esr"
# How a person installs it where rove cannot.
COMMANDS = {"darwin": "brew install --cask firefox", "linux": f"sudo apt-get install {PACKAGE}"}


def installed(settings: Settings) -> Installation | None:
    """Return the Firefox that the settings lead to, or None if there is none."""
    return find(settings.browser, settings.home_folder)


def ensure(settings: Settings, may_fetch: bool, progress: Progress) -> Installation:
    """Find a Firefox, or install one if that is allowed, or say how to get one."""
    found = installed(settings)
    if found is not None:
        return found
    if not may_fetch:
        raise BrowserUnavailable(_missing(settings), hint=f"Run `{INSTALL_COMMAND}`.")
    progress("No Firefox found on this machine: installing one. This happens once.")
    return fetch(settings, progress)


def fetch(settings: Settings, progress: Progress) -> Installation:
    """Install Debian's package, as root where there is one. Raises BrowserUnavailable with what to type elsewhere."""
    if not may_use_apt() or not install_package(PACKAGE, progress):
        command = COMMANDS.get(sys.platform, "see https://www.firefox.com")
        raise BrowserUnavailable(
            "rove cannot install Firefox here.",
            hint=f"Install it yourself: `{command}`; on Ubuntu, whose package is a snap, take Mozilla's archive and "
            "name its program with --browser or ROVE_BROWSER.",
        )
    found = installed(settings)
    if found is None:
        raise BrowserUnavailable(_missing(settings), hint="Name its program with --browser or ROVE_BROWSER.")
    progress(f"Ready: {found.path}")
    return found


def version(path: Path) -> str | None:
    """Return the version that a Firefox prints, such as `Mozilla Firefox 153.7.0esr`; None if it does not start."""
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _missing(settings: Settings) -> str:
    snaps = [found.path for found in candidates(settings.home_folder) if is_snap(found.path)]
    if snaps:
        return f"{snaps[0]} is a snap package, whose confinement keeps rove from driving it."
    return "No Firefox was found on this machine."
