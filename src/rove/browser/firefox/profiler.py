"""Recording a profile of one tab by Firefox's own profiler, and writing it in the form of Chrome's tools.

WebDriver BiDi does not reach the profiler. Signals come from this user alone, and so need no port and no privileges of
scripts. What is written holds all processes: it goes to rove's run folder, is read for one tab and removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from rove.browser.shared import profiler
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.machine import PageProcesses
from rove.browser.shared.process import ChildProcess
from rove.browser.shared.profiler import recorded_already
from rove.errors import LimitReached, RoveError, Unsupported

# Firefox writes what it has recorded into the folder that this variable names.
FOLDER_VARIABLE = "MOZ_UPLOAD_DIR"
# The thread that takes samples, in each process that is recorded.
SAMPLER = "SamplerThread"
# At the end of a recording that has the processes of pages too: when they had all been heard.
LOG_OF_GATHERING, END_BYTES = b"GatheringLogEnd_TSms", 100
LOOK_SECONDS = 0.05
START_SECONDS = 30.0
WRITE_SECONDS = 40.0
# Of the file that Firefox writes, which is read as a whole, in a process of its own.
MOST_BYTES = 256 * 2**20
READER = "rove.browser.firefox.gecko_profile"
READING_SECONDS = 40.0
# By this event, of a kind that no page can guess and on an element that no page has, the recording tells the tab.
_MARK = "(type) => void document.createElement('i').dispatchEvent(new Event(type))"


class Recorder:
    """The profiler of one Firefox: it records all tabs, so that one at a time is recorded."""

    def __init__(self, process: ChildProcess, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._pages = PageProcesses(process.pid)
        self._is_busy = False

    async def start(self) -> None:
        """Start to record; raise LimitReached if another tab is recorded, Unsupported if this Firefox cannot."""
        if not _handles_signals(self._process.pid):
            raise Unsupported(
                "This Firefox cannot be told to record.",
                hint="Use {web_vitals}, or a session with the engine chromium.",
            )
        if self._is_busy:
            raise recorded_already()
        self._is_busy = True
        try:
            for left in self._folder.iterdir():
                left.unlink()  # of a recording that was given up
            self._send(signal.SIGUSR1)
            await self._wait_until_sampled()
        except BaseException:
            self._is_busy = False
            self._send(signal.SIGUSR2)
            raise

    async def stop(self) -> Path:
        """Stop, and return the file with what was recorded, which the caller removes."""
        try:
            self._send(signal.SIGUSR2)
            async with _patience(WRITE_SECONDS):
                return await self._written()
        finally:
            self._is_busy = False

    async def discard(self) -> None:
        """Stop and keep nothing."""
        (await self.stop()).unlink()

    def _send(self, number: signal.Signals) -> None:
        if self._process.poll() is not None:
            raise LimitReached("The browser has ended.", hint="Try again: it is started anew.")
        os.kill(self._process.pid, number)  # its id is not given to another process before it is waited for

    async def _wait_until_sampled(self) -> None:
        """Wait until the profiler runs in Firefox and in each process that shows pages."""
        async with _patience(START_SECONDS):
            while not all(_is_sampled(process) for process in (self._process.pid, *self._pages.ids())):  # noqa: ASYNC110
                await asyncio.sleep(LOOK_SECONDS)

    async def _written(self) -> Path:
        """Wait until Firefox has written a recording as a whole: it tells no one."""
        while not (found := [path for path in self._folder.iterdir() if _is_whole(path)]):  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)
        path = found[0]
        if path.stat().st_size > MOST_BYTES:
            path.unlink()
            raise LimitReached("The recording is too large.", hint="Record for a shorter time.")
        return path


@contextlib.asynccontextmanager
async def _patience(seconds: float) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LimitReached(
            f"Firefox did not do that within {seconds:g} seconds.", hint="Try again when the machine is less busy."
        ) from error


def _handles_signals(process: int) -> bool:
    """Return whether a process handles both signals, which would end it otherwise."""
    wanted = (1 << signal.SIGUSR1 - 1) | (1 << signal.SIGUSR2 - 1)
    try:
        lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    except OSError:
        return False
    caught = next((line.partition(":")[2] for line in lines if line.startswith("SigCgt:")), "0")
    return int(caught, 16) & wanted == wanted


def _is_sampled(process: int) -> bool:
    """Return whether the profiler runs in a process; one that has ended counts as such."""
    tasks = Path(f"/proc/{process}/task")
    try:
        return any(SAMPLER in (task / "comm").read_text("utf-8") for task in tasks.iterdir())
    except OSError:
        return not tasks.exists()


def _is_whole(path: Path) -> bool:
    """Return whether a file has the end of a recording: Firefox first writes one without the processes of pages."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - len(LOG_OF_GATHERING) - END_BYTES, 0))
        end = file.read()
    return LOG_OF_GATHERING in end and end.endswith(b"}")


class Profiler(profiler.Profiler):
    """Records one tab: of what Firefox records of all, its part."""

    def __init__(self, page: LivePage, recorder: Recorder, redact: Callable[[str], str]) -> None:
        super().__init__(page, redact)
        self._recorder = recorder

    async def begin(self) -> None:
        await self._recorder.start()

    async def collect(self) -> tuple[bytes, bool]:
        label = f"rove-{secrets.token_hex(16)}"
        await self._page.worlds.main.call(_MARK, label)
        self.is_recording = False
        path = await self._recorder.stop()
        try:
            is_cut, compressed = await _events_of_tab(path, label)
        finally:
            await asyncio.to_thread(path.unlink)
        return compressed, is_cut

    async def discard(self) -> None:
        if self.is_recording:
            self.is_recording = False
            with contextlib.suppress(RoveError, OSError, TimeoutError):
                await self._recorder.discard()


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
