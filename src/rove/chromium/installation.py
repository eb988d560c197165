"""Finding a usable browser on this machine, and fetching one when there is none."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rove.errors import BrowserUnavailable
from rove.record import dataclass

PLAYWRIGHT_PACKAGE = "playwright"
# Colours, which a pipe has no use for.
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
Progress = Callable[[str], None]

SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
FULL = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DEBIAN_FOLDER = Path("/usr/lib/chromium")
INSTALL_COMMAND = "rove install"


@dataclass(frozen=True)
class Installation:
    """A browser on disk: where it is, where it came from, and whether it can show a window."""

    path: Path
    origin: str
    headless_only: bool


def find(given: Path | None, headless: bool) -> Installation | None:
    """The browser to use, or None. A path that was given is used or refused, never replaced."""
    if given is not None:
        return _given(given.expanduser())
    usable = (found for found in candidates(headless) if not is_snap(found.path))
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
    for application in map(Path, APPLICATIONS):
        if _is_executable(application):
            yield Installation(application, "application", headless_only=False)


def ensure(given: Path | None, headless: bool, may_fetch: bool, progress: Progress) -> Installation:
    """Find a browser, or fetch one if that is allowed, or say how to get one."""
    found = find(given, headless)
    if found is None and may_fetch:
        progress("No browser found on this machine: installing one. This happens once.")
        found = fetch(headless, progress)
    if found is None:
        raise BrowserUnavailable(_missing(headless), hint=f"Run `{INSTALL_COMMAND}`.")
    return found


def fetch(headless: bool, progress: Progress) -> Installation | None:
    """Install Playwright's build, or Debian's where that is refused and we may."""
    attempts = [("Playwright's build", _playwright_command(headless))]
    if _may_use_apt():
        package = "chromium-headless-shell" if headless else "chromium"
        attempts.append(("Debian's package list", ["apt-get", "update"]))
        attempts.append((f"Debian's package {package}", _apt_command(package)))
    for label, command in attempts:
        progress(f"Fetching {label}: {' '.join(Path(word).name for word in command)}")
        if _succeeds(command, progress) and (found := find(None, headless)):
            progress(f"Ready: {found.path}")
            return found
    return None


def is_snap(path: Path) -> bool:
    """Ubuntu's snap package may neither read rove's profile folder nor speak over inherited pipes."""
    if "snap" in path.resolve().parts:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(2048)
    except OSError:
        return False
    return head.startswith(b"#!") and b"/snap/" in head


def version(path: Path) -> str | None:
    """What the browser says of itself, or None when it cannot even say that."""
    try:
        done = subprocess.run(
            [str(path), "--version", "--no-sandbox"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _given(path: Path) -> Installation:
    if not _is_executable(path):
        raise BrowserUnavailable(
            f"The browser that was given, {path}, is not an executable file.",
            hint="Correct ROVE_BROWSER, --browser or `browser` in config.toml, or leave it unset.",
        )
    return Installation(path, "given", headless_only="headless-shell" in path.name or "headless_shell" in path.name)


def _of_playwright(name: str, origin: str, headless_only: bool) -> Iterator[Installation]:
    revision = _revisions().get(name)
    folder = _playwright_browsers() / f"{name.replace('-', '_')}-{revision}"
    names = ("chrome-headless-shell", "headless_shell") if headless_only else ("chrome", "Chromium", "Google Chrome*")
    for pattern in names:
        for path in sorted(folder.glob(f"**/{pattern}")):
            if _is_executable(path):
                yield Installation(path, f"{origin} ({revision})", headless_only)


def _playwright_package() -> Path | None:
    """Where Playwright keeps what it knows about browser builds, found without importing it."""
    spec = importlib.util.find_spec(PLAYWRIGHT_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / "driver" / "package" if places else None


def _revisions() -> dict[str, str]:
    package = _playwright_package()
    if package is None:
        return {}
    catalogue = json.loads((package / "browsers.json").read_text(encoding="utf-8"))
    return {browser["name"]: browser["revision"] for browser in catalogue["browsers"]}


def _playwright_browsers() -> Path:
    if given := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        beside = _playwright_package()
        return beside / ".local-browsers" if given == "0" and beside else Path(given)
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ms-playwright"


def _on_path(names: tuple[str, ...], headless_only: bool) -> Iterator[Installation]:
    for name in names:
        # Debian's command is a shell script round the program, which costs a start some 20 ms.
        direct = DEBIAN_FOLDER / name
        if _is_executable(direct):
            yield Installation(direct, "Debian package", headless_only)
        elif found := shutil.which(name):
            yield Installation(Path(found), "system", headless_only)


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _playwright_command(headless: bool) -> list[str]:
    shell = ["--only-shell"] if headless else ["--no-shell"]
    return [sys.executable, "-m", "playwright", "install", *shell, "chromium"]


def _may_use_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_command(package: str) -> list[str]:
    return ["apt-get", "install", "-y", "--no-install-recommends", package]


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
            said = _ANSI.sub("", line).strip()
            if said.startswith(("Error", "E:")) or not reason:
                reason = said or reason
            if said != told and said.startswith(("Downloading", "Get:", "Unpacking", "Setting up", "|")):
                told = said
                progress(f"  {said[:100]}")
    if process.returncode != 0:
        progress(f"  That did not work: {reason[:200]}")
    return process.returncode == 0


def _missing(headless: bool) -> str:
    snaps = [str(found.path) for found in candidates(headless) if is_snap(found.path)]
    if snaps:
        return (
            f"{snaps[0]} is a snap package, whose confinement keeps rove from driving it, "
            "and no other browser was found."
        )
    return "No Chromium was found on this machine."
