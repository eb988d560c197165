"""Starting the browser's process, ahead of anyone asking for a page."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

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
        self.reading, self.writing, self.process = self._spawn(headless)

    def abandon(self) -> None:
        """It was not needed after all, or did not start."""
        self.folder.close()
        self.process.wait()
        self._dead_end.close()

    def last_words(self) -> str:
        """What the browser said before it gave up."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it said nothing"

    def _spawn(self, headless: bool) -> tuple[int, int, subprocess.Popen[bytes]]:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        profile = self.folder.path / "profile"
        nowhere = f"http://127.0.0.1:{self._dead_end.getsockname()[1]}"
        command = [str(self.found.path), *arguments(profile, headless, self.sandbox, nowhere)]
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _MOVED, "sh", *command],
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=log,
                env={**os.environ, **self.folder.environment},
                start_new_session=True,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        return ours_in, ours_out, process
