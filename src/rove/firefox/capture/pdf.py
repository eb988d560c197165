"""Printing a page to a PDF file in the workspace."""

from __future__ import annotations

import asyncio
import base64
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from rove.browser.page_data import PdfFile, PdfOptions
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.firefox.protocol.connection import TOO_LARGE, BidiError, PageChannel
from rove.page.pdf_file import PAGE_DICTIONARY, PAPERS, PdfTarget, copy_to_workspace
from rove.validation.pattern import pattern

# As much is read of each compressed part of a file.
MAX_DESCRIPTION = 10_000_000
CENTIMETRES = 2.54
# What base64 and the frame of the message add to the size of a file.
ENCODED = 1.4
# The number that each chosen range begins with; one without it begins at the first page.
_FIRST_PAGES = pattern(r"(?:^|,)\s*(\d*)")


async def print_page(channel: PageChannel, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    data = await _printed(channel, options, target.max_bytes)
    if len(data) > target.max_bytes:
        raise _too_large(target.max_bytes)
    count = _count_pages(data)
    if options.pages and count == 1:
        await _require_page(channel, options, target.max_bytes)
    try:
        path = await asyncio.to_thread(_write, data, target)
    except OSError as error:
        raise unwritable(target.workspace.root, error) from error
    return PdfFile(path, len(data), count)


async def _require_page(channel: PageChannel, options: PdfOptions, max_bytes: int) -> None:
    """Raise InvalidArguments if the page has none of the chosen pages: Firefox prints an empty one in their place."""
    first = min(int(match[1] or 1) for match in _FIRST_PAGES.finditer(options.pages or ""))
    if first > 1 and first > (count := _count_pages(await _printed(channel, replace(options, pages=None), max_bytes))):
        raise InvalidArguments(f"`pages`: there are {count}.", hint="Leave it out to print all pages.")


def _too_large(max_bytes: int) -> LimitReached:
    return LimitReached(f"The PDF is larger than {max_bytes // 2**20} MB.", hint="Print fewer `pages`.")


def _count_pages(data: bytes) -> int:
    """Return how many pages a PDF file has; Firefox compresses what describes them."""
    parts = [data, *(_inflated(part) for part in data.split(b"stream\n")[1:] if part.startswith(b"x"))]
    return sum(1 for part in parts for _ in PAGE_DICTIONARY.finditer(part))


def _inflated(part: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(part, MAX_DESCRIPTION)
    except zlib.error:
        return b""  # it only looked like the beginning of one


def _write(data: bytes, target: PdfTarget) -> Path:
    draft = target.scratch / f"print-{os.urandom(8).hex()}"
    draft.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        draft.write_bytes(data)
        return copy_to_workspace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


async def _printed(channel: PageChannel, options: PdfOptions, max_bytes: int) -> bytes:
    width, height = (round(inches * CENTIMETRES, 2) for inches in PAPERS[options.paper])
    params: dict[str, Any] = {
        "orientation": "landscape" if options.landscape else "portrait",
        "background": options.background,
        "page": {"width": width, "height": height},
        "pageRanges": [part.strip() for part in options.pages.split(",")] if options.pages else [],
    }
    try:
        answer = await channel.send("browsingContext.print", params, max_bytes=round(max_bytes * ENCODED))
    except BidiError as error:
        if error.code == TOO_LARGE:
            raise _too_large(max_bytes) from error
        if options.pages is None or error.code != "invalid argument":
            raise
        raise InvalidArguments(f"`pages`: {error}.", hint="Leave it out to print all pages.") from error
    return base64.b64decode(answer["data"])
