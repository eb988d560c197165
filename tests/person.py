"""A person's own browser, which listens on a debugging port."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Generator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from rove.browser.chromium.discovery import find
from rove.browser.chromium.launch import decide_sandbox

TIMEOUT = 60.0
POLL_INTERVAL = 0.02


class Person:
    """The person's browser: tests start it, list its tabs and end it."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_path(self) -> str:
        """The path of the browser's DevTools WebSocket, with the id of this run."""
        return (self._profile / "DevToolsActivePort").read_text().split()[1]

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, *pages: str) -> None:
        """Start the browser, the first time on a free port and then on the same one."""
        found = find(None, headless=True)
        assert found is not None
        port_file = self._profile / "DevToolsActivePort"
        port_file.unlink(missing_ok=True)
        flags = ["--headless", f"--remote-debugging-port={self.port}", f"--user-data-dir={self._profile}"]
        if not decide_sandbox("auto", found.path).on:
            flags.append("--no-sandbox")
        self._process = subprocess.Popen([str(found.path), *flags, *pages], stderr=subprocess.DEVNULL)
        self._until(lambda: port_file.exists() and port_file.read_text().count("\n") == 1)
        self.port = int(port_file.read_text().split()[0])

    def end(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def open(self, url: str) -> None:
        """Open one more tab."""
        self._ask("PUT", f"/json/new?{url}")
        self._until(lambda: url in self.tabs)

    def close(self, url: str) -> None:
        (target,) = [target["id"] for target in self._ask("GET", "/json/list") if target["url"] == url]
        self._ask("GET", f"/json/close/{target}")
        self._until(lambda: url not in self.tabs)

    @property
    def tabs(self) -> list[str]:
        """The addresses of all tabs, in every browser context."""
        return sorted(target["url"] for target in self._ask("GET", "/json/list") if target["type"] == "page")

    def until_tabs_are(self, *urls: str) -> None:
        self._until(lambda: self.tabs == sorted(urls))

    def until_titled(self, title: str) -> None:
        """Wait for a tab with this title, because a tab has its address before its page has loaded."""
        self._until(lambda: title in [target["title"] for target in self._ask("GET", "/json/list")])

    def _ask(self, method: str, path: str) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        with contextlib.closing(connection):
            connection.request(method, path)
            body = connection.getresponse().read()
        return json.loads(body) if body.startswith((b"[", b"{")) else body

    def _until(self, holds: Any) -> None:
        give_up = time.monotonic() + TIMEOUT
        while not holds():
            assert time.monotonic() < give_up, (
                f"the condition never held; open tabs: {self.tabs if self.port else 'none'}"
            )
            time.sleep(POLL_INTERVAL)


@contextlib.contextmanager
def person_with(profile: Path, *pages: str) -> Generator[Person]:
    """Run a person's browser until the block ends."""
    person = Person(profile)
    person.start(*pages)
    try:
        yield person
    finally:
        person.end()
