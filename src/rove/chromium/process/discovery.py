"""Finding a usable browser on this machine.

With next to nothing imported, and paths as plain text: a server's browser is found and started before anything else.
"""

from __future__ import annotations

import os
import sys

from rove.errors import BrowserUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLAYWRIGHT_PACKAGE = "playwright"
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
FULL = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DEBIAN_FOLDER = "/usr/lib/chromium"


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


def find(given: str | os.PathLike[str] | None, headless: bool) -> Installation | None:
    """The browser to use, or None. A path that was given is used or refused, never replaced."""
    if given is not None:
        return _given(os.path.expanduser(os.fspath(given)))
    usable = (found for found in candidates(headless) if not is_snap(found.location))
    return next(usable, None)


def candidates(headless: bool) -> Iterator[Installation]:
    """Every browser on this machine that could do, the best first.

    Headless shell comes first: a new tab takes 37 ms there against 170 ms in full Chromium.
    """
    if headless:
        yield from _of_playwright("chromium-headless-shell", "Playwright's headless shell", headless_only=True)
        yield from _on_path(SHELLS, headless_only=True)
    yield from _of_playwright("chromium", "Playwright's Chromium", headless_only=False)
    yield from _on_path(FULL, headless_only=False)
    for application in APPLICATIONS:
        if _is_executable(application):
            yield Installation(application, "application", headless_only=False)


def is_snap(location: str | os.PathLike[str]) -> bool:
    """Ubuntu's snap package may neither read rove's profile folder nor speak over inherited pipes."""
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


def _of_playwright(name: str, origin: str, headless_only: bool) -> Iterator[Installation]:
    builds, prefix = _playwright_browsers(), f"{name.replace('-', '_')}-"
    if not os.path.isdir(builds) or not any(entry.startswith(prefix) for entry in os.listdir(builds)):
        return  # to find out which build would be the right one takes longer than all else here
    from pathlib import Path

    revision = revisions().get(name)
    folder = Path(builds) / f"{prefix}{revision}"
    names = ("chrome-headless-shell", "headless_shell") if headless_only else ("chrome", "Chromium", "Google Chrome*")
    for pattern in names:
        for path in sorted(folder.glob(f"**/{pattern}")):
            if _is_executable(str(path)):
                yield Installation(str(path), f"{origin} ({revision})", headless_only)


def _playwright_package() -> str | None:
    """Where Playwright keeps what it knows about browser builds, found without importing it."""
    import importlib.util

    spec = importlib.util.find_spec(PLAYWRIGHT_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return f"{places[0]}/driver/package" if places else None


def revisions() -> dict[str, str]:
    """The build of each browser that the installed Playwright would fetch."""
    import json

    package = _playwright_package()
    if package is None:
        return {}
    with open(f"{package}/browsers.json", encoding="utf-8") as file:
        catalogue = json.load(file)
    return {browser["name"]: browser["revision"] for browser in catalogue["browsers"]}


def _playwright_browsers() -> str:
    if given := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        beside = _playwright_package() if given == "0" else None
        return f"{beside}/.local-browsers" if beside else given
    caches = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    return os.path.expanduser(f"{caches}/ms-playwright")


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
