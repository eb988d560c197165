"""The browser that all servers drive: its path and version."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The headless shell first: rove prefers it, and the other servers can drive it too.
_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome")
_FOLDERS = ("/usr/lib/chromium", "/usr/lib/chromium-browser")
_BEGINNINGS = ("chrom", "google-chrome", "headless_shell", "headless-shell")


class NoBrowser(Exception):
    """No Chromium was named and none was found."""


@dataclass(frozen=True)
class Browser:
    """An executable, and whether it may use its sandbox (Chromium refuses to as root)."""

    path: Path
    version: str
    sandbox: bool

    @classmethod
    def find(cls, given: str | None) -> Browser:
        """Return the browser of the flag, else of ROVE_BROWSER, else an installed one."""
        path = _named(given or os.environ.get("ROVE_BROWSER")) or _installed()
        if path is None:
            raise NoBrowser("no Chromium found; name one with --browser or ROVE_BROWSER")
        return cls(path, _version(path), sandbox=os.geteuid() != 0)

    @property
    def name(self) -> str:
        """The file name, without the path on this machine."""
        return self.path.name


def is_browser(executable: str) -> bool:
    """Whether a process with this executable belongs to the browser, not to the server that drives it."""
    return Path(executable).name.startswith(_BEGINNINGS)


def _named(given: str | None) -> Path | None:
    if not given:
        return None
    found = shutil.which(given)
    if found is None:
        raise NoBrowser(f"{given} is not an executable")
    return Path(found)


def _installed() -> Path | None:
    places = os.pathsep.join((*_FOLDERS, os.environ.get("PATH", os.defpath)))
    for name in _NAMES:
        found = shutil.which(name, path=places)
        if found:
            return Path(found)
    return None


def _version(path: Path) -> str:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    return done.stdout.strip() or "unknown version"
