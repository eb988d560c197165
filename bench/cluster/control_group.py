"""Holding processes to a part of a core, with a control group (cgroup) of the kernel."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PERIOD_MICROSECONDS = 20_000
# What others do on the machine is not measured: these groups come before it, up to their limits.
WEIGHT_V1 = 100_000
WEIGHT_V2 = 10_000


class NoControlGroups(Exception):
    """The machine has no control groups that this user may make."""


@contextmanager
def control_group(name: str, cores: float | None) -> Generator[list[str]]:
    """Make a group whose processes get so many cores together (None: without a limit); yield a prefix for commands."""
    folder = _made(f"rove-bench-{os.getpid()}-{name}")
    try:
        if (folder / "cpu.max").exists():
            quota = "max" if cores is None else str(round(cores * PERIOD_MICROSECONDS))
            (folder / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
            (folder / "cpu.weight").write_text(str(WEIGHT_V2))
        else:
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
            (folder / "cpu.cfs_quota_us").write_text(str(-1 if cores is None else round(cores * PERIOD_MICROSECONDS)))
            (folder / "cpu.shares").write_text(str(WEIGHT_V1))
        yield ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"]
    finally:
        _leave(folder)


def used_seconds(prefix: list[str]) -> float:
    """Return the processor time that a group has used."""
    folder = Path(prefix[2].split()[3]).parent
    if (folder / "cpu.stat").exists() and "usage_usec" in (text := (folder / "cpu.stat").read_text()):
        return int(text.split()[1]) / 1e6
    accounted = ROOT / "cpuacct" / folder.name / "cpuacct.usage"
    return int(accounted.read_text()) / 1e9 if accounted.exists() else float("nan")


def _made(name: str) -> Path:
    folder = (ROOT / "cpu" if (ROOT / "cpu").is_dir() else ROOT) / name
    try:
        folder.mkdir()
    except OSError as error:
        raise NoControlGroups(str(error)) from error
    return folder


def _leave(folder: Path) -> None:
    """Remove the group; processes that are still in it go to the one above."""
    for pid in (folder / "cgroup.procs").read_text().split():
        (folder.parent / "cgroup.procs").write_text(pid)
    folder.rmdir()
