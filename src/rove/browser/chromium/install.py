"""Fetching a browser when there is none on this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.chromium.discovery import Installation, browsers_folder, candidates, find, is_snap
from rove.browser.shared.machine import install_package, may_use_apt, printed_by
from rove.errors import BrowserUnavailable
from rove.settings.chrome_version import PINNED
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.browser import Meter, Progress

INSTALL_COMMAND = "rove install"


def installed(settings: Settings) -> Installation | None:
    """Return the browser that the settings lead to, or None if there is none."""
    return find(settings.browser, settings.uses_headless_shell, str(settings.home_folder), settings.browser_version)


def ensure(settings: Settings, may_fetch: bool, progress: Progress, meter: Meter | None = None) -> Installation:
    """Find a browser, or fetch one if that is allowed, or say how to get one."""
    found = installed(settings)
    if found is not None:
        return found
    if not may_fetch:
        raise BrowserUnavailable(_missing(settings.uses_headless_shell), hint=f"Run `{INSTALL_COMMAND}`.")
    progress("No browser found on this machine: installing one. This happens once.")
    return fetch(settings, progress, meter)


def fetch(settings: Settings, progress: Progress, meter: Meter | None = None, again: bool = False) -> Installation:
    """Fetch Chrome for Testing or, as root where it cannot be downloaded, install Debian's package.

    Every other failure, such as a wrong hash, is raised, because the owner has to see it. Debian's package does not
    replace a version or mirror that the owner has chosen either.
    """
    from rove.browser.chromium.download import DownloadUnavailable  # no server loads an HTTP client for this

    try:
        found = _fetched(settings, progress, meter or percentages(progress), again)
    except DownloadUnavailable as failure:
        if _chooses_download(settings) or not may_use_apt():
            raise
        progress(f"  That did not work: {failure.message}")
        from_debian = _installed_by_apt(settings, progress)
        if from_debian is None:
            raise
        found = from_debian
    progress(f"Ready: {found.path}")
    return found


def version(path: Path) -> str | None:
    """Return the version that a browser prints, or None if it does not start."""
    return printed_by(str(path), "--version", "--no-sandbox")


def working_version(path: Path) -> str:
    """Return the version that a browser prints. Raises BrowserUnavailable with what it says if it does not start."""
    try:
        done = subprocess.run(
            [str(path), "--version", "--no-sandbox"], capture_output=True, text=True, timeout=20, check=False
        )
        said, works = done.stdout.strip() or done.stderr.strip(), done.returncode == 0 and bool(done.stdout.strip())
    except (OSError, subprocess.SubprocessError) as error:
        said, works = str(error), False
    if works:
        return said
    raise BrowserUnavailable(
        f"{path} is there, but does not start: {said[:500] or 'it says nothing'}.",
        hint="Install the libraries that it lacks, or name another browser with --browser or ROVE_BROWSER.",
    )


def percentages(progress: Progress) -> Meter:
    """Report a download in lines, one for each tenth of it, for a log or a client that shows no bar."""
    reported = -1

    def report(have: int, length: int | None) -> None:
        nonlocal reported
        tenths = have * 10 // length if length else have // 2**25
        if tenths > reported:
            reported = tenths
            progress(f"  {tenths * 10} % of {length // 2**20} MB" if length else f"  {have // 2**20} MB")

    return report


def _fetched(settings: Settings, progress: Progress, meter: Meter, again: bool) -> Installation:
    # Imported here because most servers find a browser, and then need neither HTTP nor zip.
    from rove.browser.chromium.chrome_for_testing import Store, locate

    progress(f"Fetching Chrome for Testing {settings.browser_version}")
    build = locate(settings.browser_version, settings.uses_headless_shell, settings.browser_mirror)
    store = Store(Path(browsers_folder(str(settings.home_folder))))
    program = store.fetch(build, again, progress, meter)
    return Installation(str(program), f"Chrome for Testing {build.version}", headless_only=settings.uses_headless_shell)


def _chooses_download(settings: Settings) -> bool:
    return settings.browser_mirror is not None or settings.browser_version != PINNED


def _installed_by_apt(settings: Settings, progress: Progress) -> Installation | None:
    package = "chromium-headless-shell" if settings.uses_headless_shell else "chromium"
    before = {_file_identity(found) for found in _usable(settings)}
    if not install_package(package, progress):
        return None
    after = _usable(settings)
    new = next((found for found in after if _file_identity(found) not in before), None)
    return new or (_described_as_old(after[0], progress) if after else None)


def _usable(settings: Settings) -> list[Installation]:
    found = candidates(settings.uses_headless_shell, str(settings.home_folder), settings.browser_version)
    return [each for each in found if not is_snap(each.location)]


def _file_identity(found: Installation) -> tuple[str, int, int]:
    """Return what changes when a package manager writes the file anew, which may keep its time of modification."""
    status = found.path.stat()
    return found.location, status.st_ino, status.st_ctime_ns


def _described_as_old(found: Installation, progress: Progress) -> Installation:
    progress(f"  Nothing was fetched: apt-get changed no browser. {found.location} was there before.")
    return Installation(found.location, f"{found.origin}, installed before, not fetched now", found.headless_only)


def _missing(headless: bool) -> str:
    snaps = [found.location for found in candidates(headless) if is_snap(found.location)]
    if snaps:
        return (
            f"{snaps[0]} is a snap package, whose confinement keeps rove from driving it, "
            "and no other browser was found."
        )
    return "No Chromium was found on this machine."
