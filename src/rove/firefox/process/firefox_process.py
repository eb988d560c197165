"""Starting the process of a Firefox, with its run folder, profile and watchdog."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

from rove.firefox.performance.recording import FOLDER_VARIABLE
from rove.firefox.process.discovery import Installation
from rove.firefox.process.preferences import HEADLESS_STYLES, preferences, user_js
from rove.port import reserved_port
from rove.process import watchdog
from rove.process.child import ChildProcess
from rove.process.run_folder import RunFolder
from rove.validation.pattern import pattern

ANNOUNCEMENT = pattern(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d{1,5})$")
# Lines of the log that are kept, to say why a start failed.
MAX_LOG_LINES = 50
MAX_LINE_LENGTH = 300
# Nothing outside of the run folder is read or written, and no service of the desktop is called or started.
_ENVIRONMENT = {
    "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    "GIO_USE_VFS": "local",
    "GSETTINGS_BACKEND": "memory",
    "MOZ_CRASHREPORTER_DISABLE": "1",
    "MOZ_DISABLE_AUTO_SAFE_MODE": "1",
    "NO_AT_BRIDGE": "1",
}
_NO_SANDBOX = {
    "MOZ_DISABLE_CONTENT_SANDBOX": "1",
    "MOZ_DISABLE_RDD_SANDBOX": "1",
    "MOZ_DISABLE_SOCKET_PROCESS_SANDBOX": "1",
}


class FirefoxProcess:
    """A Firefox that is starting. Requests that belong to no session go to a port that is closed."""

    def __init__(self, runs: Path, installation: Installation, headless: bool, sandbox: bool = True) -> None:
        self.installation = installation
        self._closed_port = reserved_port()
        self._log: deque[str] = deque(maxlen=MAX_LOG_LINES)
        try:
            self.folder = RunFolder.create(runs)
        except OSError:
            self._closed_port.close()
            raise
        try:
            self._output, self.process = self._spawn(headless, sandbox)
            watchdog.record_process(self.folder.location, self.process.pid)
        except OSError:
            self.folder.close()
            self._closed_port.close()
            raise

    @property
    def scratch(self) -> Path:
        return self.folder.path

    @property
    def profile(self) -> Path:
        return self.folder.path / "profile"

    @property
    def recordings(self) -> Path:
        """The folder that Firefox's profiler writes to."""
        return self.folder.path / "recordings"

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def process_group(self) -> int:
        return self.process.pid

    def take_proxy_port(self) -> int | None:
        """Return None: no page is opened before the caller asks for one."""
        return None

    def take_output(self) -> int:
        """Return the descriptor of what Firefox prints, which the caller must close."""
        output, self._output = self._output, -1
        assert output >= 0, "taken before"
        return output

    def note_line(self, line: str) -> int | None:
        """Keep a line that Firefox printed; return the port that it names, if it does."""
        if text := line.strip():
            self._log.append(text[:MAX_LINE_LENGTH])
        match = ANNOUNCEMENT.search(line.strip())
        return int(match[1]) if match else None

    def last_log_line(self) -> str:
        """Return the last line that Firefox printed, which mostly says why it did not start."""
        return self._log[-1] if self._log else "it printed nothing"

    def wait(self) -> None:
        """Wait until Firefox has ended by itself."""
        self.process.wait()

    def release(self) -> None:
        """Kill Firefox, remove its run folder and close what was not taken."""
        self.folder.close()
        self.process.wait()
        if self._output >= 0:
            os.close(self.take_output())
        self._closed_port.close()

    def _spawn(self, headless: bool, sandbox: bool) -> tuple[int, ChildProcess]:
        host, port = self._closed_port.getsockname()
        self.profile.mkdir(mode=0o700)
        (self.profile / "user.js").write_text(user_js(preferences(host, port)))
        if headless:
            (self.profile / "chrome").mkdir(mode=0o700)
            (self.profile / "chrome" / "userChrome.css").write_text(HEADLESS_STYLES)
        command = [str(self.installation.path), "--no-remote", "--new-instance", "--profile", str(self.profile)]
        # Only a client that calls it 127.0.0.1, and no page, may connect to the port.
        command += ["--remote-debugging-port", "0", "--remote-allow-hosts", "127.0.0.1"]
        if headless:
            command.append("--headless")
        output, firefox_output = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        environment = {**os.environ, **_ENVIRONMENT, **self.folder.environment, **self._own_folders()}
        if not sandbox:
            environment |= _NO_SANDBOX
        try:
            return output, ChildProcess(command, environment, {0: null, 1: null, 2: firefox_output})
        except OSError:
            os.close(output)
            raise
        finally:
            os.close(null)
            os.close(firefox_output)

    def _own_folders(self) -> dict[str, str]:
        """Return the variables by which Firefox and its libraries write below the run folder instead of the home."""
        cache, config = self.folder.path / "cache", self.folder.path / "config"
        for folder in (cache, config, self.recordings):
            folder.mkdir(mode=0o700)
        return {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(config), FOLDER_VARIABLE: str(self.recordings)}
