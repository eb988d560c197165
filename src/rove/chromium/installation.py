"""Fetching a browser when there is none on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rove.chromium.process.discovery import Installation, browsers_folder, candidates, find, is_snap
from rove.errors import BrowserUnavailable
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.chromium.chrome_for_testing.transfer import Meter

Progress = Callable[[str], None]
INSTALL_COMMAND = "rove install"


def installed(settings: Settings) -> Installation | None:
    """Return the browser that the settings lead to, or None if there is none."""
    return find(settings.browser, settings.headless, str(settings.home_folder), settings.browser_version)


def ensure(settings: Settings, may_fetch: bool, progress: Progress, meter: Meter | None = None) -> Installation:
    """Find a browser, or fetch one if that is allowed, or say how to get one."""
    found = installed(settings)
    if found is not None:
        return found
    if not may_fetch:
        raise BrowserUnavailable(_missing(settings.headless), hint=f"Run `{INSTALL_COMMAND}`.")
    progress("No browser found on this machine: installing one. This happens once.")
    return fetch(settings, progress, meter)


def fetch(settings: Settings, progress: Progress, meter: Meter | None = None, again: bool = False) -> Installation:
    """Fetch Chrome for Testing or, where that fails and we are allowed to, install Debian's package."""
    try:
        found = _fetched(settings, progress, meter or percentages(progress), again)
    except BrowserUnavailable as failure:
        if not _may_use_apt():
            raise
        progress(f"  That did not work: {failure.message}")
        from_debian = _installed_by_apt(settings, progress)
        if from_debian is None:
            raise
        found = from_debian
    progress(f"Ready: {found.path}")
    return found


def version(path: Path) -> str | None:
    """Return what a browser says its version is, or None if it does not start."""
    try:
        done = subprocess.run(
            [str(path), "--version", "--no-sandbox"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def percentages(progress: Progress) -> Meter:
    """Report a download in lines, one for each tenth of it, for a log or a client that shows no bar."""
    told = -1

    def report(have: int, length: int | None) -> None:
        nonlocal told
        tenths = have * 10 // length if length else have // 2**25
        if tenths > told:
            told = tenths
            progress(f"  {tenths * 10} % of {length // 2**20} MB" if length else f"  {have // 2**20} MB")

    return report


def _fetched(settings: Settings, progress: Progress, meter: Meter, again: bool) -> Installation:
    # Here rather than above: most servers find a browser, and need neither HTTP nor zip.
    from rove.chromium.chrome_for_testing.releases import locate
    from rove.chromium.chrome_for_testing.store import Store

    progress(f"Fetching Chrome for Testing {settings.browser_version}")
    build = locate(settings.browser_version, settings.headless, settings.browser_mirror)
    store = Store(Path(browsers_folder(str(settings.home_folder))))
    program = store.fetch(build, again, progress, meter)
    return Installation(str(program), f"Chrome for Testing {build.version}", headless_only=settings.headless)


def _may_use_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _installed_by_apt(settings: Settings, progress: Progress) -> Installation | None:
    package = "chromium-headless-shell" if settings.headless else "chromium"
    attempts = (
        ("Debian's package list", ["apt-get", "update"]),
        (f"Debian's package {package}", ["apt-get", "install", "-y", "--no-install-recommends", package]),
    )
    for label, command in attempts:
        progress(f"Fetching {label}: {' '.join(command)}")
        if _succeeds(command, progress) and (found := find(None, settings.headless)):
            return found
    return None


def _succeeds(command: list[str], progress: Progress) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        reason = told = ""
        for line in process.stdout:
            said = line.strip()
            if said.startswith(("Error", "E:")) or not reason:
                reason = said or reason
            if said != told and said.startswith(("Get:", "Unpacking", "Setting up")):
                told = said
                progress(f"  {said[:100]}")
    if process.returncode != 0:
        progress(f"  That did not work: {reason[:200]}")
    return process.returncode == 0


def _missing(headless: bool) -> str:
    snaps = [found.location for found in candidates(headless) if is_snap(found.location)]
    if snaps:
        return (
            f"{snaps[0]} is a snap package, whose confinement keeps rove from driving it, "
            "and no other browser was found."
        )
    return "No Chromium was found on this machine."
