"""Finding WebKit's driver and the browser that it starts, or installing them where that needs no person."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from rove.browser.browser import Progress
from rove.browser.shared.machine import install_package, may_use_apt
from rove.errors import BrowserUnavailable
from rove.records import dataclass

WEBKITGTK_DRIVER = "WebKitWebDriver"
SAFARI_DRIVER = "/usr/bin/safaridriver"
# Below /usr. MiniBrowser is no command; distributions put it beside WebKit's other processes.
MINIBROWSERS = (
    "lib/*/webkit2gtk-4.1/MiniBrowser",
    "lib/*/webkitgtk-6.0/MiniBrowser",
    "libexec/webkit2gtk-4.1/MiniBrowser",
    "libexec/webkitgtk-6.0/MiniBrowser",
    "lib/webkit2gtk-4.1/MiniBrowser",
    "lib/*/webkit2gtk-4.0/MiniBrowser",
)
INSTALL_HINT = "Install it with `rove install webkit`; on Debian that is `apt-get install webkit2gtk-driver xvfb`."
ENABLE_SAFARI = (
    "Run `safaridriver --enable` once, or tick Allow Remote Automation in Safari's Develop menu. "
    "Safari runs one session at a time."
)
ACCEPT_SAFARI = (
    "Use the engine chromium or firefox. Or the owner sets `guard.safari` to `unguarded`: what pages in Safari reach "
    "is then NOT GUARDED."
)
PACKAGES = ("webkit2gtk-driver", "xvfb")
_WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
# For a driver that does not tell its version.
_ANY_SAFARI = "18.5"


@dataclass(frozen=True)
class Installation:
    """A driver on disk, and the browser that it starts: empty for Safari, which its driver finds itself."""

    driver: str
    browser: str

    @property
    def is_safari(self) -> bool:
        return not self.browser


def find(given: Path | None = None) -> Installation | None:
    """Return the driver to use, or None if there is none or its browser is missing.

    `given`: the path of a MiniBrowser or, as Safari's driver finds the browser beside it, of a safaridriver.
    """
    if given is None and sys.platform == "darwin":
        given = Path(SAFARI_DRIVER)
    if given is not None and not os.access(given, os.X_OK):
        return None
    if given is not None and given.name == Path(SAFARI_DRIVER).name:
        return Installation(str(given), "")
    driver, browser = shutil.which(WEBKITGTK_DRIVER), str(given) if given else _minibrowser()
    return Installation(driver, browser) if driver and browser else None


def require(given: Path | None = None) -> Installation:
    """Return the driver to use. Raises BrowserUnavailable if there is none."""
    found = find(given)
    if found is None:
        raise BrowserUnavailable("No WebDriver server for WebKit was found on this machine.", hint=INSTALL_HINT)
    return found


def _minibrowser() -> str | None:
    found = (str(path) for pattern in MINIBROWSERS for path in sorted(Path("/usr").glob(pattern)))
    return next((path for path in found if os.access(path, os.X_OK)), None)


def xvfb() -> str | None:
    """Return the program that draws windows where there is no screen; None if there is none."""
    return shutil.which("Xvfb")


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
