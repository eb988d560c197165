"""A person with a browser of their own, which listens on a debugging port."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Generator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from rove.chromium.process.discovery import find
from rove.chromium.process.launch_arguments import decide_sandbox

PATIENCE = 60.0
AGAIN = 0.02


class Person:
    """Their browser, as they start, look at and end it themselves."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_path(self) -> str:
        """Where the browser speaks DevTools protocol, with the id of this run of it."""
        return (self._profile / "DevToolsActivePort").read_text().split()[1]

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, *pages: str) -> None:
        """The first time on a free port, and on the same one ever after."""
        found = find(None, headless=True)
        assert found is not None
        told = self._profile / "DevToolsActivePort"
        told.unlink(missing_ok=True)
        flags = ["--headless", f"--remote-debugging-port={self.port}", f"--user-data-dir={self._profile}"]
        if not decide_sandbox("auto", found.path).on:
            flags.append("--no-sandbox")
        self._process = subprocess.Popen([str(found.path), *flags, *pages], stderr=subprocess.DEVNULL)
        self._until(lambda: told.exists() and told.read_text().count("\n") == 1)
        self.port = int(told.read_text().split()[0])

    def end(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def open(self, url: str) -> None:
        """A tab more."""
        self._ask("PUT", f"/json/new?{url}")
        self._until(lambda: url in self.tabs)

    def close(self, url: str) -> None:
        (target,) = [target["id"] for target in self._ask("GET", "/json/list") if target["url"] == url]
        self._ask("GET", f"/json/close/{target}")
        self._until(lambda: url not in self.tabs)

    @property
    def tabs(self) -> list[str]:
        """Where the tabs are that the person sees, and those of every other context."""
        return sorted(target["url"] for target in self._ask("GET", "/json/list") if target["type"] == "page")

    def until_tabs_are(self, *urls: str) -> None:
        self._until(lambda: self.tabs == sorted(urls))

    def until_titled(self, title: str) -> None:
        """Until a tab shows a page of this title: a tab has its address before the page has come."""
        self._until(lambda: title in [target["title"] for target in self._ask("GET", "/json/list")])

    def _ask(self, method: str, path: str) -> Any:
        asking = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(asking):
            asking.request(method, path)
            said = asking.getresponse().read()
        return json.loads(said) if said.startswith((b"[", b"{")) else said

    def _until(self, holds: Any) -> None:
        give_up = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < give_up, f"it never came to that; open are {self.tabs if self.port else 'none'}"
            time.sleep(AGAIN)


@contextlib.contextmanager
def person_with(profile: Path, *pages: str) -> Generator[Person]:
    """A person whose browser is open until the block ends."""
    person = Person(profile)
    person.start(*pages)
    try:
        yield person
    finally:
        person.end()
