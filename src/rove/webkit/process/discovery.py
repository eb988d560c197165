"""Finding a WebDriver server for WebKit, and the browser that it starts."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from rove.errors import BrowserUnavailable
from rove.validation.record import dataclass

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
