"""Finding WebKit's driver, or installing it where that needs no person."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from rove.browser.browser import Progress
from rove.errors import BrowserUnavailable
from rove.process.packages import install_package, may_use_apt
from rove.webkit.process.discovery import INSTALL_HINT, Installation, find, xvfb

PACKAGES = ("webkit2gtk-driver", "xvfb")
_WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
# For a driver that does not tell its version.
_ANY_SAFARI = "18.5"


def installed(given: Path | None = None) -> tuple[str, str] | None:
    """Return the version and the path of the driver; None if something that it needs is missing."""
    found = find(given)
    if found is None or (not found.is_safari and xvfb() is None):
        return None
    return _version(found), found.driver


def ensure(given: Path | None, progress: Progress) -> tuple[str, str]:
    """Find a driver, or install Debian's packages; return its version and its path."""
    found = installed(given)
    if found is None and may_use_apt():
        for package in PACKAGES:
            install_package(package, progress)
        found = installed(given)
    if found is None:
        raise BrowserUnavailable("rove cannot install WebKit here.", hint=INSTALL_HINT)
    return found


def user_agent(given: Path | None) -> str:
    """Return what WebKitGTK calls itself, whichever version it is, or Safari."""
    found = find(given)
    if found is not None and found.is_safari:
        version = _safari_version(found.driver).removeprefix("Safari").strip() or _ANY_SAFARI
        return f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_WEBKIT} Version/{version} Safari/605.1.15"
    return f"Mozilla/5.0 (X11; Linux x86_64) {_WEBKIT} Version/60.5 Safari/605.1.15"


def _version(installation: Installation) -> str:
    """Return the version of the package, as neither the driver nor the browser prints one."""
    if installation.is_safari:
        return _safari_version(installation.driver)
    return f"WebKitGTK {_output('dpkg-query', '--show', '--showformat=${Version}', PACKAGES[0]).strip()}".strip()


def _safari_version(driver: str) -> str:
    """Return the version that the driver is part of: it prints `Included with Safari 18.5 (20621.2.5.11.8)`."""
    found = re.search(r"Safari [^(]*?\d[\d.]*", _output(driver, "--version"))
    return found[0] if found else "Safari"


def _output(*command: str) -> str:
    """Return what a command prints; empty if it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
