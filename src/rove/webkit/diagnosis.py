"""The checks of `rove doctor` for WebKit."""

from __future__ import annotations

from collections.abc import AsyncIterator

from rove.browser.browser import Finding
from rove.errors import RoveError
from rove.settings.tree import Settings
from rove.webkit.browser import launch, start_process
from rove.webkit.process.discovery import INSTALL_HINT, find, xvfb


async def diagnose(settings: Settings) -> AsyncIterator[Finding]:
    """Check the driver, the browser that it starts and the display."""
    found = find()
    if found is None:
        yield Finding("WebKit", "broken", "there is no WebDriver server for WebKit, or no MiniBrowser", INSTALL_HINT)
        return
    yield Finding("WebKit", "good", f"{found.driver} with {found.browser or 'Safari'}")
    if found.is_safari:
        yield Finding("Guard", "broken", "Safari takes no proxy from its driver", "Use chromium or firefox.")
        return
    if settings.headless and xvfb() is None:
        yield Finding("Display", "broken", "there is no Xvfb", INSTALL_HINT)
        return
    try:
        browser = await launch(settings, await start_process(settings, None))
    except RoveError as error:
        yield Finding("Display", "broken", error.message, error.hint)
        return
    await browser.close()
    yield Finding("Display", "good", "it starts" if settings.headless else "the one of this machine")
