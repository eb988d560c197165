"""Finding the archive of a version in Google's lists."""

from __future__ import annotations

import os
from typing import Any

from rove.chromium.chrome_for_testing.errors import DownloadUnavailable
from rove.chromium.chrome_for_testing.transfer import read_json
from rove.errors import BrowserUnavailable
from rove.settings.chrome_version import is_exact
from rove.validation.record import dataclass

INDEX = "https://googlechromelabs.github.io/chrome-for-testing"
# All versions, with the URLs of their archives.
VERSIONS = "known-good-versions-with-downloads.json"
# The newest version of each channel, with the URLs of its archives.
CHANNEL_VERSIONS = "last-known-good-versions-with-downloads.json"
PLATFORMS = {("Linux", "x86_64"): "linux64", ("Darwin", "arm64"): "mac-arm64", ("Darwin", "x86_64"): "mac-x64"}
SHELL, FULL = "chrome-headless-shell", "chrome"


@dataclass(frozen=True)
class Build:
    """One archive: a program of one version for one platform."""

    version: str
    program: str
    platform: str
    url: str

    @property
    def folder(self) -> str:
        """The only top-level folder of the archive."""
        return f"{self.program}-{self.platform}"


def locate(wanted: str, headless: bool, mirror: str | None) -> Build:
    """Find the archive of a version or channel for this machine.

    Google's lists contain the URLs of archives. A mirror has the same layout as Google's storage, so a URL follows from
    the version, and only the mirror receives requests.
    """
    program, platform = SHELL if headless else FULL, _platform()
    if mirror is None:
        version, url = _listed(wanted, program, platform)
        return Build(version, program, platform, url)
    version = wanted if is_exact(wanted) else _channel(mirror, wanted)["version"]
    return Build(version, program, platform, f"{mirror}/{version}/{platform}/{program}-{platform}.zip")


def _platform() -> str:
    machine = os.uname()
    found = PLATFORMS.get((machine.sysname, machine.machine))
    if found is None:
        raise DownloadUnavailable(
            f"Chrome for Testing has no build for {machine.sysname} on {machine.machine}.",
            hint="Install Chromium from your system's packages, on Debian with `apt-get install "
            "chromium-headless-shell`; or set ROVE_BROWSER to the path of one.",
        )
    return found


def _listed(wanted: str, program: str, platform: str) -> tuple[str, str]:
    entry = _version(wanted) if is_exact(wanted) else _channel(INDEX, wanted)
    try:
        downloads = entry["downloads"].get(program, ())
        urls = [download["url"] for download in downloads if download["platform"] == platform]
    except (AttributeError, KeyError, TypeError) as error:
        raise _invalid_list(INDEX) from error
    if not urls or not _is_address(urls[0]):
        raise _no_such_version(f"{wanted} of {program} for {platform}")
    return entry["version"], urls[0]


def _is_address(url: Any) -> bool:
    return isinstance(url, str) and url.startswith(f"{INDEX.partition('://')[0]}://")


def _version(wanted: str) -> dict[str, Any]:
    listed = read_json(f"{INDEX}/{VERSIONS}")
    try:
        found = [entry for entry in listed["versions"] if entry["version"] == wanted]
    except (KeyError, TypeError) as error:
        raise _invalid_list(INDEX) from error
    if not found:
        raise _no_such_version(wanted)
    return dict(found[0])


def _channel(index: str, wanted: str) -> dict[str, Any]:
    listed = read_json(f"{index}/{CHANNEL_VERSIONS}")
    try:
        entry = dict(listed["channels"][wanted.capitalize()])
        version = entry["version"]
    except (KeyError, TypeError, ValueError) as error:
        raise _invalid_list(index) from error
    if not isinstance(version, str) or not is_exact(version):
        raise _invalid_list(index)
    return entry


def _no_such_version(version: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"Chrome for Testing has no version {version}.",
        hint=f"Leave ROVE_BROWSER_VERSION unset, or set it to stable or to a version that {INDEX}/{VERSIONS} lists.",
    )


def _invalid_list(index: str) -> BrowserUnavailable:
    return BrowserUnavailable(
        f"The list of versions at {index} is not one of Chrome for Testing's.",
        hint="Set ROVE_BROWSER_MIRROR to a copy of Chrome for Testing's files, and ROVE_BROWSER_VERSION to an exact "
        "version if the copy has no lists.",
    )
