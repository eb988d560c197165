"""The processes of one browser: their group, their sandbox, a virtual display, and a driver for each context."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import struct
import subprocess
from pathlib import Path
from typing import Any, Literal

from rove.browser.shared import process as shared_process
from rove.browser.shared import watchdog
from rove.browser.shared.process import ChildProcess, RunFolder, discard
from rove.browser.webkit.install import INSTALL_HINT, Installation, xvfb
from rove.errors import BrowserUnavailable
from rove.records import dataclass

# rove waits for pages itself, answers their dialogs itself, and ends scripts by deadlines of its own.
_BEHAVIOUR: dict[str, Any] = {
    "pageLoadStrategy": "none",
    "unhandledPromptBehavior": "ignore",
    "timeouts": {"script": None},
}
# A page that is kept when it is left would leave calls to it without an answer. The others would go around the proxy,
# by looking names up and over UDP.
_OPTIONS = (
    "--enable-page-cache=false",
    "--enable-dns-prefetching=false",
    "--features=-LinkDNSPrefetch",
    "--enable-webrtc=false",
    "--enable-media-stream=false",
)
_PROBE_SECONDS = 5.0

# Larger than any window that rove opens: where there is no window manager, none keeps a window on the screen.
SCREEN_SIZE = (3840, 2400)
SCREEN = f"{SCREEN_SIZE[0]}x{SCREEN_SIZE[1]}x24"
# Leads the group, which lives as long as rove holds the other end of the pipe. Ends the display in an orderly way: if
# it were killed, it would leave its lock file behind.
_LEADER = '"$@" & display=$!; exec 3>&-; read -r _; kill "$display"; wait "$display"'
_LEADER_WITHOUT_DISPLAY = "read -r _"
# Variables by which a browser would reach what belongs to the person at this machine, or around rove's proxy.
_REMOVED = ("WAYLAND_DISPLAY", "XAUTHORITY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY",
            "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
            "AT_SPI_BUS_ADDRESS", "WEBKIT_FORCE_SANDBOX", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS")  # fmt: skip
_DISPLAY_SECONDS = 20.0
_ANY_FAMILY = 0xFFFF
_COOKIE = b"MIT-MAGIC-COOKIE-1"


def minibrowser_capabilities(installation: Installation, proxy: str) -> dict[str, Any]:
    """Return those of a MiniBrowser whose requests all go through a proxy."""
    # The driver's own `proxy` would speak TLS to the proxy for https: addresses. This one is for every address.
    options = {"binary": installation.browser, "args": ["--automation", f"--proxy={proxy}", *_OPTIONS]}
    return {**_BEHAVIOUR, "browserName": Path(installation.browser).name, "webkitgtk:browserOptions": options}


def safari_capabilities() -> dict[str, Any]:
    """Return those of the Safari of this Mac, and not of a phone that is connected to it."""
    return {**_BEHAVIOUR, "browserName": "safari", "platformName": "mac"}


@dataclass(frozen=True)
class Sandbox:
    """Whether WebKit's sandbox is on, and why."""

    on: bool
    reason: str

    @property
    def environment(self) -> dict[str, str]:
        """The variable that makes WebKit use it or not; MiniBrowser's own default differs from build to build."""
        return {"WEBKIT_FORCE_SANDBOX" if self.on else "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}


def decide_sandbox(setting: Literal["auto", "on", "off"], installation: Installation) -> Sandbox:
    """Return whether to use WebKit's sandbox; with `auto`, it is on if bubblewrap works here."""
    if installation.is_safari:
        return Sandbox(True, "Safari's own, which its driver does not change")
    if setting != "auto":
        return Sandbox(setting == "on", f"set to {setting}")
    program = shutil.which("bwrap")
    if program is None:
        return Sandbox(False, "there is no bwrap; on Debian it is in the package bubblewrap")
    if _makes_namespaces(program):
        return Sandbox(True, "the kernel lets bubblewrap make namespaces")
    return Sandbox(False, "the kernel lets bubblewrap make no namespaces here")


def _makes_namespaces(program: str) -> bool:
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


class ProcessGroup(shared_process.BrowserProcess):
    """The process group of a browser, its run folder and its watchdog. Contexts start drivers in it.

    A driver runs one browser with one proxy, so that every context has both to itself.
    """

    def __init__(self, runs: str | Path, installation: Installation, headless: bool, sandbox: Sandbox) -> None:
        self.installation = installation
        self._sandbox = sandbox
        self._is_headless = headless and not installation.is_safari
        self._display = ""
        self._count = 0
        self._is_released = False
        self.folder = RunFolder.create(runs)
        try:
            self._pipe, self._display_pipe, self.process = self._start_leader()
            watchdog.record_process(self.folder.location, self.process.pid)
        except BaseException:
            self.folder.close()
            raise

    def wait_for_display(self) -> None:
        """Wait until the virtual display can be used. Raises BrowserUnavailable if it cannot."""
        if self._display_pipe is None:
            return
        pipe, self._display_pipe = self._display_pipe, None
        try:
            number = _read_line(pipe)
        finally:
            os.close(pipe)
        if not number:
            raise BrowserUnavailable(f"The virtual display did not start: {self.last_log_line()}", hint=INSTALL_HINT)
        self._display = f":{number}"

    def start_driver(self, port: int) -> tuple[ChildProcess, Path]:
        """Start a driver that listens on a port; return it and the folder that its browser takes for its home."""
        self._count += 1
        home = self.scratch / f"home{self._count}"
        (home / "config").mkdir(parents=True, mode=0o700)
        (home / "downloads").mkdir(mode=0o700)
        (home / "config" / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{home}/downloads"\n', encoding="utf-8")
        if not self.installation.is_safari:
            # A message bus that does not answer: the browser joins no instance that runs, asks no desktop for its
            # proxy, and starts no bus. It is not named by a variable: WebKit's sandbox would start a proxy to it.
            os.mknod(home / "bus", stat.S_IFSOCK | 0o600)
        return self._spawn([self.installation.driver, "-p", str(port)], self._environment(home)), home

    def release(self) -> None:
        """End all processes and remove the run folder."""
        if self._is_released:
            return
        self._is_released = True
        os.close(self._pipe)
        if self._display_pipe is not None:
            os.close(self._display_pipe)
            self._display_pipe = None
        if self._is_headless:
            self.process.wait()  # it ends the display first
        self.folder.close()
        self.process.wait()

    def _start_leader(self) -> tuple[int, int | None, ChildProcess]:
        reading, writing = os.pipe()
        shown, telling = os.pipe() if self._is_headless else (None, None)
        command = ["/bin/sh", "-c", _LEADER_WITHOUT_DISPLAY, "sh"]
        if self._is_headless:
            command = ["/bin/sh", "-c", _LEADER, "sh", *self._display_command()]
        try:
            descriptors = {0: reading} if telling is None else {0: reading, 3: telling}
            environment = {**os.environ, **self.folder.environment}
            leader = self._spawn(command, environment, descriptors, group=0)
        except BaseException:
            os.close(writing)
            if shown is not None:
                os.close(shown)
            raise
        finally:
            os.close(reading)
            if telling is not None:
                os.close(telling)
        return writing, shown, leader

    def _display_command(self) -> list[str]:
        program = xvfb()
        if program is None:
            raise BrowserUnavailable("WebKit needs a display, and there is no Xvfb.", hint=INSTALL_HINT)
        # Only those who can read this file may use the display: others could look at the pages and type into them.
        cookie = secrets.token_bytes(16)
        entry = struct.pack(">HHH", _ANY_FAMILY, 0, 0) + struct.pack(">H", len(_COOKIE)) + _COOKIE
        authority = os.open(self._authority, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
        with os.fdopen(authority, "wb") as file:
            file.write(entry + struct.pack(">H", len(cookie)) + cookie)
        options = ["-nolisten", "tcp", "-noreset", "-auth", self._authority]
        return [program, "-displayfd", "3", "-screen", "0", SCREEN, *options]

    @property
    def _authority(self) -> str:
        return f"{self.folder.location}/display.auth"

    def _environment(self, home: Path) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name not in _REMOVED}
        environment |= self.folder.environment
        if self.installation.is_safari:
            return environment  # Safari belongs to the user's own account, whatever it is told
        folders = {"HOME": str(home), "XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data",
                   "XDG_CACHE_HOME": str(self.scratch / "cache"), "XDG_RUNTIME_DIR": str(home)}  # fmt: skip
        environment |= folders | {"NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local"}
        environment |= {"GIO_USE_PROXY_RESOLVER": "dummy"} | self._sandbox.environment
        if self._is_headless:
            environment |= {"DISPLAY": self._display, "XAUTHORITY": self._authority, "GDK_BACKEND": "x11"}
            environment |= {"LIBGL_ALWAYS_SOFTWARE": "1"}
        elif os.environ.get("XAUTHORITY"):
            environment["XAUTHORITY"] = os.environ["XAUTHORITY"]
        return environment

    def _spawn(
        self,
        command: list[str],
        environment: dict[str, str],
        descriptors: dict[int, int] | None = None,
        group: int | None = None,
    ) -> ChildProcess:
        null = os.open(os.devnull, os.O_RDWR)
        log = os.open(self.log_path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            group = self.process.pid if group is None else group
            return ChildProcess(command, environment, {0: null, 1: log, 2: log, **(descriptors or {})}, group)
        finally:
            os.close(null)
            os.close(log)


def end_driver(process: ChildProcess, home: Path) -> None:
    """End a driver, whose browser has been closed or has died, and remove its home."""
    if process.poll() is None:
        os.kill(process.pid, 15)
    process.wait()
    discard(home)


def _read_line(pipe: int) -> str:
    """Return what is written to a pipe up to the end of a line; empty if it ends, or takes too long."""
    import select
    import time

    received, until = b"", time.monotonic() + _DISPLAY_SECONDS
    while not received.endswith(b"\n"):
        if not select.select([pipe], [], [], max(until - time.monotonic(), 0))[0]:
            return ""
        part = os.read(pipe, 64)
        if not part:
            return ""
        received += part
    return received.decode("ascii", "replace").strip()
