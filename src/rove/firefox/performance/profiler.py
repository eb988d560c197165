"""Recording a profile of one tab, and writing it as a trace of the form that Chrome's tools read."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rove.browser.performance.profiler import RecordedTrace
from rove.errors import InvalidArguments, LimitReached, RoveError, unwritable
from rove.firefox.performance.recording import Recorder
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.workspace import Workspace

READER = "rove.firefox.performance.gecko_profile"
READING_SECONDS = 40.0
# By this event, of a kind that no page can guess and on an element that no page has, the recording tells the tab.
_MARK = "(type) => void document.createElement('i').dispatchEvent(new Event(type))"


class World(Protocol):
    """Where rove's own scripts run in a page."""

    async def call(self, function: str, /, *arguments: object) -> object: ...


class Page(Protocol):
    """The page that is recorded. `LivePage` is the one implementation."""

    settings: Settings

    @property
    def url(self) -> PageText: ...
    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...


class Profiler:
    """Records one tab. `world`: that of its page, at the moment."""

    def __init__(
        self, page: Page, recorder: Recorder, world: Callable[[], World], redact: Callable[[str], str]
    ) -> None:
        self._page = page
        self._recorder = recorder
        self._world = world
        self._redact = redact
        self._is_recording = False

    @property
    def is_recording(self) -> bool:
        return self._is_recording

    async def start(self) -> None:
        """Start to record; raise LimitReached if the browser records another tab."""
        if self._is_recording:
            raise InvalidArguments("This tab is being recorded.", hint="Use {profile_stop}.")
        await self._recorder.start()
        self._is_recording = True

    async def stop(self, name: str) -> RecordedTrace:
        """Stop, and write what was recorded to a file of this name."""
        if not self._is_recording:
            raise InvalidArguments("Nothing is being recorded in this tab.", hint="Use {profile_start} first.")
        from rove.tracing.trace_file import write_trace  # not needed to open a first page

        label = f"rove-{secrets.token_hex(16)}"
        await self._world().call(_MARK, label)
        self._is_recording = False
        path = await self._recorder.stop()
        try:
            is_cut, compressed = await _events_of_tab(path, label)
        finally:
            await asyncio.to_thread(path.unlink)
        workspace = Workspace(self._page.settings.workspace_folder)
        try:
            written, size, summary = await asyncio.to_thread(
                write_trace, workspace, name, compressed, self._may_tell, self._redact
            )
        except OSError as error:
            raise unwritable(workspace.root, error) from error
        return RecordedTrace(written, size, summary, is_cut)

    async def discard(self) -> None:
        """Stop and keep nothing."""
        if self._is_recording:
            self._is_recording = False
            with contextlib.suppress(RoveError, OSError, TimeoutError):
                await self._recorder.discard()

    def _may_tell(self, url: str) -> bool:
        if not url.startswith(("http:", "https:")) or url.startswith(f"{self._page.url.origin}/"):
            return True
        return self._page.may_read(url)


async def _events_of_tab(path: Path, label: str) -> tuple[bool, bytes]:
    """Have a process of its own read a recording; return whether it is cut, and the compressed events of the tab."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", READER, str(path), label),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        # The keys and tokens of this process are kept from it.
        env={name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
    )
    try:
        async with asyncio.timeout(READING_SECONDS):
            written, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())
    if process.returncode:
        raise LimitReached("The recording cannot be read.", hint="Record again, for a shorter time.")
    kind, _, compressed = written.partition(b"\n")
    return kind == b"cut", compressed
