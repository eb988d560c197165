"""A PDF file of a page: its paper, its name, and how many pages it has."""

from __future__ import annotations

from pathlib import Path

from rove.validation.pattern import pattern
from rove.validation.record import dataclass
from rove.workspace import Workspace

PDF_FOLDER = "pdf"
CHUNK_BYTES = 2**20
# Width and height in inches.
PAPERS: dict[str, tuple[float, float]] = {
    "a3": (11.69, 16.54), "a4": (8.27, 11.69), "a5": (5.83, 8.27),
    "letter": (8.5, 11), "legal": (8.5, 14), "tabloid": (11, 17),
}  # fmt: skip
# Browsers write the dictionaries of a PDF as plain text, one of this type for each page.
PAGE_DICTIONARY = pattern(rb"/Type\s*/Page(?![A-Za-z])")
# Longer than any match, so that a match across two chunks is found.
OVERLAP_BYTES = 16


@dataclass(frozen=True)
class PdfTarget:
    """Where to write a PDF file, under which name, and its size limit; it is first written to the folder `scratch`.

    `folder`: the folder of the workspace, if it is not the one for PDF files.
    """

    workspace: Workspace
    name: str
    max_bytes: int
    scratch: Path
    folder: str = ""


def copy_to_workspace(draft: Path, target: PdfTarget) -> Path:
    """Copy a complete file to the workspace; return where it is."""
    with draft.open("rb") as source:
        chunks = iter(lambda: source.read(CHUNK_BYTES), b"")
        return target.workspace.write(target.folder or PDF_FOLDER, target.name, chunks)
