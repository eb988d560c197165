"""How Chromium is started: which flags, and whether its sandbox can stay on."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# On top of Playwright's own, which already turn off background networking, sync and component updates. A
# second --disable-features would replace the first: leave that one to Playwright.
FLAGS = ("--disable-quic", "--disable-domain-reliability", "--no-pings")


@dataclass(frozen=True)
class Sandbox:
    """Whether Chromium's sandbox is on, and why."""

    on: bool
    reason: str


def decide_sandbox(setting: Literal["auto", "on", "off"], browser: Path) -> Sandbox:
    """On wherever the kernel allows it."""
    if setting != "auto":
        return Sandbox(setting == "on", f"set to {setting}")
    if sys.platform != "linux":
        return Sandbox(True, "supported on this system")
    if os.geteuid() == 0:
        return Sandbox(False, "running as root, which Chromium's sandbox refuses")
    if (browser.parent / "chrome-sandbox").exists():
        return Sandbox(True, "the setuid helper chrome-sandbox lies beside the browser")
    if _user_namespaces_work():
        return Sandbox(True, "the kernel grants user namespaces")
    return Sandbox(False, "the kernel grants no user namespaces here")


def has_display() -> bool:
    """Whether a window could be shown at all."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _user_namespaces_work() -> bool:
    try:
        done = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
