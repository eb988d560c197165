"""The folder of fetched browsers, `$ROVE_HOME/browsers/<version>`, which several processes may write to at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

from rove.chromium.chrome_for_testing.archive import unpack
from rove.chromium.chrome_for_testing.releases import Build
from rove.chromium.chrome_for_testing.transfer import Meter, discard, download, unwritten
from rove.chromium.process.discovery import program_in
from rove.errors import BrowserUnavailable

UNPACKING = "unpacking-"
LOCK = ".lock"
STARTING = 30.0


class Store:
    """Browsers that were fetched, each complete or not there at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fetch(self, build: Build, again: bool, progress: Callable[[str], None], meter: Meter) -> Path:
        """Download, check and unpack a build, and return its program.

        If another process was faster, what it brought is used; `again` replaces what is there.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._locked(progress):
                there = self._program(build)
                return there if there is not None and not again else self._bring(build, progress, meter)
        except OSError as error:
            raise unwritten(self._folder, error) from error

    def _program(self, build: Build) -> Path | None:
        found = program_in(str(self._folder / build.version / build.folder), build.program == "chrome-headless-shell")
        return Path(found) if found else None

    def _bring(self, build: Build, progress: Callable[[str], None], meter: Meter) -> Path:
        progress(f"  {build.url}")
        partial = self._folder / f"{build.version}-{build.folder}.zip.part"
        download(build.url, partial, meter)
        with tempfile.TemporaryDirectory(prefix=UNPACKING, dir=self._folder) as scratch:
            self._unpack(build, partial, Path(scratch))
            self._place(Path(scratch) / build.folder, self._folder / build.version / build.folder)
        discard(partial)
        found = self._program(build)
        assert found is not None, "it was there a moment ago"
        return found

    def _unpack(self, build: Build, partial: Path, scratch: Path) -> None:
        try:
            unpack(partial, scratch, build.folder)
        except BrowserUnavailable:
            discard(partial)  # what is damaged would be damaged the next time too
            raise
        program = program_in(str(scratch / build.folder), build.program == "chrome-headless-shell")
        if program is None:
            discard(partial)
            raise BrowserUnavailable(
                f"{build.url} holds no program.", hint="Check ROVE_BROWSER_MIRROR and ROVE_BROWSER_VERSION."
            )
        require_start(program, build.version)

    def _place(self, unpacked: Path, target: Path) -> None:
        """Move a complete build to its place with one rename, so that none is ever seen in part."""
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            target.rename(unpacked.with_name("replaced"))
        unpacked.rename(target)

    @contextlib.contextmanager
    def _locked(self, progress: Callable[[str], None]) -> Generator[None]:
        """Let one process at a time write to the folder; the lock ends with its process, however that ends."""
        lock = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("Another rove is fetching a browser: waiting for it.")
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._sweep()
            yield
        finally:
            os.close(lock)

    def _sweep(self) -> None:
        """Remove what a process left that was killed while unpacking."""
        for left in self._folder.glob(f"{UNPACKING}*"):
            shutil.rmtree(left)


def require_start(program: str, version: str) -> None:
    """Refuse a program that does not start, or that is of another version than was asked for."""
    command = [program, "--version", "--no-sandbox"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=STARTING, check=False)
        said = done.stdout.strip() if done.returncode == 0 else ""
        reason = f"it says it is {said!r}" if said else (done.stderr.strip() or f"exit code {done.returncode}")
    except (OSError, subprocess.TimeoutExpired) as error:
        said, reason = "", str(error)
    if version not in said.split():
        raise BrowserUnavailable(
            f"The browser that was fetched does not start as version {version}: {reason[-300:]}.",
            hint="If a library is missing, install your system's Chromium, which brings what it needs, on Debian with "
            "`apt-get install chromium-headless-shell`; or set ROVE_BROWSER to the path of one.",
        )
