"""PDF: print a page to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, action, arg
from rove.browser.page_data import PdfOptions
from rove.outcome import Own, Result, Text
from rove.validation.record import dataclass
from rove.workspace import safe_name

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


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
