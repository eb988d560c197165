"""The checks of `rove doctor` for Firefox: leftovers, the browser and a start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rove.browser.browser import Finding
from rove.browser.firefox.browser import launch, start_process
from rove.browser.firefox.install import INSTALL_COMMAND, Installation, installed, version
from rove.browser.shared.process import sweep
from rove.errors import RoveError
from rove.settings.tree import Settings


async def diagnose(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the finding of one check after another, the quick ones first."""
    swept = await asyncio.to_thread(sweep, settings.home_folder / "run")
    detail = f"swept {len(swept)} run folder(s) of a rove that was killed" if swept else "nothing left by earlier runs"
    yield Finding("leftovers", "good", detail)
    if settings.attach is not None:
        yield Finding("attach", "broken", "rove attaches only to Chromium and Chrome", "Leave out --engine.")
        return
    try:
        found = await asyncio.to_thread(installed, settings)
    except RoveError as error:
        yield Finding("browser", "broken", error.message, error.hint)
        return
    if found is None:
        yield Finding("browser", "broken", "no Firefox found", f"Run `{INSTALL_COMMAND}`.")
        return
    yield await asyncio.to_thread(_check_browser, found)
    if settings.stealth:
        advice = "Leave out --engine to have it: docs/stealth.md."
        yield Finding("stealth", "broken", "on, and Firefox tells pages that it is automated", advice)
    yield await _check_start(settings)


def _check_browser(found: Installation) -> Finding:
    printed = version(found.path)
    if printed is None:
        advice = f"Run it by hand to see why, or `{INSTALL_COMMAND}`."
        return Finding("browser", "broken", f"{found.path} does not run", advice)
    return Finding("browser", "good", f"{printed}: {found.path} ({found.origin})")


async def _check_start(settings: Settings) -> Finding:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        browser = await launch(settings, await start_process(settings, lambda _: None))
    except RoveError as error:
        return Finding("start", "broken", error.message, "Start it by hand with --headless to see why.")
    seconds = loop.time() - began
    await browser.close()
    return Finding("start", "good", f"browser up in {seconds:.2f} s, and gone again")
