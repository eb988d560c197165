"""Starting the browser's process: its command line and its first page; a server's before anything slow is imported.

The client of a server opens a page next, and the page's process takes longest of all to start. Requested here, an empty
page is ready by then: measured, a first page comes 50 ms sooner.

The imports of a server take longer than the start of a browser. With the browser first and both at once, the first
call is answered 0.1 s sooner. This module and those that it imports therefore use only a few of Python's own modules
(docs/decisions/0010), which a test checks. Settings are not read yet, so the browser is started only where they cannot
ask for another one: there is no configuration file, and no setting that changes the browser's start is given.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread

from rove.browser.chromium.discovery import Installation, find
from rove.browser.shared import process as shared_process
from rove.browser.shared import socket_filter, watchdog
from rove.browser.shared.process import ChildProcess, RunFolder, reserved_port
from rove.errors import RoveError
from rove.settings.chrome_version import PINNED, checked_version
from rove.settings.home import given, home_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Literal

    from rove.browser.browser import ProfileLaunch
    from rove.browser.chromium.stealth import StealthLaunch

# The browser sends no requests of its own: no updates, no sync, no hints, no reports.
_NO_BACKGROUND_REQUESTS = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-field-trial-config",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    # With the last feature off, Chromium keeps no spare process for the next site: docs/decisions/0010.
    "--disable-features=AimEnabled,AutofillServerCommunication,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,"
    "LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,Translate,"
    "SpareRendererForSitePerProcess",
)
# Measured with a page that tries every kind of request: without these arguments, some bypass the proxy.
_NO_PROXY_BYPASS = (
    "--proxy-bypass-list=<-loopback>",
    # Two names of one policy: the headless shell knows only the first, full Chromium only the second.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # WebRTC would still resolve names by itself, and names under .local by multicast to the local network.
    "--host-resolver-rules=MAP *.local 240.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# A page behaves the same way whether or not its window is visible.
_SAME_BEHAVIOUR = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-dev-shm-usage",
    # These need a person at the machine: speech, identity documents, a code sent to a phone.
    "--disable-blink-features=ScriptedSpeechRecognition,WebIdentityDigitalCredentials,WebOTP",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-popup-blocking",
    "--site-per-process",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--no-startup-window",
    "--password-store=basic",
    "--use-mock-keychain",
)
# Log errors only: at lower levels the log holds the console messages of pages, which could fill the disk.
_LOG_ERRORS = ("--enable-logging=stderr", "--log-level=2")
# A headless browser reports no mouse unless told to: pages check for one before they offer menus that open on hover.
_HEADLESS = (
    "--headless",
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)

# The same commands as in `browser.py` and `context.py` beside this file, which are not imported yet.
_AUTO_ATTACH = (
    '{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}}'
)
_CREATE_CONTEXT = (
    '{"id":2,"method":"Target.createBrowserContext",'
    '"params":{"disposeOnDetach":true,"proxyServer":"%s","proxyBypassList":"<-loopback>"}}'
)
_CREATE_PAGE = '{"id":3,"method":"Target.createTarget","params":{"url":"about:blank","browserContextId":"%s"}}'
# Chromium starts no process for the page before this. An empty page may run before it is set up.
_RUN_PAGE = '{"id":4,"method":"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"%s"}'
CREATE_PAGE_ID = 3
COMMANDS_SENT = 4
_CONTEXT_CREATED = b'{"id":2,"result":{"browserContextId":"'
_CONTEXT_REFUSED = b'{"id":2,"error"'
_PAGE_REFUSED = b'{"id":3,"error"'
_ATTACHED_TO_TARGET = b'{"method":"Target.attachedToTarget","params":{"sessionId":"'
_MESSAGE_END = b"\0"

# `posix_spawn` blocks until the program is loaded: 6 ms for the browser, 1 ms for a shell that then executes it.
_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")

# Settings that are read here, as the whole tree would read them.
READ = ("home", "browser", "browser_version")
# Settings that change how the browser is started: if one is given, the browser is not started early.
DECISIVE = (
    "attach", "browser_enabled", "browser_per_session", "engine", "extension", "headless", "profile", "sandbox",
    "start_early", "stealth", "toolset",
)  # fmt: skip


def launch_arguments(profile: str | Path, headless: bool, sandbox: Sandbox, proxy: str) -> list[str]:
    """Return the arguments of a browser that is driven through its pipe.

    The proxy is for requests that belong to no context of rove, such as those of the browser itself.
    """
    return [
        f"--proxy-server={proxy}",
        *_NO_PROXY_BYPASS,
        *_NO_BACKGROUND_REQUESTS,
        *_SAME_BEHAVIOUR,
        *_LOG_ERRORS,
        *(_HEADLESS if headless else ()),
        *(() if sandbox.on else ("--no-sandbox",)),
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
    ]


def with_extensions(arguments: list[str]) -> list[str]:
    """Return the arguments of a browser into which extensions are loaded through its pipe."""
    return [*(word for word in arguments if word != "--disable-extensions"), "--enable-unsafe-extension-debugging"]


class Sandbox:
    """Whether Chromium's sandbox is on, and why."""

    def __init__(self, on: bool, reason: str) -> None:
        self.on = on
        self.reason = reason


