"""Commands at a pseudo-terminal, as a person gives them."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from types import TracebackType
from typing import Self

from tests.surfaces.daemon.commands import ROVE, Terminal

PATIENCE = 30.0


class Person:
    """A command that runs at a terminal, its screen and its keyboard."""

    def __init__(self, terminal: Terminal, *words: str, **variables: str) -> None:
        self._screen, inside = pty.openpty()
        self.shown = ""

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(inside, termios.TIOCSCTTY, 0)

        environment = {**terminal.environment(**variables), "TERM": "xterm"}
        environment.pop("CI", None)
        self._process = subprocess.Popen(
            [ROVE, *words], stdin=inside, stdout=inside, stderr=inside, cwd=terminal.folder, env=environment,
            preexec_fn=take_terminal, pass_fds=[inside],
        )  # fmt: skip
        os.close(inside)

    def wait_for(self, words: str) -> None:
        """Wait until the screen shows these words."""
        end = time.monotonic() + PATIENCE
        while words not in self.shown and time.monotonic() < end and self._read():
            pass
        assert words in self.shown, self.shown

    def write(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def ended(self) -> int:
        """Wait for the end of the command, and return its exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        if not select.select([self._screen], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._screen, 4096)
        except OSError:  # the command has ended
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._screen)
