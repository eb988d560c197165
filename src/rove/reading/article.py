"""Articles: the main content of a page, with its facts, in several formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rove.reading.blocks import Block, cut_blocks, runs_in
from rove.reading.clean_html import render_html
from rove.reading.formats import Format
from rove.reading.image import Image
from rove.reading.markdown import render_markdown
from rove.reading.page_source import PageSource
from rove.reading.plain_text import render_text
from rove.validation.record import dataclass


@dataclass(frozen=True)
class Rendered:
    """An article in one format, whether its end is missing, and the numbers of links and images in it."""

    text: str
    is_cut: bool
    links: tuple[int, ...] = ()
    images: tuple[int, ...] = ()
    # Whether the text names links and images by these numbers.
    is_numbered: bool = False


@dataclass(frozen=True)
class Article:
    """The main content of a page. Facts that the page does not give are empty."""

    title: str
    byline: str
    date: str
    site: str
    language: str
    # Absolute http(s) addresses: the number n in the text is that of links[n - 1].
    links: tuple[str, ...]
    images: tuple[Image, ...]
    # The address of the next page of the same article.
    next_page: str
    # The passages that a person does not see, which were left out.
    unseen: tuple[str, ...]
    # False where no main content was found: then all of the page's text is given.
    is_main: bool
    blocks: tuple[Block, ...]
    # Whether the page has more than was read.
    is_cut: bool = False

    def render(self, format: Format, longest: int) -> Rendered:
        """Return the content in a format, in at most so many characters."""
        room = longest
        blocks = cut_blocks(self.blocks, room)
        text = self._in(format, blocks)
        while len(text) > longest and room > 0:
            # Marks and addresses take room beside the text.
            room = min(room - 1, room * longest // len(text))
            blocks = cut_blocks(self.blocks, room)
            text = self._in(format, blocks)
        is_cut = self.is_cut or blocks != self.blocks
        return Rendered(text, is_cut, _numbers(blocks, "link"), _numbers(blocks, "image"), format == "markdown")

    def _in(self, format: Format, blocks: Sequence[Block]) -> str:
        if format == "markdown":
            return render_markdown(blocks)
        return render_text(blocks) if format == "text" else render_html(blocks, self.links, self.images)


def _numbers(blocks: Sequence[Block], kind: Literal["link", "image"]) -> tuple[int, ...]:
    return tuple(sorted({number for run in runs_in(blocks) if (number := getattr(run, kind))}))


def read_article(source: PageSource) -> Article:
    """Read the main content of a page, and what it says of itself."""
    from rove.reading.extraction import extract_article  # imports lxml

    return extract_article(source)
