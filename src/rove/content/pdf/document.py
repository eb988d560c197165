"""PDF files: text by page, tables, outline, links and pictures of pages.

`pdfium/` reads them in a process of its own, as hostile files can crash or stall the library.
"""

from __future__ import annotations

from typing import Any

from rove.content.pdf.page_range import pages_in
from rove.errors import DocumentDamaged, DocumentLocked, RoveError
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

# The first bytes of a PDF hold this; some writers put other bytes before it.
SIGNATURE = b"%PDF-"
SIGNATURE_WITHIN = 1024

# Limits of one call.
MOST_BYTES = 200 * 2**20
MOST_PAGES = 200
MOST_CHARACTERS = 400_000
LONGEST_SIDE = 1568

NO_TEXT = PageText("", NOWHERE)


def is_pdf(data: bytes) -> bool:
    """Whether a file that begins with these bytes is a PDF."""
    return SIGNATURE in data[:SIGNATURE_WITHIN]


@dataclass(frozen=True)
class PdfLink:
    """A link of a page: its text and its address; of one inside the document, the number of the page."""

    text: PageText
    url: PageText = NO_TEXT
    page: int | None = None


@dataclass(frozen=True)
class PdfField:
    """A field of a form, and its value. That of a password field is not read."""

    name: PageText
    kind: PageText
    value: PageText


@dataclass(frozen=True)
class PdfPage:
    """One page. Its text has tables in it, as Markdown."""

    number: int
    text: PageText
    tables: tuple[tuple[tuple[PageText, ...], ...], ...] = ()
    links: tuple[PdfLink, ...] = ()
    fields: tuple[PdfField, ...] = ()
    # Passages that a person looking at the page does not see, each with the reason; they are not in `text`.
    unseen: tuple[PageText, ...] = ()
    # Whether its text lies invisibly over a picture, as programs for character recognition put it.
    is_recognised: bool = False
    # Whether it shows a picture and has no text.
    is_picture: bool = False
    is_cut: bool = False
    is_damaged: bool = False


@dataclass(frozen=True)
class OutlineItem:
    """An entry of the outline: its depth, from 0, and the page that it leads to."""

    title: PageText
    depth: int
    page: int | None


@dataclass(frozen=True)
class PdfDocument:
    """What was read of a PDF file. `left_out`: the pages that were asked for and had no room, or no time."""

    page_count: int
    pages: tuple[PdfPage, ...]
    title: PageText = NO_TEXT
    author: PageText = NO_TEXT
    # When it was made, as ISO 8601.
    date: PageText = NO_TEXT
    outline: tuple[OutlineItem, ...] = ()
    is_outline_cut: bool = False
    left_out: tuple[int, ...] = ()

    @property
    def has_text(self) -> bool:
        return any(page.text.strip() for page in self.pages)


async def read_pdf(
    data: bytes, password: str | None = None, pages: str | None = None, longest: int = MOST_CHARACTERS
) -> PdfDocument:
    """Read a PDF file: the pages that a range such as `1-3,5` names, and at most `longest` characters of text.

    Raises DocumentLocked, DocumentDamaged, and InvalidArguments for pages that do not exist.
    """
    request = {"task": "read", "pages": pages, "longest": min(longest, MOST_CHARACTERS), "most_pages": MOST_PAGES}
    facts, _ = await _ask(request, data, password, pages)
    try:
        return _document(facts)
    except (KeyError, TypeError, ValueError) as error:
        raise DocumentDamaged("The PDF cannot be read: its reader gave no sense.") from error


async def render_page(data: bytes, number: int, password: str | None = None, max_side: int = LONGEST_SIDE) -> bytes:
    """Return a picture of a page as PNG, whose longer side has `max_side` pixels."""
    request = {"task": "render", "pages": str(number), "side": max_side}
    _, picture = await _ask(request, data, password, str(number))
    return picture


async def _ask(
    request: dict[str, Any], data: bytes, password: str | None, pages: str | None
) -> tuple[dict[str, Any], bytes]:
    from rove.content.pdf.process import ask_reader  # what a server's start does not need

    if not is_pdf(data):
        raise DocumentDamaged("The file is no PDF.", hint="Read it as what it is.")
    if len(data) > MOST_BYTES:
        raise DocumentDamaged(f"The PDF is larger than {MOST_BYTES // 2**20} MB.", hint="Look for a smaller one.")
    answer, rest = await ask_reader({**request, "password": password}, data)
    if failure := answer.get("error"):
        raise _error(str(failure), answer, password, pages)
    return answer, rest


def _error(failure: str, answer: dict[str, Any], password: str | None, pages: str | None) -> RoveError:
    if failure == "locked":
        words = "The PDF needs a password." if password is None else "The password does not open the PDF."
        return DocumentLocked(words)
    if failure == "pages":
        pages_in(pages, int(answer["page_count"]))  # raises: the reader found a page that does not exist
    if failure == "security":
        hint = "Open it in another program, or look for a copy without it."
        return DocumentDamaged("The PDF is encrypted in a way that cannot be read.", hint=hint)
    return DocumentDamaged("The PDF is damaged and cannot be read.")


def _document(facts: dict[str, Any]) -> PdfDocument:
    """Check what the reader answered: a hostile file may have taken it over."""
    return PdfDocument(
        int(facts["page_count"]),
        tuple(_page(each) for each in facts["pages"]),
        _text(facts["title"]),
        _text(facts["author"]),
        _text(facts["date"]),
        tuple(OutlineItem(_text(title), int(depth), _number(page)) for title, depth, page in facts["outline"]),
        bool(facts["is_outline_cut"]),
        tuple(map(int, facts["left_out"])),
    )


def _page(facts: dict[str, Any]) -> PdfPage:
    return PdfPage(
        int(facts["number"]),
        _text(facts["text"]),
        tuple(tuple(tuple(map(_text, row)) for row in table) for table in facts["tables"]),
        tuple(PdfLink(_text(text), _text(url), _number(page)) for text, url, page in facts["links"]),
        tuple(PdfField(*map(_text, field)) for field in facts["fields"]),
        tuple(map(_text, facts["unseen"])),
        *(bool(facts[name]) for name in ("is_recognised", "is_picture", "is_cut", "is_damaged")),
    )


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _text(value: object) -> PageText:
    """Return a text of the document; the report of it says where the document is from."""
    return PageText(str(value), NOWHERE)
