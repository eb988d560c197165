"""What is captured of a page besides its snapshot: screenshots and PDF files."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal

from rove.validation.record import dataclass

ImageFormat = Literal["png", "jpeg"]
# x, y, width and height in CSS pixels.
Box = dict[str, float]


@dataclass(frozen=True)
class ScreenshotImage:
    """An encoded image and what it shows: a box of the page, at a scale."""

    kind: ImageFormat
    box: Box
    scale: float
    is_cut: bool
    data: bytes = field(repr=False)

    @property
    def size(self) -> tuple[int, int]:
        return round(self.box["width"] * self.scale), round(self.box["height"] * self.scale)


@dataclass(frozen=True)
class PdfOptions:
    """How to print a page."""

    paper: str
    landscape: bool
    background: bool
    pages: str | None


@dataclass(frozen=True)
class PdfFile:
    """A PDF file in the workspace."""

    path: Path
    size: int
    pages: int
