"""Finding a usable Firefox on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from rove.errors import BrowserUnavailable
from rove.validation.record import dataclass

NAMES = ("firefox-esr", "firefox", "firefox-bin")
APPLICATIONS = ("/Applications/Firefox.app/Contents/MacOS/firefox",)
# Where packages of Linux distributions and Mozilla's archive are put, if no link is on the path.
FOLDERS = ("/usr/lib/firefox-esr", "/usr/lib/firefox", "/usr/lib64/firefox", "/opt/firefox")


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
