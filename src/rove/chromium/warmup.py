"""Starting the browser's process, ahead of anyone asking for a page."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from pathlib import Path

from rove.chromium import keeper
from rove.chromium.installation import Installation
from rove.chromium.launch import Sandbox, arguments
from rove.chromium.runfolder import RunFolder

# Chromium looks for its pipe at descriptors 3 and 4: a shell, for a moment in between, moves it there.
_MOVED = 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null'


def _dead_end() -> socket.socket:
    """A port that is taken and at which nobody listens: what asks for it is refused, by whoever may come."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    return taken


class Warmup:
    """A run folder, its keeper, and a browser process that is starting."""

    def __init__(self, runs: Path, found: Installation, sandbox: Sandbox, headless: bool) -> None:
        self.found = found
        self.sandbox = sandbox
        self.folder = RunFolder.create(runs)
        self.log = self.folder.path / "browser.log"
        self._dead_end = _dead_end()
        self._pipe: tuple[int, int] | None
        try:
            self._pipe, self.process = self._spawn(headless)
        except OSError:
            self._dead_end.close()
            self.folder.close()
            raise

    @property
    def scratch(self) -> Path:
        return self.folder.path

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def process_group(self) -> int:
        return self.process.pid

    def pipe(self) -> tuple[int, int]:
        """Where to read from and write to the browser; whoever takes it has to close both."""
        assert self._pipe is not None, "taken before"
        pipe, self._pipe = self._pipe, None
        return pipe

    def abandon(self) -> None:
        """It was not needed after all, or did not start, or is over."""
        if self._pipe is not None:
            for end in self.pipe():
                os.close(end)
        self.folder.close()
        self.process.wait()
        self._dead_end.close()
        _bury_adopted(self.process.pid)

    def last_words(self) -> str:
        """What the browser said before it gave up."""
        try:
            said = self.log.read_text(errors="replace")
        except OSError:
            said = ""
        lines = [line for line in said.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it said nothing"

    def _spawn(self, headless: bool) -> tuple[tuple[int, int], subprocess.Popen[bytes]]:
        profile = self.folder.path / "profile"
        nowhere = f"http://127.0.0.1:{self._dead_end.getsockname()[1]}"
        command = [str(self.found.path), *arguments(profile, headless, self.sandbox, nowhere)]
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        try:
            with self.log.open("wb") as log:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", _MOVED, "sh", *command],
                    stdin=theirs_in,
                    stdout=theirs_out,
                    stderr=log,
                    env={**os.environ, **self.folder.environment},
                    start_new_session=True,
                )
            keeper.record(self.folder.path, process.pid)
        except OSError:
            os.close(ours_in)
            os.close(ours_out)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return (ours_in, ours_out), process


def _bury_adopted(group: int) -> None:
    """Where we are the first process of a container, a dead browser's children are left to us to be waited for."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
