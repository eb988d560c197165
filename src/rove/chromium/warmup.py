"""The part of a browser's start that can be done before anyone has asked for a browser.

Imports nothing that is slow: it runs ahead of everything else in a server's process.
"""

from __future__ import annotations

from pathlib import Path

from rove.chromium.driver import Driver
from rove.chromium.runfolder import RunFolder


class Warmup:
    """A run folder, its keeper, and a driver that is booting."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = RunFolder.create(home / "run")
        self.driver = Driver.spawn(self.folder.environment, home / "cache" / "driver")

    def abandon(self) -> None:
        """It was not needed after all."""
        self.folder.close()
