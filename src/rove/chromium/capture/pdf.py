"""Printing a page to a PDF file in the workspace."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
from typing import Any, BinaryIO

from rove.browser.page_data import PdfFile, PdfOptions
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.page.pdf_file import CHUNK_BYTES, OVERLAP_BYTES, PAGE_DICTIONARY, PAPERS, PdfTarget, copy_to_workspace


async def print_page(cdp: CdpSession, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    stream = await _start_printing(cdp, options)
    draft = target.scratch / f"print-{os.urandom(8).hex()}"
    try:
        draft.parent.mkdir(mode=0o700, exist_ok=True)
        with draft.open("xb") as file:
            size, pages = await _copy_stream(cdp, stream, file, target.max_bytes)
        return PdfFile(await asyncio.to_thread(copy_to_workspace, draft, target), size, pages)
    except OSError as error:
        raise unwritable(target.workspace.root, error) from error
    finally:
        with contextlib.suppress(CdpError):
            await cdp.send("IO.close", {"handle": stream})
        draft.unlink(missing_ok=True)


async def _start_printing(cdp: CdpSession, options: PdfOptions) -> str:
    """Print the page in the browser; return the handle of the stream to read the PDF from."""
    width, height = PAPERS[options.paper]
    params: dict[str, Any] = {
        "landscape": options.landscape,
        "printBackground": options.background,
        "paperWidth": width,
        "paperHeight": height,
        "pageRanges": options.pages or "",
        "transferMode": "ReturnAsStream",
    }
    try:
        stream: str = (await cdp.send("Page.printToPDF", params))["stream"]
    except CdpError as error:
        if options.pages is None or cdp.is_closed:
            raise
        raise InvalidArguments(f"`pages`: {error}.", hint="Leave it out to print all pages.") from error
    return stream


async def _copy_stream(cdp: CdpSession, stream: str, file: BinaryIO, max_bytes: int) -> tuple[int, int]:
    """Write a stream to a file in chunks, since it may be large; return the numbers of bytes and of pages."""
    size = pages = 0
    tail, is_complete = b"", False
    while not is_complete:
        answer = await cdp.send("IO.read", {"handle": stream, "size": CHUNK_BYTES})
        is_complete = answer["eof"]
        chunk = base64.b64decode(answer["data"]) if answer.get("base64Encoded") else answer["data"].encode()
        size += len(chunk)
        if size > max_bytes:
            raise LimitReached(f"The PDF is larger than {max_bytes // 2**20} MB.", hint="Print fewer `pages`.")
        await asyncio.to_thread(file.write, chunk)
        searched = tail + chunk
        pages += sum(match.end() > len(tail) for match in PAGE_DICTIONARY.finditer(searched))
        tail = searched[-OVERLAP_BYTES:]
    return size, pages
