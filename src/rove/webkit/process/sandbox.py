"""Whether WebKit's own sandbox can be on: bubblewrap around each process that runs the scripts of pages."""

from __future__ import annotations

import shutil
import subprocess
from typing import Literal

from rove.validation.record import dataclass
from rove.webkit.process.discovery import Installation

_PROBE_SECONDS = 5.0


@dataclass(frozen=True)
class Sandbox:
    """Whether WebKit's sandbox is on, and why."""

    on: bool
    reason: str

    @property
    def environment(self) -> dict[str, str]:
        """The variable that makes WebKit use it or not; MiniBrowser's own default differs from build to build."""
        return {"WEBKIT_FORCE_SANDBOX" if self.on else "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}


def decide_sandbox(setting: Literal["auto", "on", "off"], installation: Installation) -> Sandbox:
    """Return whether to use WebKit's sandbox; with `auto`, it is on if bubblewrap works here."""
    if installation.is_safari:
        return Sandbox(True, "Safari's own, which its driver does not change")
    if setting != "auto":
        return Sandbox(setting == "on", f"set to {setting}")
    program = shutil.which("bwrap")
    if program is None:
        return Sandbox(False, "there is no bwrap; on Debian it is in the package bubblewrap")
    if _makes_namespaces(program):
        return Sandbox(True, "the kernel lets bubblewrap make namespaces")
    return Sandbox(False, "the kernel lets bubblewrap make no namespaces here")


def _makes_namespaces(program: str) -> bool:
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
