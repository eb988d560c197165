"""Installing a browser as a package of Debian or Ubuntu, where rove runs as root."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

Progress = Callable[[str], None]


def may_use_apt() -> bool:
    """Return whether packages can be installed without asking for a password."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_package(package: str, progress: Progress) -> bool:
    """Install a package, telling what is done; return whether that worked."""
    _succeeds(["apt-get", "update"], progress)  # if it fails, the package list that is there may still do
    return _succeeds(["apt-get", "install", "-y", "--no-install-recommends", package], progress)


def _succeeds(command: list[str], progress: Progress) -> bool:
    progress(f"Running {' '.join(command)}")
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
        reason = reported = ""
        for line in process.stdout:
            text = line.strip()
            if text.startswith(("Error", "E:")) or not reason:
                reason = text or reason
            if text != reported and text.startswith(("Get:", "Unpacking", "Setting up")):
                reported = text
                progress(f"  {text[:100]}")
    if process.returncode != 0:
        progress(f"  That did not work: {reason[:200]}")
    return process.returncode == 0
