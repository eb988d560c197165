"""Uploading files: each file is opened, checked and copied once, so that the checked content is what is sent."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from rove.advice import Advice
from rove.browser.consequences import NotAsShown
from rove.browser.page_state import PageEvents
from rove.errors import ElementNotReady, InvalidArguments
from rove.page_text import Text
from rove.settings.tree import Settings
from rove.workspace import OpenFile, Workspace

CHOOSER_TIMEOUT = 3.0
MAX_DROP_BYTES = 50 * 2**20
CHUNK_BYTES = 2**20


class Clickable(Protocol):
    """An element that opens a file chooser when it is clicked."""

    @property
    def line(self) -> Text: ...
    async def click(self) -> None: ...


class FileChooser:
    """The file chooser that a page opens: answered while an upload waits for it, otherwise reported as an event.

    `asking`: the frame of the file input whose chooser was opened last and not answered, and the input as the engine
    has named it.
    """

    def __init__(self, events: PageEvents) -> None:
        self._events = events
        self._input: asyncio.Future[Any] | None = None
        self.asking: tuple[str, Any] | None = None

    def note_document(self, frame: str) -> None:
        """Note that a frame shows another document."""
        if self.asking and self.asking[0] == frame:
            self.asking = None

    async def open_with(self, element: Clickable) -> Any:
        """Click an element and return the file input whose chooser that opens."""
        self._input = asyncio.get_running_loop().create_future()
        try:
            await element.click()
            async with asyncio.timeout(CHOOSER_TIMEOUT):
                return await self._input
        except TimeoutError:
            raise ElementNotReady(
                element.line,
                " is no file input, and pressing it opened no file chooser.",
                hint="Name the file input itself, or the button that opens the chooser.",
            ) from None
        finally:
            self._input = None

    def note_opened(self, frame: str, file_input: Any) -> None:
        """Handle that a page has opened a chooser. `file_input`: None for one that belongs to no element."""
        if self._input is not None and not self._input.done() and file_input is not None:
            self._input.set_result(file_input)
        else:
            self.asking = None if file_input is None else (frame, file_input)
            self._events.add("file chooser", Advice("The page asks for files: give them with {upload}."))


async def copy_files(
    settings: Settings, paths: tuple[str, ...], scratch: Path, approved: Mapping[str, str]
) -> list[Path]:
    """Open, check and copy files to a folder where no other process changes them; returns the copies.

    `approved`: the SHA-256 of files that a person was shown, by path. Raises NotAsShown if a copy has another.
    """
    workspace, max_bytes = Workspace(settings.workspace_folder), settings.limits.upload_megabytes * 2**20

    def copy_each() -> list[Path]:
        return [_copy_checked(workspace, path, max_bytes, scratch, approved.get(path)) for path in paths]

    return await asyncio.to_thread(copy_each)


async def read_files(files: list[Path]) -> list[dict[str, str]]:
    """Return the name, type and content of files, as a drop event carries them."""
    if sum(file.stat().st_size for file in files) > MAX_DROP_BYTES:
        raise InvalidArguments(f"`paths`: more than {MAX_DROP_BYTES // 2**20} MB cannot be dropped at once.")
    return [await asyncio.to_thread(_read_file, file) for file in files]


def _read_file(file: Path) -> dict[str, str]:
    import mimetypes  # slow to import, and seldom needed

    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return {"name": file.name, "type": kind, "data": base64.b64encode(file.read_bytes()).decode("ascii")}


def _copy_checked(workspace: Workspace, path: str, max_bytes: int, scratch: Path, sha256: str | None) -> Path:
    with workspace.reading(path) as file:
        if file.size > max_bytes:
            raise InvalidArguments(f"`paths`: {path} is larger than the {max_bytes // 2**20} MB that may be uploaded.")
        folder = scratch / os.urandom(8).hex()
        folder.mkdir(parents=True, mode=0o700)
        copy = folder / file.name
        with copy.open("xb") as destination:
            copied = _copy_bytes(file, destination)
        copy.chmod(0o400)
        if sha256 is not None and copied != sha256:
            copy.unlink()
            raise NotAsShown(path)
        # A file that is written during the copy would be sent as a mix of two versions.
        if os.fstat(file.descriptor).st_mtime_ns != file.changed or copy.stat().st_size != file.size:
            copy.unlink()
            raise InvalidArguments(
                f"`paths`: {path} changed while it was read.", hint="Call again when it is complete."
            )
    return copy


def _copy_bytes(file: OpenFile, destination: BinaryIO) -> str:
    """Copy the bytes that the file had when it was opened, as it may keep growing; return their SHA-256."""
    digest = hashlib.sha256()
    with os.fdopen(os.dup(file.descriptor), "rb") as source:
        left = file.size
        while left > 0 and (chunk := source.read(min(left, CHUNK_BYTES))):
            destination.write(chunk)
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()
