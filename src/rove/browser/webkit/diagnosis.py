"""The checks of `rove doctor` for WebKit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rove.browser.browser import Finding
from rove.browser.webkit.browser import launch, start_process
from rove.browser.webkit.install import ACCEPT_SAFARI, INSTALL_HINT, Installation, find, xvfb
from rove.browser.webkit.launch import decide_sandbox
from rove.errors import RoveError
from rove.settings.tree import Settings


async def diagnose(settings: Settings) -> AsyncIterator[Finding]:
    """Check the driver, the browser that it starts and the display."""
    found = find(settings.browser)
    if found is None:
        yield Finding("WebKit", "broken", "there is no WebDriver server for WebKit, or no MiniBrowser", INSTALL_HINT)
        return
    yield Finding("WebKit", "good", f"{found.driver} with {found.browser or 'Safari'}")
    if found.is_safari:
        yield _check_guard(settings)
        return
    yield await _check_sandbox(settings, found)
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


def _check_guard(settings: Settings) -> Finding:
    if settings.guard.safari == "refuse":
        return Finding("Guard", "broken", "Safari takes no proxy from its driver", ACCEPT_SAFARI)
    return Finding("Guard", "worth knowing", "NOT GUARDED: pages in Safari reach whatever this machine reaches")


async def _check_sandbox(settings: Settings, found: Installation) -> Finding:
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, found)
    detail = f"{'on' if sandbox.on else 'off'}: {sandbox.reason}"
    if sandbox.on:
        return Finding("Sandbox", "good", detail)
    return Finding("Sandbox", "worth knowing", detail, "Install bubblewrap, and enable user namespaces, to have it on.")
