"""PDF files that a tab shows or that its browser downloaded: their text, as the answer to a navigation."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

from rove.advice import Advice
from rove.content.pdf.document import SIGNATURE_WITHIN, is_pdf
from rove.errors import DocumentDamaged, DocumentLocked, InvalidArguments, LimitReached, RoveError
from rove.outcome import origin_in, said_of
from rove.page_text import NOWHERE, Own, PageText
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.page_data import DownloadedFile
    from rove.browser.shared.tab import Tab
    from rove.content.pdf.report import PdfRead

MOST_CHARACTERS = 10_000
MOST_BYTES = 200 * 2**20
# The page at which a viewer opens a PDF, as in `report.pdf#page=8`.
_OPEN_AT = re.compile(r"#(?:.*&)?page=(\d{1,6})(?:&|$)")
REST = Advice("Read other pages with {read_pdf}. Or {navigate} to its address with #page=N to read from page N on.")
NO_PAGE = "{navigate} to the address without #page=N: the answer says how many pages there are."


async def read_shown(tab: Tab) -> PdfRead | None:
    """Read the PDF that the browser's viewer shows in a tab; None if there is none, or it cannot be had."""
    if not tab.page.shows_pdf:
        return None
    file = await tab.page.download_document()
    return None if file is None else await read_downloaded(tab, file, tab.url)


async def read_downloaded(tab: Tab, file: DownloadedFile, address: str) -> PdfRead | None:
    """Read a file that the tab has downloaded, if it is a PDF whose text may be shown.

    `address`: the one that was asked for, which may name a page to begin with.
    Raises DocumentLocked, DocumentDamaged, InvalidArguments if it has no such page, and LimitReached.
    """
    if file.path is None or not tab.page.may_read(file.url):
        return None
    try:
        data = await asyncio.to_thread(_read_file, Workspace(tab.settings.workspace_folder), file.path)
        async with asyncio.timeout(tab.page.time.for_loading):
            return await _read(tab, data, file, _first_page(address)) if data else None
    except TimeoutError:
        tab.page.events.add("pdf not read", Own("There was not enough time."), "Read it with {read_pdf}.")
    except (DocumentLocked, DocumentDamaged, InvalidArguments, LimitReached) as error:
        tab.page.events.drop_advice("download")
        raise _naming(file, error) from None
    except RoveError as error:
        tab.page.events.add("pdf not read", said_of(error))
    return None


async def _read(tab: Tab, data: bytes, file: DownloadedFile, pages: str | None) -> PdfRead:
    from rove.content.pdf.document import read_pdf  # imported late: few pages are PDF files
    from rove.content.pdf.report import PdfRead

    try:
        document = await read_pdf(data, pages=pages, longest=MOST_CHARACTERS)
    except InvalidArguments as error:
        raise InvalidArguments("The PDF does not have the page that the address names.", hint=NO_PAGE) from error
    report = PdfRead.of(file.path or Own(), document, _origin(file.url))
    tab.page.events.drop_advice("download")
    if report.left_out:
        tab.page.events.add("pdf", Own(f"pages {report.left_out} are not shown"), REST)
    elif not report.has_text:
        tab.page.events.add("pdf", Own("no page has text"), "To see its pages, call {read_pdf} with images=true.")
    return report


def _read_file(workspace: Workspace, path: str) -> bytes:
    """Return the bytes of a PDF of the workspace; nothing if it is another kind of file, or too large."""
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        if not is_pdf(opened.read(SIGNATURE_WITHIN)):
            if path.lower().endswith(".pdf"):
                raise DocumentDamaged("The file is called a PDF, and is none.")
            return b""
        if file.size > MOST_BYTES:
            return b""
        opened.seek(0)
        return opened.read()


def _naming(file: DownloadedFile, error: RoveError) -> RoveError:
    """Say where the file is. Its server has named it."""
    error.say_more("It is saved as ", PageText(file.path or "", _origin(file.url)), ".")
    return error


def _first_page(address: str) -> str | None:
    match = _OPEN_AT.search(address)
    return f"{match[1]}-" if match else None


def _origin(url: str) -> str:
    """Return the origin of a file's address. That of a file that a page has made is its page's."""
    inner = url.removeprefix("blob:")
    return origin_in(inner) if inner.startswith(("http://", "https://")) else NOWHERE
