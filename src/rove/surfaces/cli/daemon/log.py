"""The log of the daemon, shown in the terminal."""

from __future__ import annotations

import select
import sys
from pathlib import Path

from rove.surfaces.cli.daemon.location import LOG, daemon_folder


def show_log(home: Path, last: int, follow: bool) -> int:
    """Write the last lines of the log and, if asked, those that follow."""
    path = Path(daemon_folder(str(home)), LOG)
    if not path.exists():
        print("There is no log: no action has been run from the command line yet.")
        return 0
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
        for line in lines[-last:] if last else lines:
            print(line)
        while follow:
            sys.stdout.write(file.read())
            sys.stdout.flush()
            select.select([], [], [], 0.2)
    return 0
