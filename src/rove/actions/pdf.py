"""PDF files: a page printed to one, and one of the workspace as text, tables and pictures."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, FileAction, TabAction, action, arg
from rove.browser.page_data import PdfOptions
from rove.content.pdf.page_range import pages_in, written
from rove.content.pdf.report import PdfRead
from rove.errors import Denied, InvalidArguments
from rove.outcome import Attachment, Result
from rove.page_text import NOWHERE, Own, Text
from rove.records import dataclass
from rove.target import secret_named
from rove.workspace import Workspace, safe_name

if TYPE_CHECKING:
    from rove.browser.element import DocumentSecrets
    from rove.browser.shared.tab import Tab
    from rove.settings.tree import Settings

MOST_BYTES = 200 * 2**20
MOST_PICTURES = 5


@dataclass(frozen=True)
class Printed(Result):
    path: Text
    size: int
    pages: int

    def __str__(self) -> str:
        return f"Printed to {self.path}: {self.pages} page{'' if self.pages == 1 else 's'}, {self.size} bytes."


@action(Effect.READ, group="pdf")
class Pdf(TabAction[Printed]):
    """Print the page to a PDF file in the workspace."""

    name: str | None = arg("File name; the page's title if not given.", default=None, min_length=1)
    path: str | None = arg("File in the workspace to write instead; a folder if it ends with /.", default=None)
    paper: Literal["a3", "a4", "a5", "letter", "legal", "tabloid"] = arg("Paper size.", default="a4")
    landscape: bool = arg("Turn the paper.", default=False)
    background: bool = arg("Print background colours and images.", default=False)
    pages: str | None = arg("Which, such as 1-3,5.", default=None, pattern=r"^\d+(-\d+)?(, *\d+(-\d+)?)*$")

    async def perform(self, tab: Tab) -> Printed:
        folder, given = _divided(self.path or "")
        name = safe_name(given or self.name or await tab.title() or "page").removesuffix(".pdf")
        options = PdfOptions(self.paper, self.landscape, self.background, self.pages)
        document = await tab.print_pdf(options, f"{name}.pdf", folder)
        # Without a name of the caller's, the file has the page's title, which is the page's text.
        path = Own(document.path) if given or self.name else tab.url.around(str(document.path))
        return Printed(path, document.size, document.pages)


def _divided(path: str) -> tuple[str, str]:
    """Divide a path into a folder, which may be none, and a file name, which may be none."""
    folder, _, name = path.rpartition("/")
    if name in (".", ".."):
        return path, ""  # it names no file
    return folder or ("/" if path.startswith("/") else ""), name


@action(Effect.READ, group="documents")
class ReadPdf(FileAction[PdfRead]):
    """Read a PDF file of the workspace: text by page with tables, outline, links, form fields; pictures of pages."""

    path: str = arg("Path in the workspace.", min_length=1)
    pages: str | None = arg("Which pages: 1-3,5 or 8-. All by default.", default=None)
    images: bool = arg(f"Also pictures of the pages, at most {MOST_PICTURES}.", default=False)
    password: str | None = arg("Password of a locked file, as secret:NAME if there is one.", default=None)
    max_characters: int = arg("Most text to return.", default=20_000, ge=100, le=200_000)

    @property
    def files_read(self) -> tuple[str, ...]:
        return (self.path,)

    @property
    def secrets(self) -> tuple[str, ...]:
        name = secret_named(self.password or "")
        return (name,) if name else ()

    @property
    def concealed(self) -> tuple[str, ...]:
        return ("password",) if self.password and not self.secrets else ()

    async def perform(self, settings: Settings, secrets: DocumentSecrets) -> PdfRead:
        from rove.content.pdf.document import read_pdf

        password = secrets.use_for_document(self.secrets[0]).value if self.secrets else self.password
        data = await asyncio.to_thread(self._read, Workspace(settings.workspace_folder))
        document = await read_pdf(data, password, self.pages, self.max_characters)
        report = PdfRead.of(Own(self.path), document, NOWHERE)
        if not self.images:
            return report
        asked = pages_in(self.pages, document.page_count)
        shown, others = asked[:MOST_PICTURES], asked[MOST_PICTURES:]
        pictures = [await self._picture(data, number, password, settings) for number in shown]
        pictured, not_pictured = Own(written(shown)), Own(written(others))
        return replace(report, pictures=tuple(pictures), pictured=pictured, not_pictured=not_pictured)

    async def _picture(self, data: bytes, number: int, password: str | None, settings: Settings) -> Attachment:
        from rove.content.pdf.document import render_page

        picture = await render_page(data, number, password, settings.observing.picture)
        return Attachment("image", "image/png", picture, f"{PurePosixPath(self.path).stem}-page-{number}.png")

    def _read(self, workspace: Workspace) -> bytes:
        if not workspace.names(self.path):
            # The same for files that exist and files that do not, so that it does not tell which are there.
            hint = f"Only files in the workspace {workspace.root} are read: put it there, or set --workspace."
            raise Denied(f"PDF file not found: {self.path}", hint=hint)
        with workspace.reading(self.path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
            if file.size > MOST_BYTES:
                raise InvalidArguments(
                    f"{self.path} is larger than {MOST_BYTES // 2**20} MB.", hint="Name a smaller one."
                )
            return opened.read()