def decide_sandbox(setting: Literal["auto", "on", "off"], browser: str | Path) -> Sandbox:
    """Return whether to use Chromium's sandbox; with `auto`, it is on if the kernel allows it."""
    if setting != "auto":
        return Sandbox(setting == "on", f"set to {setting}")
    if sys.platform != "linux":
        return Sandbox(True, "supported on this system")
    if os.geteuid() == 0:
        return Sandbox(False, "running as root, which Chromium's sandbox refuses")
    if os.path.exists(f"{os.path.dirname(browser)}/chrome-sandbox"):
        return Sandbox(True, "the setuid helper chrome-sandbox lies beside the browser")
    if _user_namespaces_work():
        return Sandbox(True, "the kernel grants user namespaces")
    return Sandbox(False, "the kernel grants no user namespaces here")


def _user_namespaces_work() -> bool:
    import subprocess

    try:
        result = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return False
    return result.returncode == 0


class FirstPage:
    """Requests a context behind a proxy, and a page in it, in a thread of its own."""

    def __init__(self, read_fd: int, write_fd: int, proxy_url: str) -> None:
        self.proxy_url = proxy_url
        # All bytes that were read, for the transport that takes over the pipe.
        self.received = b""
        # The id of the context; None if the browser ended or refused before it created one.
        self.context_id: str | None = None
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._running = allocate_lock()
        self._running.acquire()
        start_new_thread(self._run, ())

    def wait(self) -> None:
        """Wait until the thread has stopped reading from the pipe."""
        with self._running:
            pass

    def _run(self) -> None:
        try:
            self._write(_AUTO_ATTACH, _CREATE_CONTEXT % self.proxy_url)
            self.context_id = self._wait_for_id(_CONTEXT_CREATED, refusal=_CONTEXT_REFUSED)
            if self.context_id is not None:
                self._write(_CREATE_PAGE % self.context_id)
                if session_id := self._wait_for_id(_ATTACHED_TO_TARGET, refusal=_PAGE_REFUSED):
                    self._write(_RUN_PAGE % session_id)
        except OSError:
            pass  # the browser has ended, which the transport that takes over the pipe reports
        finally:
            self._running.release()

    def _write(self, *messages: str) -> None:
        os.write(self._write_fd, b"".join(message.encode() + _MESSAGE_END for message in messages))

    def _wait_for_id(self, prefix: bytes, refusal: bytes) -> str | None:
        """Return the id that follows `prefix` in a message; None if a refusal or the end of the pipe comes first."""
        while not any(message.startswith((prefix, refusal)) for message in self._complete_messages()):
            if not (data := os.read(self._read_fd, 65536)):
                return None
            self.received += data
        answer = next((message for message in self._complete_messages() if message.startswith(prefix)), None)
        return answer[len(prefix) :].partition(b'"')[0].decode("ascii") if answer else None

    def _complete_messages(self) -> list[bytes]:
        """Return the messages that have arrived completely."""
        return self.received.split(_MESSAGE_END)[:-1]


def _proxy_url(port: socket) -> str:
    return f"http://127.0.0.1:{port.getsockname()[1]}"


class BrowserProcess(shared_process.BrowserProcess):
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

    def take_proxy_port(self) -> int | None:
        port, self._proxy_port = self._proxy_port, None
        return port.detach() if port is not None else None

    def take_pipe(self) -> tuple[int, int]:
        """Return the descriptors to read from and write to the browser, both of which the caller must close."""
        assert self._pipe is not None, "taken before"
        pipe, self._pipe = self._pipe, None
        return pipe

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
        log = os.open(self.log_path, os.O_CREAT | os.O_WRONLY, 0o600)
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

    return (sys.executable, "-I", "-S", socket_filter.__file__) if socket_filter.is_supported() else _SHELL


def _reap_orphans(group: int) -> None:
    """Wait for the children of a dead browser, which become ours where rove is the first process of a container."""
    try:
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass  # none is left


def early_launch(arguments: Sequence[str], environment: Mapping[str, str]) -> BrowserProcess | None:
    """Start the browser that default settings would start; return None if other settings may be in force."""
    home = home_from(given("--home", arguments), environment)
    if _is_decided(arguments, environment) or os.path.exists(f"{home}/config.toml"):
        return None
    try:
        path = given("--browser", arguments) or environment.get("ROVE_BROWSER")
        version = given("--browser-version", arguments) or environment.get("ROVE_BROWSER_VERSION") or PINNED
        installation = find(path, headless=True, home=home, version=checked_version(version))
        if installation is None:
            return None
        sandbox = decide_sandbox("auto", installation.location)
        return BrowserProcess(f"{home}/run", installation, sandbox, headless=True, makes_page=True)
    except (RoveError, OSError, ValueError):
        return None  # the first call that needs a browser meets the same error, and reports it


def _is_decided(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether a setting that changes the start of the browser is given as a flag or as a variable."""
    flags = {word.split("=")[0].removeprefix("--").removeprefix("no-").replace("-", "_") for word in arguments}
    return any(name in flags or f"ROVE_{name.upper()}" in environment for name in DECISIVE)
