"""Finding WebKit's driver, or installing it where that needs no person."""

from __future__ import annotations

import subprocess

from rove.browser.browser import Progress
from rove.errors import BrowserUnavailable
from rove.process.packages import install_package, may_use_apt
from rove.webkit.process.discovery import INSTALL_HINT, Installation, find, xvfb

PACKAGES = ("webkit2gtk-driver", "xvfb")


def installed() -> tuple[str, str] | None:
    """Return the version and the path of the driver; None if something that it needs is missing."""
    found = find()
    if found is None or (not found.is_safari and xvfb() is None):
        return None
    return _version(found), found.driver


def ensure(progress: Progress) -> tuple[str, str]:
    """Find a driver, or install Debian's packages; return its version and its path."""
    found = installed()
    if found is None and may_use_apt():
        for package in PACKAGES:
            install_package(package, progress)
        found = installed()
    if found is None:
        raise BrowserUnavailable("rove cannot install WebKit here.", hint=INSTALL_HINT)
    return found


def user_agent() -> str:
    """Return what WebKitGTK calls itself, whichever version it is."""
    return "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15"


def _version(installation: Installation) -> str:
    """Return the version of the package, as neither the driver nor the browser prints one."""
    if installation.is_safari:
        return "Safari"
    command = ["dpkg-query", "--show", "--showformat=${Version}", PACKAGES[0]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return "WebKitGTK"
    return f"WebKitGTK {done.stdout.strip()}"
