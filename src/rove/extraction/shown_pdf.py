"""The text of a PDF that the browser's viewer shows in a tab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.browser.documents import read_shown
from rove.documents.report import PdfRead
from rove.extraction.extracted import Extracted
from rove.outcome import Passage
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class PdfText(Extracted):
    """The text of each page, and what else was read of the document."""

    document: PdfRead | None = None

    def passages(self, origin: str) -> Iterator[Passage]:
        return self.document.passages(origin) if self.document is not None else super().passages(origin)


async def read_pdf_of(tab: Tab) -> PdfText | None:
    """Read the PDF that a tab shows; None if it shows none."""
    document = await read_shown(tab)
    if document is None:
        return None
    return PdfText(tuple(page.text for page in document.pages), bool(document.left_out), document=document)
