"""Commands as real processes, which share the daemon of one home folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.site import OWN_SITES

ROVE = str(Path(sys.executable).parent / "rove")


class Terminal:
    """Runs commands of one user, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "h"
        self.folder = folder

    def environment(self, **variables: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
        own = {"ROVE_HOME": str(self.home), "ROVE_ALLOW_HOST": ",".join(OWN_SITES)}
        return {**kept, **own, **variables}

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [ROVE, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", cwd=self.folder, env=self.environment(**variables),
        )  # fmt: skip

    def run(self, *words: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, **variables)
        output, error = process.communicate(typed, timeout=100)
        return subprocess.CompletedProcess(words, process.returncode, output, error)

    @property
    def daemon(self) -> int:
        """The process id of the daemon that started last."""
        started = [line for line in (self.home / "daemon/log").read_text().splitlines() if "started as process" in line]
        return int(started[-1].split()[-1])
