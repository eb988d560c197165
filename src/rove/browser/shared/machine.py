"""What a browser needs and takes of this machine: a display, packages, memory and processor time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rove.browser.shared.process import sweep
from rove.browser.shared.watchdog import living_processes
from rove.errors import BrowserUnavailable
from rove.records import dataclass

log = logging.getLogger(__name__)
Progress = Callable[[str], None]

# Listing all processes of the machine takes milliseconds, so the list is used for this many seconds.
LIST_SECONDS = 0.5
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


def has_display() -> bool:
    """Return whether a browser window can be shown on this machine."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def refuse_without_display() -> None:
    """Raise BrowserUnavailable if there is no display for a browser with a window."""
    if not has_display():
        raise BrowserUnavailable(
            "A browser with a window needs a display, and there is none.",
            hint="Leave out --no-headless, or `headless` of a session; or start rove under `xvfb-run`.",
        )


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


def printed_by(*command: str) -> str | None:
    """Return what a program prints, such as its version; None if it does not start."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


async def sweep_leftovers(runs: Path) -> None:
    """Remove what earlier processes left behind; a failure is logged, and the next launch tries again."""
    try:
        await asyncio.to_thread(sweep, runs)
    except Exception:
        log.exception("what earlier browsers left in %s could not be removed", runs)


class PageProcesses:
    """The page processes of the browser that leads a process group; none where the kernel does not list them."""

    def __init__(self, group: int | None) -> None:
        self._group = group
        self._pids: list[int] = []
        self._listed_at = -LIST_SECONDS

    def processor_times(self) -> dict[int, int]:
        """Return the nanoseconds that each page process has run, by its id."""
        if time.monotonic() - self._listed_at >= LIST_SECONDS:
            self._pids, self._listed_at = self.ids(), time.monotonic()
        return {pid: used for pid in self._pids if (used := _nanoseconds(pid))}

    def ids(self) -> list[int]:
        """Return the ids of the page processes that there are now."""
        if self._group is None or not Path("/proc/self/stat").exists():
            return []
        return [
            pid
            for pid, group in living_processes()
            if group == self._group and is_page_process(_read(Path(f"/proc/{pid}/cmdline")))
        ]

    def pause(self, pids: Iterable[int]) -> None:
        _signal(pids, signal.SIGSTOP)

    def resume(self, pids: Iterable[int]) -> None:
        _signal(pids, signal.SIGCONT)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(pid, number)


def is_page_process(arguments: bytes) -> bool:
    """Return whether a process with these arguments runs pages: Chromium and Firefox mark those differently."""
    return b"--type=renderer" in arguments or b"-isForBrowser" in arguments


def _nanoseconds(pid: int) -> int:
    """Return how long all threads of a process have run."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return 0
    return sum(int((_read(thread / "schedstat") or b"0").split()[0]) for thread in threads)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # the process has ended meanwhile
        return b""


@dataclass(frozen=True)
class ProcessMemory:
    """Bytes that one process holds alone, and bytes that it may share with others."""

    pid: int
    own: int
    shared: int
    is_page: bool


def memory_in_use(group: int) -> int | None:
    """Return the bytes that the processes of a group hold; None where the kernel does not say.

    This adds up what each process holds alone, and the largest shared part once. The sum is somewhat more than the
    exact number (PSS), which takes the kernel milliseconds for each process; this takes 3 ms in all.
    """
    processes = list(_processes_in(group))
    return sum(each.own for each in processes) + max(each.shared for each in processes) if processes else None


def kill_largest_page(group: int) -> bool:
    """Kill the page process that holds the most memory; its tabs are reported as crashed. False if there is none."""
    pages = [process for process in _processes_in(group) if process.is_page]
    if not pages:
        return False
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        os.kill(max(pages, key=lambda page: page.own).pid, signal.SIGKILL)
    return True


def _processes_in(group: int) -> Iterator[ProcessMemory]:
    if not Path("/proc/self/statm").exists():
        return
    for pid in [pid for pid, process_group in living_processes() if process_group == group]:
        with contextlib.suppress(OSError):  # it has ended since it was listed
            statm = Path(f"/proc/{pid}/statm").read_text().split()
            _, resident, shared, *_ = (int(pages) * PAGE_SIZE for pages in statm)
            is_page = is_page_process(Path(f"/proc/{pid}/cmdline").read_bytes())
            yield ProcessMemory(pid, resident - shared, shared, is_page)
