"""Starting the process of a browser, with its run folder, watchdog and pipe."""

from __future__ import annotations

import os

from rove.chromium.process.first_page import FirstPage
from rove.chromium.process.launch_arguments import Sandbox, launch_arguments, with_extensions
from rove.port import reserved_port
from rove.process import watchdog
from rove.process.child import ChildProcess
from rove.process.run_folder import RunFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from pathlib import Path

    from rove.browser.browser import ProfileLaunch
    from rove.chromium.process.discovery import Installation
    from rove.chromium.process.stealth_launch import StealthLaunch

# `posix_spawn` blocks until the program is loaded: 6 ms for the browser, 1 ms for a shell that then executes it.
_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")


def _proxy_url(port: socket) -> str:
    return f"http://127.0.0.1:{port.getsockname()[1]}"


class BrowserProcess:
    """A browser process that is starting, with its run folder and watchdog.

    With `makes_page`, a first context and a page in it are requested at once. Their proxy is a port that is reserved
    here; it refuses connections until the caller of `take_proxy_port` listens on it. With `profile`, the browser keeps
    its profile in that folder, which stays when the process ends. `stealth` changes its command line.
    """

    def __init__(
        self,
        runs: str | Path,
        installation: Installation,
        sandbox: Sandbox,
        headless: bool,
        makes_page: bool = False,
        profile: ProfileLaunch | None = None,
        stealth: StealthLaunch | None = None,
    ) -> None:
        self.stealth = stealth
        self.profile = profile
        self.installation = installation
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
        self.first_page = FirstPage(*self._pipe, _proxy_url(self._proxy_port)) if self._proxy_port else None

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
        """Return the descriptor of the first page's proxy port, which the caller must close; None if there is none."""
        port, self._proxy_port = self._proxy_port, None
        return port.detach() if port is not None else None

    def take_pipe(self) -> tuple[int, int]:
        """Return the descriptors to read from and write to the browser, both of which the caller must close."""
        assert self._pipe is not None, "taken before"
        pipe, self._pipe = self._pipe, None
        return pipe

    def wait(self) -> None:
        """Wait until the browser has ended by itself."""
        self.process.wait()

    def release(self) -> None:
        """Kill the browser, remove its run folder and close what was not taken."""
        self.folder.close()
        self.process.wait()
        if self._pipe is not None:
            if self.first_page is not None:
                self.first_page.wait()  # its thread stops when the process has ended
            for descriptor in self.take_pipe():
                os.close(descriptor)
        self._close_ports()
        _reap_orphans(self.process.pid)

    def _close_ports(self) -> None:
        for port in (self._closed_port, self._proxy_port):
            if port is not None:
                port.close()

    @property
    def _log_path(self) -> str:
        return f"{self.folder.location}/browser.log"

    def last_log_line(self) -> str:
        """Return the last line that the browser logged, which mostly says why it did not start."""
        try:
            with open(self._log_path, errors="replace", encoding="utf-8") as log:
                text = log.read()
        except OSError:
            text = ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it logged nothing"

    def _spawn(self, headless: bool) -> tuple[tuple[int, int], ChildProcess]:
        browser_in, our_out = os.pipe()
        our_in, browser_out = os.pipe()
        try:
            process = self._start_browser(headless, browser_in, browser_out)
            watchdog.record_process(self.folder.location, process.pid)
        except OSError:
            os.close(our_in)
            os.close(our_out)
            self.folder.close()
            raise
        finally:
            os.close(browser_in)
            os.close(browser_out)
        return (our_in, our_out), process

    def _start_browser(self, headless: bool, read_fd: int, write_fd: int) -> ChildProcess:
        profile, proxy = f"{self.folder.location}/profile", _proxy_url(self._closed_port)
        if self.profile is not None:
            profile, proxy = self.profile.folder, self.profile.proxy
        arguments = launch_arguments(profile, headless, self.sandbox, proxy)
        starter: tuple[str, ...] = _SHELL
        if self.profile is not None and self.profile.extensions:
            arguments = with_extensions(arguments)
            starter = _without_udp()
        if self.stealth is not None:
            arguments = self.stealth.arguments(arguments)
        command = [self.installation.location, *arguments]
        null = os.open(os.devnull, os.O_RDWR)
        log = os.open(self._log_path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            # Chromium expects its pipe at descriptors 3 and 4.
            descriptors = {0: null, 1: null, 2: log, 3: read_fd, 4: write_fd}
            return ChildProcess([*starter, *command], {**os.environ, **self.folder.environment}, descriptors)
        finally:
            os.close(null)
            os.close(log)


def _without_udp() -> tuple[str, ...]:
    """Return the command that starts a browser with extensions, whose pages Chromium lets send WebRTC past the proxy.

    Where there is no such command, `rove.engine.guard_notice` has asked the owner to accept that.
    """
    import sys

    from rove.process import socket_filter  # few sessions have extensions

    return (sys.executable, "-I", "-S", socket_filter.__file__) if socket_filter.is_supported() else _SHELL


def _reap_orphans(group: int) -> None:
    """Wait for the children of a dead browser, which become ours where rove is the first process of a container."""
    try:
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass  # none is left
