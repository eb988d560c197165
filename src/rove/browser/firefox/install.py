"""Finding a Firefox, or installing one where that needs no person."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.shared.machine import install_package, may_use_apt, printed_by
from rove.errors import BrowserUnavailable
from rove.records import dataclass
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.browser import Progress

NAMES = ("firefox-esr", "firefox", "firefox-bin")
APPLICATIONS = ("/Applications/Firefox.app/Contents/MacOS/firefox",)
# Where packages of Linux distributions and Mozilla's archive are put, if no link is on the path.
FOLDERS = ("/usr/lib/firefox-esr", "/usr/lib/firefox", "/usr/lib64/firefox", "/opt/firefox")
INSTALL_COMMAND = "rove install firefox"
PACKAGE = "firefox-esr"
# How a person installs it where rove cannot.
COMMANDS = {"darwin": "brew install --cask firefox", "linux": f"sudo apt-get install {PACKAGE}"}


@dataclass(frozen=True)
class Installation:
    """A Firefox on disk, and where it came from."""

    path: Path
    origin: str


def find(given: Path | None, home: Path) -> Installation | None:
    """Return the Firefox to use, or None. A path that was given is used or refused, never replaced."""
    if given is not None:
        return _given(given.expanduser())
    return next((found for found in candidates(home) if not is_snap(found.path)), None)


def candidates(home: Path) -> Iterator[Installation]:
    """Yield every Firefox on this machine that could be used, the best first: the one in rove's own folder."""
    for folder in sorted((home / "browsers").glob("firefox*"), reverse=True):
        yield from (Installation(path, "in rove's home") for name in NAMES if _is_program(path := folder / name))
    for name in NAMES:
        if found := shutil.which(name):
            yield Installation(Path(found), "system")
    for place in (*(f"{folder}/{name}" for folder in FOLDERS for name in NAMES), *APPLICATIONS):
        if _is_program(Path(place)):
            yield Installation(Path(place), "system")


def is_snap(path: Path) -> bool:
    """Tell whether a program is a snap: those may not read rove's profile folder."""
    if "snap" in path.resolve().parts:
        return True
    with path.open("rb") as file:
        head = file.read(2048)
    return head.startswith(b"#!") and b"/snap/" in head


def _given(path: Path) -> Installation:
    if not _is_program(path):
        raise BrowserUnavailable(
            f"The browser that was given, {path}, is not an executable file.",
            hint="Correct ROVE_BROWSER, --browser or `browser` in config.toml, or leave it unset.",
        )
    return Installation(path, "given")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


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
    return printed_by(str(path), "--version")


def _missing(settings: Settings) -> str:
    snaps = [found.path for found in candidates(settings.home_folder) if is_snap(found.path)]
    if snaps:
        return f"{snaps[0]} is a snap package, whose confinement keeps rove from driving it."
    return "No Firefox was found on this machine."
