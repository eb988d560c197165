"""The checks of `rove doctor` for Chromium: shared memory, leftovers, the browser, its sandbox and a start."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from rove.browser.browser import Finding, State
from rove.browser.chromium.browser import Browser, launch, start_process
from rove.browser.chromium.discovery import Installation, candidates, is_snap
from rove.browser.chromium.install import installed, version
from rove.browser.chromium.launch import decide_sandbox
from rove.browser.chromium.stealth import graphics_cards, has_graphics_driver, is_software
from rove.browser.extensions import described
from rove.browser.shared import socket_filter
from rove.browser.shared.process import sweep
from rove.errors import RoveError
from rove.settings.tree import Settings

MIN_SHM_MEGABYTES = 64


async def diagnose(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the finding of one check after another, the quick ones first."""
    yield _check_shared_memory()
    yield _check_leftovers(settings)
    if settings.attach is not None:
        yield await _check_attachment(settings)
        return
    installation: Installation | None = None
    try:
        installation = await asyncio.to_thread(installed, settings)
    except RoveError as error:
        yield Finding("browser", "broken", error.message, error.hint)
        return
    if installation is None:
        yield _report_missing_browser(settings)
        return
    yield await asyncio.to_thread(_check_browser, installation)
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, installation.path)
    advice = "" if sandbox.on else "Run as an ordinary user, with user namespaces enabled, to have it on."
    yield Finding(
        "sandbox",
        "good" if sandbox.on else "worth knowing",
        f"{'on' if sandbox.on else 'off'}: {sandbox.reason}",
        advice,
    )
    if settings.stealth:
        yield check_stealth(settings, installation)
    if settings.extension and not socket_filter.is_supported():
        state: State = "worth knowing" if settings.unguarded_extensions else "broken"
        why = "on this system WebRTC of extensions bypasses rove's proxy"
        yield Finding("extension", state, why, "Run rove on Linux (x86_64, aarch64) to have it guarded.")
    for subject, detail, fix in described(settings):
        yield Finding(subject, "broken" if fix else "good", detail, fix)
    async for finding in _check_start(settings):
        yield finding


def _check_shared_memory() -> Finding:
    shm = Path("/dev/shm")
    if sys.platform != "linux":
        return Finding("/dev/shm", "good", "not used on this system")
    if not shm.is_dir() or not os.access(shm, os.W_OK):
        return Finding("/dev/shm", "worth knowing", "missing", "Not needed: Chromium is told to use files instead.")
    size = shutil.disk_usage(shm).total // 2**20
    state: State = "good" if size > MIN_SHM_MEGABYTES else "worth knowing"
    return Finding("/dev/shm", state, f"{size} MB", "" if state == "good" else "Not needed: files are used instead.")


def _check_leftovers(settings: Settings) -> Finding:
    swept = sweep(settings.home_folder / "run")
    detail = f"swept {len(swept)} run folder(s) of a rove that was killed" if swept else "nothing left by earlier runs"
    return Finding("leftovers", "good", detail)


def _report_missing_browser(settings: Settings) -> Finding:
    snaps = [
        installation.path for installation in candidates(settings.uses_headless_shell) if is_snap(installation.path)
    ]
    if snaps:
        return Finding(
            "browser",
            "broken",
            f"{snaps[0]} is a snap package, which rove cannot drive",
            "Run `rove install`.",
        )
    return Finding("browser", "broken", "none found", "Run `rove install`.")


def _check_browser(installation: Installation) -> Finding:
    version_text = version(installation.path)
    if version_text is None:
        return Finding(
            "browser", "broken", f"{installation.path} does not run", "Run it by hand to see why, or `rove install`."
        )
    return Finding("browser", "good", f"{version_text}: {installation.path} ({installation.origin})")


def check_stealth(settings: Settings, installation: Installation) -> Finding:
    if installation.headless_only:
        advice = (
            "Leave `browser` unset, or name a full Chromium or Chrome; `rove install` with ROVE_STEALTH=1 fetches one."
        )
        return Finding(
            "stealth", "broken", f"on, and {installation.path} is a headless shell, which pages notice", advice
        )
    how = "without a window" if settings.headless else "with a window"
    return Finding("stealth", "good", f"on, in a full browser {how}")


def check_renderer(renderer: str, cards: list[Path]) -> Finding:
    """Return what to know of WebGL in a browser with stealth, by what draws it and the graphics cards there are."""
    if not renderer:
        return Finding("WebGL", "worth knowing", "the browser does not tell what draws it", "Look at chrome://gpu.")
    if not is_software(renderer):
        return Finding("WebGL", "good", f"drawn by {renderer}")
    detail = f"WebGL names a software renderer, which pages may notice: {renderer}"
    closed = [str(card) for card in cards if not os.access(card, os.R_OK | os.W_OK)]
    if closed:
        return Finding(
            "WebGL", "worth knowing", detail, f"Let this user use {closed[0]}: add it to the group `render`."
        )
    driver = "" if has_graphics_driver() else " Mesa (libegl-mesa0, libgl1-mesa-dri) at least is noticed less."
    if cards or sys.platform != "linux":
        advice = "Install the OpenGL driver of the graphics card, and run without a window."
        return Finding("WebGL", "worth knowing", f"{detail}. There is a graphics card", advice + driver)
    advice = "Run rove on a machine with one, to have its name; rove makes none up."
    return Finding("WebGL", "worth knowing", f"{detail}. This machine has no graphics card", advice + driver)


async def _check_attachment(settings: Settings) -> Finding:
    from rove.browser.chromium.attachment import attach

    try:
        browser = await attach(settings)
    except RoveError as error:
        return Finding("attach", "broken", error.message, error.hint)
    await browser.close()
    advice = "Leave --attach out to have a browser whose requests go through rove's proxy."
    detail = f"{browser.version} at {settings.attach}: what its pages reach is NOT GUARDED"
    return Finding("attach", "worth knowing", detail, advice)


async def _check_start(settings: Settings) -> AsyncIterator[Finding]:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        browser = await launch(settings, await start_process(settings, lambda _: None), Browser)
    except RoveError as error:
        advice = "Start it by hand with --headless --dump-dom about:blank to see why."
        yield Finding("start", "broken", error.message, advice)
        return
    seconds = loop.time() - began
    try:
        renderer = await browser.webgl_renderer() if settings.stealth else ""
    finally:
        await browser.close()
    if settings.stealth:
        yield check_renderer(renderer, graphics_cards())
    yield Finding("start", "good", f"browser up in {seconds:.2f} s, and gone again")
