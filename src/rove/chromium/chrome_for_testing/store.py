"""The folder of fetched browsers, `$ROVE_HOME/browsers/<version>`, which several processes may write to at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from rove.chromium.chrome_for_testing.archive import unpack
from rove.chromium.chrome_for_testing.releases import Build
from rove.chromium.chrome_for_testing.transfer import discard, download, write_error
from rove.chromium.process.discovery import program_in
from rove.errors import BrowserUnavailable

if TYPE_CHECKING:
    from rove.browser.browser import Meter, Progress

UNPACKING_PREFIX = "unpacking-"
LOCK_FILE = ".lock"
# Seconds for a fetched browser to print its version.
VERSION_TIMEOUT = 30.0


class Store:
    """The fetched browsers. A build is either complete or absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fetch(self, build: Build, again: bool, progress: Progress, meter: Meter) -> Path:
        """Download, check and unpack a build, and return its program.

        If another process has installed it in the meantime, that one is used; `again` replaces an installed build.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._locked(progress):
                program = self._program(build)
                return program if program is not None and not again else self._install(build, progress, meter)
        except OSError as error:
            raise write_error(self._folder, error) from error

    def _program(self, build: Build) -> Path | None:
        found = program_in(str(self._folder / build.version / build.folder), build.program == "chrome-headless-shell")
        return Path(found) if found else None

    def _install(self, build: Build, progress: Progress, meter: Meter) -> Path:
        progress(f"  {build.url}")
        partial = self._folder / f"{build.version}-{build.folder}.zip.part"
        download(build.url, partial, meter)
        with tempfile.TemporaryDirectory(prefix=UNPACKING_PREFIX, dir=self._folder) as scratch:
            self._unpack(build, partial, Path(scratch))
            place(Path(scratch) / build.folder, self._folder / build.version / build.folder)
        discard(partial)
        found = self._program(build)
        assert found is not None, "the unpacked build had its program"
        return found

    def _unpack(self, build: Build, partial: Path, scratch: Path) -> None:
        try:
            unpack(partial, scratch, build.folder)
        except BrowserUnavailable:
            discard(partial)  # or the next call would unpack the same damaged file
            raise
        program = program_in(str(scratch / build.folder), build.program == "chrome-headless-shell")
        if program is None:
            discard(partial)
            raise BrowserUnavailable(
                f"{build.url} does not contain a browser.",
                hint="Check ROVE_BROWSER_MIRROR and ROVE_BROWSER_VERSION.",
            )
        require_start(program, build.version)

    @contextlib.contextmanager
    def _locked(self, progress: Progress) -> Generator[None]:
        """Let one process at a time write to the folder; the system releases the lock when the process ends."""
        lock = os.open(self._folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("Another rove is fetching a browser: waiting for it.")
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_unfinished()
            yield
        finally:
            os.close(lock)

    def _remove_unfinished(self) -> None:
        """Remove the folders of processes that were killed while unpacking."""
        for unfinished in self._folder.glob(f"{UNPACKING_PREFIX}*"):
            shutil.rmtree(unfinished)


def place(unpacked: Path, target: Path) -> None:
    """Move a complete build to its place with one rename, so that no process ever sees a part of it.

    A build that it replaces is moved beside `unpacked`, and back again if the new one cannot be moved.
    """
    replaced = unpacked.with_name("replaced")
    target.parent.mkdir(exist_ok=True)
    if target.exists():
        target.rename(replaced)
    try:
        unpacked.rename(target)
    except OSError:
        if replaced.exists():
            replaced.rename(target)
        raise


def require_start(program: str, version: str) -> None:
    """Raise BrowserUnavailable for a program that does not start or is of another version."""
    command = [program, "--version", "--no-sandbox"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=VERSION_TIMEOUT, check=False)
        said = done.stdout.strip() if done.returncode == 0 else ""
        reason = f"it says it is {said!r}" if said else (done.stderr.strip() or f"exit code {done.returncode}")
    except (OSError, subprocess.TimeoutExpired) as error:
        said, reason = "", str(error)
    if version not in said.split():
        raise BrowserUnavailable(
            f"The fetched browser does not start as version {version}: {reason[-300:]}.",
            hint="If a library is missing, install your system's Chromium and its libraries, on Debian with "
            "`apt-get install chromium-headless-shell`; or set ROVE_BROWSER to the path of one.",
        )
