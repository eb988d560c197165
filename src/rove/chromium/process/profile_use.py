"""Whether a browser process uses a profile: one of a rove that was killed may take a moment to end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time

from rove.errors import ProfileInUse
from rove.process.watchdog import living_processes

# The watchdog of a rove that was killed ends its browser within a fraction of this.
END_TIMEOUT = 5.0
CHECK_INTERVAL = 0.05


async def wait_until_unused(folder: str) -> None:
    """Wait until no browser process uses a profile folder. Raises ProfileInUse if one goes on using it."""
    deadline = time.monotonic() + END_TIMEOUT
    while using := await asyncio.to_thread(_processes_using, folder):
        if time.monotonic() > deadline:
            raise ProfileInUse(
                f"The profile folder {folder} is in use by the browser process {using[0]}.",
                hint="Close that browser, then call again.",
            )
        await asyncio.sleep(CHECK_INTERVAL)
    _remove_stale_lock(folder)


def _processes_using(folder: str) -> list[int]:
    if not os.path.exists("/proc/self/cmdline"):
        return []  # there Chromium itself refuses a profile that another process uses
    argument = f"--user-data-dir={folder}".encode()
    return [pid for pid, _ in living_processes() if argument in _arguments(pid)]


def _arguments(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []  # the process has ended


def _remove_stale_lock(folder: str) -> None:
    """Remove Chromium's own lock, which names a machine: in a container that was made anew it would never be free."""
    for name in ("SingletonLock", "SingletonCookie", "SingletonSocket"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{folder}/{name}")
