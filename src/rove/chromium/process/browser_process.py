"""Starting the browser's process, ahead of anyone asking for a page."""

from __future__ import annotations

import os

from rove.chromium.process import watchdog
from rove.chromium.process.child import ChildProcess
from rove.chromium.process.first_page import FirstPage
from rove.chromium.process.launch_arguments import Sandbox, arguments
from rove.chromium.process.run_folder import RunFolder
from rove.port import reserved_port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from pathlib import Path

    from rove.chromium.process.discovery import Installation

# Loading the browser's program takes 6 ms, for which whoever starts a process is held up; a shell's takes one.
_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")


def _address(port: socket) -> str:
    return f"http://127.0.0.1:{port.getsockname()[1]}"


class BrowserProcess:
    """A run folder, its keeper, and a browser process that is starting.

    With `makes_page`, a first context and its page are asked for at once. Their way out is a port at which nobody
    listens before someone takes it to stand guard there.
    """

    def __init__(
        self, runs: str | Path, found: Installation, sandbox: Sandbox, headless: bool, makes_page: bool = False
    ) -> None:
        self.found = found
        self.sandbox = sandbox
        self._closed_port = reserved_port()
        self._proxy_port = reserved_port() if makes_page else None
        self._pipe: tuple[int, int] | None
        try:
            self.folder = RunFolder.create(runs)
            self._pipe, self.process = self._spawn(headless)
        except OSError:
            self._close_ports()
            raise
        self.first_page = FirstPage(*self._pipe, _address(self._proxy_port)) if self._proxy_port else None

    @property
    def scratch(self) -> Path:
        return self.folder.path

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def process_group(self) -> int:
        return self.process.pid

    def take_proxy_port(self) -> int | None:
        """The descriptor of the port that the first page's requests will go to; whoever takes it has to close it."""
        port, self._proxy_port = self._proxy_port, None
        return port.detach() if port is not None else None

    def pipe(self) -> tuple[int, int]:
        """Where to read from and write to the browser; whoever takes it has to close both."""
        assert self._pipe is not None, "taken before"
        pipe, self._pipe = self._pipe, None
        return pipe

    def release(self) -> None:
        """It was not needed after all, or did not start, or is over."""
        self.folder.close()
        self.process.wait()
        if self._pipe is not None:
            if self.first_page is not None:
                self.first_page.wait()  # which the end of the process ends
            for end in self.pipe():
                os.close(end)
        self._close_ports()
        _reap_adopted(self.process.pid)

    def _close_ports(self) -> None:
        for port in (self._closed_port, self._proxy_port):
            if port is not None:
                port.close()

    @property
    def _log(self) -> str:
        return f"{self.folder.location}/browser.log"

    def last_log_line(self) -> str:
        """What the browser said before it gave up."""
        try:
            with open(self._log, errors="replace", encoding="utf-8") as log:
                said = log.read()
        except OSError:
            said = ""
        lines = [line for line in said.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it said nothing"

    def _spawn(self, headless: bool) -> tuple[tuple[int, int], ChildProcess]:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        try:
            process = self._started(headless, theirs_in, theirs_out)
            watchdog.record_process(self.folder.location, process.pid)
        except OSError:
            os.close(ours_in)
            os.close(ours_out)
            self.folder.close()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return (ours_in, ours_out), process

    def _started(self, headless: bool, reads: int, writes: int) -> ChildProcess:
        profile = f"{self.folder.location}/profile"
        command = [self.found.location, *arguments(profile, headless, self.sandbox, _address(self._closed_port))]
        nowhere = os.open(os.devnull, os.O_RDWR)
        log = os.open(self._log, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            # Chromium looks for its pipe at descriptors 3 and 4.
            descriptors = {0: nowhere, 1: nowhere, 2: log, 3: reads, 4: writes}
            return ChildProcess([*_SHELL, *command], {**os.environ, **self.folder.environment}, descriptors)
        finally:
            os.close(nowhere)
            os.close(log)


def _reap_adopted(group: int) -> None:
    """Where we are the first process of a container, a dead browser's children are left to us to be waited for."""
    try:
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass  # there are none left
