"""Giving files to a page: the file that was checked is the file that is sent."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from rove.advice import Advice
from rove.browser.page_events import PageEvents
from rove.chromium.protocol.connection import CdpSession
from rove.errors import ElementNotReady, InvalidArguments
from rove.settings import Settings
from rove.workspace import OpenFile, Workspace

CHOOSER_TIMEOUT = 3.0
LARGEST_DROP = 50 * 2**20
PIECE = 2**20


class Clickable(Protocol):
    """The element whose click is to open a file chooser."""

    line: str

    async def click(self) -> None: ...


class FileChooser:
    """The file chooser that a page opens: answered while an upload waits for it, else told as an event."""

    def __init__(self, events: PageEvents) -> None:
        self._events = events
        self._waiting: asyncio.Future[int] | None = None

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.fileChooserOpened", self._on_opened)

    async def opened_by(self, element: Clickable) -> int:
        """Click an element and return the node id of the file input whose chooser that opens."""
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await element.click()
            async with asyncio.timeout(CHOOSER_TIMEOUT):
                return await self._waiting
        except TimeoutError:
            raise ElementNotReady(
                f"{element.line} is no file input, and pressing it opened no file chooser.",
                hint="Name the file input itself, or the button that opens the chooser.",
            ) from None
        finally:
            self._waiting = None

    def _on_opened(self, event: dict[str, Any]) -> None:
        if self._waiting is not None and not self._waiting.done() and "backendNodeId" in event:
            self._waiting.set_result(event["backendNodeId"])
        else:
            self._events.add("file chooser", Advice("The page asks for files: give them with {upload}."))


async def copy_files(settings: Settings, paths: tuple[str, ...], scratch: Path) -> list[Path]:
    """Copy files that were opened and checked to where no other process changes them."""
    workspace, largest = Workspace(settings.workspace_folder), settings.limits.upload_megabytes * 2**20
    return await asyncio.to_thread(lambda: [_copied(workspace, path, largest, scratch) for path in paths])


async def described_files(files: list[Path]) -> list[dict[str, str]]:
    """Return name, type and content of files, as a drop from outside the browser carries them."""
    if sum(file.stat().st_size for file in files) > LARGEST_DROP:
        raise InvalidArguments(f"`paths`: more than {LARGEST_DROP // 2**20} MB cannot be dropped at once.")
    return [await asyncio.to_thread(_described, file) for file in files]


def _described(file: Path) -> dict[str, str]:
    import mimetypes  # slow to import, and seldom needed

    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return {"name": file.name, "type": kind, "data": base64.b64encode(file.read_bytes()).decode("ascii")}


def _copied(workspace: Workspace, path: str, largest: int, scratch: Path) -> Path:
    with workspace.reading(path) as file:
        if file.size > largest:
            raise InvalidArguments(f"`paths`: {path} is larger than the {largest // 2**20} MB that may be uploaded.")
        folder = scratch / os.urandom(8).hex()
        folder.mkdir(parents=True, mode=0o700)
        copy = folder / file.name
        with copy.open("xb") as written:
            _copy(file, written)
        # Half of one state and half of another is no state that anyone meant to send.
        if os.fstat(file.descriptor).st_mtime_ns != file.changed or copy.stat().st_size != file.size:
            copy.unlink()
            raise InvalidArguments(f"`paths`: {path} changed while it was read.", hint="Call again when it is whole.")
    return copy


def _copy(file: OpenFile, written: BinaryIO) -> None:
    """As much as there was when the file was opened: one that grows all the time would never end."""
    with os.fdopen(os.dup(file.descriptor), "rb") as read:
        left = file.size
        while left > 0 and (piece := read.read(min(left, PIECE))):
            written.write(piece)
            left -= len(piece)
