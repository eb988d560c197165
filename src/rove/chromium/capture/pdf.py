"""Printing a page to a PDF file in the workspace."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
from pathlib import Path
from typing import Any, BinaryIO

from rove.browser.capture import PdfFile, PdfOptions
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.pattern import pattern
from rove.record import dataclass
from rove.workspace import Workspace

FOLDER = "pdf"
PIECE = 2**20
# Width and height in inches.
PAPERS: dict[str, tuple[float, float]] = {
    "a3": (11.69, 16.54), "a4": (8.27, 11.69), "a5": (5.83, 8.27),
    "letter": (8.5, 11), "legal": (8.5, 14), "tabloid": (11, 17),
}  # fmt: skip
# Chromium writes the dictionaries of a PDF as plain text, one of this type for each page.
_PAGE = pattern(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE_LENGTH = 16


@dataclass(frozen=True)
class PdfTarget:
    """Where a PDF file goes, under which name, and how large it may be; it is written in `scratch` first."""

    workspace: Workspace
    name: str
    most_bytes: int
    scratch: Path


async def print_page(cdp: CdpSession, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print to the workspace: the file appears when it is complete, and is no larger than a download may be."""
    handle = await _begun(cdp, options)
    draft = target.scratch / f"print-{os.urandom(8).hex()}"
    try:
        draft.parent.mkdir(mode=0o700, exist_ok=True)
        with draft.open("xb") as written:
            size, pages = await _copied(cdp, handle, written, target.most_bytes)
        return PdfFile(await asyncio.to_thread(_kept, draft, target.workspace, target.name), size, pages)
    except OSError as error:
        raise unwritable(target.workspace.root, error) from error
    finally:
        with contextlib.suppress(CdpError):
            await cdp.send("IO.close", {"handle": handle})
        draft.unlink(missing_ok=True)


async def _begun(cdp: CdpSession, options: PdfOptions) -> str:
    width, height = PAPERS[options.paper]
    request: dict[str, Any] = {
        "landscape": options.landscape,
        "printBackground": options.background,
        "paperWidth": width,
        "paperHeight": height,
        "pageRanges": options.pages or "",
        "transferMode": "ReturnAsStream",
    }
    try:
        handle: str = (await cdp.send("Page.printToPDF", request))["stream"]
    except CdpError as error:
        if options.pages is None or cdp.is_closed:
            raise
        raise InvalidArguments(f"`pages`: {error}.", hint="Leave it out to print all of them.") from error
    return handle


async def _copied(cdp: CdpSession, handle: str, written: BinaryIO, most: int) -> tuple[int, int]:
    """Piece by piece, as it may be large; returns bytes and pages."""
    size = pages = 0
    tail, is_over = b"", False
    while not is_over:
        answer = await cdp.send("IO.read", {"handle": handle, "size": PIECE})
        is_over = answer["eof"]
        piece = base64.b64decode(answer["data"]) if answer.get("base64Encoded") else answer["data"].encode()
        size += len(piece)
        if size > most:
            raise LimitReached(f"The PDF is larger than {most // 2**20} MB.", hint="Print fewer `pages`.")
        await asyncio.to_thread(written.write, piece)
        seen = tail + piece
        pages += sum(match.end() > len(tail) for match in _PAGE.finditer(seen))
        tail = seen[-_PAGE_LENGTH:]
    return size, pages


def _kept(draft: Path, workspace: Workspace, name: str) -> Path:
    file, path = workspace.create(FOLDER, name)
    with os.fdopen(file, "wb") as written, draft.open("rb") as read:
        while piece := read.read(PIECE):
            written.write(piece)
    return path
