"""The answers to requests about a PDF file, as plain data."""

from __future__ import annotations

import io
import time
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.documents.page_range import pages_in
from rove.documents.pdfium.facts import read_dates, read_fields, read_links, read_outline
from rove.documents.pdfium.page_reader import PageReader
from rove.errors import InvalidArguments

# After so many seconds no further page is begun, so that what was read is answered in time.
SECONDS = 8.0
_FAILURES = {raw.FPDF_ERR_PASSWORD: "locked", raw.FPDF_ERR_SECURITY: "security"}
_UNREADABLE: dict[str, Any] = {
    **dict.fromkeys(("tables", "links", "fields", "unseen"), ()),
    **dict.fromkeys(("is_recognised", "is_picture", "is_cut"), False),
    "text": "",
    "is_damaged": True,
}
Answer = tuple[dict[str, Any], bytes]


def answer(request: dict[str, Any], data: bytes) -> Answer:
    """Read the file, or draw one of its pages."""
    began = time.monotonic()
    try:
        document = pdfium.PdfDocument(data, password=request["password"])
    except pdfium.PdfiumError as error:
        return {"error": _FAILURES.get(error.err_code or 0, "damaged")}, b""
    try:
        numbers = pages_in(request["pages"], len(document))
    except InvalidArguments:
        return {"error": "pages", "page_count": len(document)}, b""
    if document.get_formtype() != raw.FORMTYPE_NONE:
        document.init_forms()  # fields are not drawn without it
    if request["task"] == "render":
        return _draw(document, numbers[0], int(request["side"]))
    return _read(document, numbers, request, began + SECONDS), b""


def _read(document: pdfium.PdfDocument, numbers: list[int], request: dict[str, Any], until: float) -> dict[str, Any]:
    outline, is_outline_cut = read_outline(document)
    pages, left_out = _read_pages(document, numbers[: request["most_pages"]], request["longest"], until)
    return {
        "page_count": len(document),
        "pages": pages,
        **read_dates(document),
        "outline": outline,
        "is_outline_cut": is_outline_cut,
        "left_out": [*left_out, *numbers[request["most_pages"] :]],
    }


def _read_pages(
    document: pdfium.PdfDocument, numbers: list[int], room: int, until: float
) -> tuple[list[dict[str, Any]], list[int]]:
    """Read pages while there is room and time; return them, and the numbers of the others."""
    pages: list[dict[str, Any]] = []
    for at, number in enumerate(numbers):
        if pages and (room <= 0 or time.monotonic() > until):
            return pages, numbers[at:]
        pages.append(_read_page(document, number, room))
        room -= len(pages[-1]["text"])
    return pages, []


def _read_page(document: pdfium.PdfDocument, number: int, room: int) -> dict[str, Any]:
    try:
        page = document[number - 1]
    except pdfium.PdfiumError:
        return {"number": number, **_UNREADABLE}
    facts = PageReader(page).read(room) | {"is_damaged": False}
    return {"number": number, **facts, "links": read_links(document, page), "fields": read_fields(document, page)}


def _draw(document: pdfium.PdfDocument, number: int, side: int) -> Answer:
    page = document[number - 1]
    bitmap = page.render(scale=side / max(*page.get_size(), 1.0))
    output = io.BytesIO()
    bitmap.to_pil().save(output, "PNG")
    return {}, output.getvalue()
