"""Finding a usable browser on this machine.

With next to nothing imported, and paths as plain text: a server's browser is found and started before anything else.
"""

from __future__ import annotations

import os
import sys

from rove.errors import BrowserUnavailable
from rove.settings.chrome_version import PINNED, is_exact
from rove.settings.home import home_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
FULL = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DEBIAN_FOLDER = "/usr/lib/chromium"
# Programs within a build's folder, as Chrome for Testing and Playwright lay them out.
SHELL_PROGRAMS = ("chrome-headless-shell", "headless_shell")
FULL_PROGRAMS = (
    "chrome",
    "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "Chromium.app/Contents/MacOS/Chromium",
)
# Playwright's first build of Chromium 133. Those before it are too old for rove.
OLDEST_PLAYWRIGHT_BUILD = 1155


class Installation:
    """A browser on disk: where it is, where it came from, and whether it can show a window."""

    def __init__(self, location: str, origin: str, headless_only: bool) -> None:
        self.location = location
        self.origin = origin
        self.headless_only = headless_only

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.location)


def find(
    given: str | os.PathLike[str] | None, headless: bool, home: str | None = None, version: str = PINNED
) -> Installation | None:
    """Return the browser to use, or None. A path that was given is used or refused, never replaced."""
    if given is not None:
        return _given(os.path.expanduser(os.fspath(given)))
    usable = (found for found in candidates(headless, home, version) if not is_snap(found.location))
    return next(usable, None)


def candidates(headless: bool, home: str | None = None, version: str = PINNED) -> Iterator[Installation]:
    """Yield every browser on this machine that could be used, the best first.

    Headless shells come first: a new tab takes 37 ms there against 170 ms in full Chromium. Among equals what rove
    has fetched comes first, then Playwright's, then the system's.
    """
    if headless:
        yield from _fetched(home, version, headless_only=True)
        yield from _of_playwright("chromium_headless_shell", "Playwright's headless shell", headless_only=True)
        yield from _on_path(SHELLS, headless_only=True)
    yield from _fetched(home, version, headless_only=False)
    yield from _of_playwright("chromium", "Playwright's Chromium", headless_only=False)
    yield from _on_path(FULL, headless_only=False)
    for application in APPLICATIONS:
        if _is_executable(application):
            yield Installation(application, "application", headless_only=False)


def browsers_folder(home: str) -> str:
    """The folder in which `rove install` keeps what it fetches, one folder for each version."""
    return f"{home}/browsers"


def program_in(folder: str, headless_only: bool) -> str | None:
    """Return the program in the folder of a build, such as `chrome-headless-shell-linux64`."""
    names = SHELL_PROGRAMS if headless_only else FULL_PROGRAMS
    return next((found for name in names if _is_executable(found := f"{folder}/{name}")), None)


def is_snap(location: str | os.PathLike[str]) -> bool:
    """Tell whether a program is a snap: those may neither read rove's profile folder nor inherit its pipes."""
    if "snap" in os.path.realpath(location).split("/"):
        return True
    try:
        with open(location, "rb") as file:
            head = file.read(2048)
    except OSError:
        return False
    return head.startswith(b"#!") and b"/snap/" in head


def _given(location: str) -> Installation:
    if not _is_executable(location):
        raise BrowserUnavailable(
            f"The browser that was given, {location}, is not an executable file.",
            hint="Correct ROVE_BROWSER, --browser or `browser` in config.toml, or leave it unset.",
        )
    name = os.path.basename(location)
    return Installation(location, "given", headless_only="headless-shell" in name or "headless_shell" in name)


def _fetched(home: str | None, version: str, headless_only: bool) -> Iterator[Installation]:
    """Yield what `rove install` has fetched, into this home or into the default one.

    The wanted version and no other; of a channel, whose version only its list knows, the newest that is there.
    """
    default = home_from(None, os.environ)
    for place in dict.fromkeys((home or default, default)):
        folder = browsers_folder(place)
        for name in [version] if is_exact(version) else _newest_first(folder):
            for program in _programs_below(f"{folder}/{name}", headless_only):
                yield Installation(program, f"Chrome for Testing {name}", headless_only)


def _newest_first(folder: str) -> list[str]:
    versions = [name for name in _names(folder) if is_exact(name)]
    return sorted(versions, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def _of_playwright(name: str, origin: str, headless_only: bool) -> Iterator[Installation]:
    """Yield the builds in Playwright's cache, the newest first, that it has unpacked completely."""
    cache = _playwright_cache()
    builds = [entry.rpartition("-") for entry in _names(cache)]
    revisions = [int(number) for prefix, _, number in builds if prefix == name and number.isdigit()]
    for revision in sorted(revisions, reverse=True):
        folder = f"{cache}/{name}-{revision}"
        if revision >= OLDEST_PLAYWRIGHT_BUILD and os.path.exists(f"{folder}/INSTALLATION_COMPLETE"):
            for program in _programs_below(folder, headless_only):
                yield Installation(program, f"{origin} ({revision})", headless_only)


def _playwright_cache() -> str:
    given = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if given and given != "0":  # 0 means: inside of Playwright's own package
        return given
    caches = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    return os.path.expanduser(f"{caches}/ms-playwright")


def _programs_below(folder: str, headless_only: bool) -> Iterator[str]:
    for name in sorted(_names(folder)):
        if program := program_in(f"{folder}/{name}", headless_only):
            yield program


def _names(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _on_path(names: tuple[str, ...], headless_only: bool) -> Iterator[Installation]:
    for name in names:
        # Debian's command is a shell script round the program, which costs a start some 20 ms.
        direct = f"{DEBIAN_FOLDER}/{name}"
        if _is_executable(direct):
            yield Installation(direct, "Debian package", headless_only)
        elif found := _which(name):
            yield Installation(found, "system", headless_only)


def _which(name: str) -> str | None:
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return next((found for place in places if place and _is_executable(found := f"{place}/{name}")), None)


def _is_executable(location: str) -> bool:
    return os.path.isfile(location) and os.access(location, os.X_OK)
