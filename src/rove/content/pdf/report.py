"""What an agent is told of a PDF file: facts, text by page, and what a person does not see."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rove.content.pdf.document import OutlineItem, PdfDocument, PdfField, PdfLink, PdfPage
from rove.content.pdf.page_range import written
from rove.outcome import Attachment, Passage, Result, quoted
from rove.page_text import Own, PageText, Text
from rove.records import dataclass

# Entries of each list that are told to a model; a program gets all of them.
MOST_TOLD = 40
LAYER = "Its text is an invisible layer over a picture, as text recognition makes it: what is printed may differ."
PICTURE = "This page has no text, only a picture."
BLANK = "This page is empty."
DAMAGED = "This page is damaged and could not be read."
NO_TEXT = "None of these pages has text. Reading the file with images=true gives pictures of them."
CUT = "[the text of this page is cut]"


@dataclass(frozen=True)
class PdfRead(Result):
    """A PDF file, the pages of it that were read, and pictures of pages if they were asked for."""

    path: Text
    page_count: int
    title: PageText
    author: PageText
    date: PageText
    outline: tuple[OutlineItem, ...]
    pages: tuple[PdfPage, ...]
    # The pages that were asked for and are not in `pages`, as a range; empty if there are none.
    left_out: Own
    # The origin that the file is from; empty where that is not known.
    origin: Own = Own("")
    pictures: tuple[Attachment, ...] = ()
    is_outline_cut: bool = False
    # The pages that `pictures` show, and those that were asked for and have none, as ranges.
    pictured: Own = Own("")
    not_pictured: Own = Own("")

    @classmethod
    def of(cls, path: Text, document: PdfDocument, origin: str) -> PdfRead:
        """Make the report of a document that was read from a file."""
        document = quoted(document, origin)
        return cls(
            path,
            document.page_count,
            document.title,
            document.author,
            document.date,
            document.outline,
            document.pages,
            Own(written(list(document.left_out))),
            Own(origin),
            is_outline_cut=document.is_outline_cut,
        )

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return self.pictures

    @property
    def has_text(self) -> bool:
        return any(page.text.strip() for page in self.pages)

    def __str__(self) -> str:
        return "\n\n".join(page.text for page in self.pages)

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the facts, then each page. All that is in the file counts as written by its origin."""
        author = self.origin or origin
        count = "1 page" if self.page_count == 1 else f"{self.page_count} pages"
        yield Passage(f"PDF of {count}.")
        yield from _lines("", list(self._facts()), author)
        more = len(self.outline) > MOST_TOLD or self.is_outline_cut
        yield from _lines(f"Outline{' (its beginning)' if more else ''}:", _outline_lines(self.outline), author)
        for page in self.pages:
            yield from _page_passages(page, author)
        if not (self.has_text or self.pictures):
            yield Passage(NO_TEXT)
        if self.left_out:
            yield Passage(f"Not shown: pages {self.left_out}.")
        if self.pictured:
            yield Passage(f"Pictures, in this order, of pages: {self.pictured}.")
        if self.not_pictured:
            yield Passage(f"Without a picture, as one call gives few: pages {self.not_pictured}. Name them in `pages`.")

    def _facts(self) -> Iterator[str]:
        # The server has named the file, so that its path counts as the server's words too.
        for name, value in (("File", self.path), ("Title", self.title), ("Author", self.author), ("Date", self.date)):
            if value:
                yield f"{name}: {_quoted(value)}"


def _page_passages(page: PdfPage, author: str) -> Iterator[Passage]:
    notes = [
        note
        for holds, note in (
            (page.is_recognised, LAYER),
            (page.is_picture, PICTURE),
            (page.is_damaged, DAMAGED),
            (not page.text and not page.is_picture and not page.is_damaged, BLANK),
        )
        if holds
    ]
    yield Passage(" ".join([f"Page {page.number}:", *notes]))
    if page.text:
        yield Passage(page.text, author, is_raw=True)
    if page.is_cut:
        yield Passage(CUT)
    yield from _lines("Links of this page:", [_link_line(link) for link in page.links], author)
    yield from _lines("Fields of this page:", [_field_line(field) for field in page.fields], author)
    hidden = "Left out of this page is what a person does not see:"
    yield from _lines(hidden, [_quoted(passage) for passage in page.unseen], author)


def _lines(heading: str, lines: Sequence[str], author: str) -> Iterator[Passage]:
    """Yield a heading and the first lines under it, if there are any."""
    if not lines:
        return
    if heading:
        yield Passage(heading)
    more = len(lines) - MOST_TOLD
    yield Passage("\n".join(lines[:MOST_TOLD]), author)
    if more > 0:
        yield Passage(f"[{more} more]")


def _outline_lines(outline: Sequence[OutlineItem]) -> list[str]:
    return [f"{'  ' * item.depth}- {_quoted(item.title)}{_page_mark(item.page)}" for item in outline]


def _page_mark(page: int | None) -> str:
    return "" if page is None else f" (page {page})"


def _link_line(link: PdfLink) -> str:
    return f"{_quoted(link.text)} {link.url or f'page {link.page}'}"


def _field_line(field: PdfField) -> str:
    return f"{field.kind} {_quoted(field.name)}: {_quoted(field.value)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
