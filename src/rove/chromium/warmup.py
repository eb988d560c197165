"""The part of a browser's start that can be done before anyone has asked for a browser.

Playwright would start its driver process too, but only after its own import (0.1 s) and with our whole
environment. Started here, the driver boots while that import runs, keeps its compiled code between starts
(together 0.25 s of a first call), lives in the run folder and carries its mark, so that the keeper can find
it. Nothing slow is imported: this runs ahead of everything else in a server's process.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from rove.chromium.runfolder import RunFolder
from rove.errors import BrowserUnavailable


class Warmup:
    """A run folder, its keeper, and a driver process that is booting."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = RunFolder.create(home / "run")
        self.process = _spawn(self.folder.environment, home / "cache" / "driver")

    def abandon(self) -> None:
        """It was not needed after all."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.folder.close()
        self.process.wait()


def driver_folder() -> Path:
    """Where Playwright keeps its driver, found without importing Playwright."""
    spec = importlib.util.find_spec("playwright")
    if spec is None or not spec.submodule_search_locations:
        raise BrowserUnavailable("Playwright is not installed.", hint="Install rove again, with its dependencies.")
    return Path(spec.submodule_search_locations[0]) / "driver"


def _spawn(environment: dict[str, str], cache: Path) -> subprocess.Popen[bytes]:
    folder = driver_folder()
    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or folder / "node"
    inherited = {key: value for key, value in os.environ.items() if key != "NODE_OPTIONS"}
    return subprocess.Popen(
        [str(node), str(folder / "package" / "cli.js"), "run-driver"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={
            **inherited,
            **environment,
            "PW_LANG_NAME": "python",
            "PW_LANG_NAME_VERSION": f"{sys.version_info.major}.{sys.version_info.minor}",
            "NODE_COMPILE_CACHE": str(cache),
        },
        start_new_session=True,
    )
