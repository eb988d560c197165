"""Fetching a browser when there is none on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rove.chromium.process.discovery import Installation, candidates, find, is_snap
from rove.errors import BrowserUnavailable

# Colours, which a pipe has no use for.
_ANSI = r"\x1b\[[0-9;]*m"
Progress = Callable[[str], None]
INSTALL_COMMAND = "rove install"


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


def version(path: Path) -> str | None:
    """What the browser says of itself, or None when it cannot even say that."""
    try:
        done = subprocess.run(
            [str(path), "--version", "--no-sandbox"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


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
            said = re.sub(_ANSI, "", line).strip()
            if said.startswith(("Error", "E:")) or not reason:
                reason = said or reason
            if said != told and said.startswith(("Downloading", "Get:", "Unpacking", "Setting up", "|")):
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
