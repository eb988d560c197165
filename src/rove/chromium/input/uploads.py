"""Giving files to a page: the file that was checked is the file that is sent."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rove.errors import ElementNotReady, InvalidArguments
from rove.workspace import OpenFile, Workspace

if TYPE_CHECKING:
    from rove.chromium.input.element import Element
    from rove.chromium.page.tab import Tab

CHOOSER_PATIENCE = 3.0
LARGEST_DROP = 50 * 2**20
PIECE = 2**20


async def copy_files(workspace: Path, paths: tuple[str, ...], largest: int, scratch: Path) -> list[Path]:
    """Copies of files that were opened and checked, out of the reach of whoever might change the originals."""
    return await asyncio.to_thread(lambda: [_copied(Workspace(workspace), path, largest, scratch) for path in paths])


async def set_files(tab: Tab, element: Element, files: list[Path]) -> None:
    """Into a file input, or into the chooser that a press opens."""
    names = [str(file) for file in files]
    if not names:
        await element.take_files_back()
    elif await element.is_file_input():
        # The browser tells the page itself, as it does after a person has chosen.
        await element.cdp.send("DOM.setFileInputFiles", {"files": names, "objectId": await element.in_page()})
    else:
        await _into_chooser(tab, element, names)


async def drop_files(element: Element, files: list[Path]) -> None:
    """As if a person had dragged them in from outside."""
    if sum(file.stat().st_size for file in files) > LARGEST_DROP:
        raise InvalidArguments(f"`paths`: more than {LARGEST_DROP // 2**20} MB cannot be dropped at once.")
    await element.drop([await asyncio.to_thread(_described, file) for file in files])


def _described(file: Path) -> dict[str, str]:
    import mimetypes  # slow to import, and seldom needed

    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return {"name": file.name, "type": kind, "data": base64.b64encode(file.read_bytes()).decode("ascii")}


async def _into_chooser(tab: Tab, element: Element, names: list[str]) -> None:
    opening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    tab.on_chooser = opening.set_result
    try:
        await element.click()
        async with asyncio.timeout(CHOOSER_PATIENCE):
            node = await opening
    except TimeoutError:
        raise ElementNotReady(
            f"{element.line} is no file input, and pressing it opened no file chooser.",
            hint="Name the file input itself, or the button that opens the chooser.",
        ) from None
    finally:
        tab.on_chooser = None
    await element.cdp.send("DOM.setFileInputFiles", {"files": names, "backendNodeId": node})


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
