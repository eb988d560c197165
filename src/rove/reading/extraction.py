"""The article of a page: parsed, freed of what is not its content, and made of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.reading.addresses import absolute_in
from rove.reading.article import Article
from rove.reading.blocks import has_text
from rove.reading.building import Addresses, build_blocks
from rove.reading.document import MOST_CHARACTERS, parse_document
from rove.reading.metadata import read_metadata
from rove.reading.page_source import PageSource

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def extract_article(source: PageSource) -> Article:
    """Read the main content of a page, and what it says of itself."""
    document = parse_document(source.html)
    facts = read_metadata(document)
    addresses = Addresses(absolute_in(document, source.url))
    content = _main_content(source)
    blocks = build_blocks(content, addresses) if content is not None else ()
    is_main = has_text(blocks)
    if not is_main:
        addresses = Addresses(absolute_in(document, source.url))
        blocks = build_blocks(document.find("body"), addresses)
    return Article(
        title=facts.title,
        byline=facts.byline,
        date=facts.date,
        site=facts.site,
        language=facts.language,
        links=addresses.links,
        images=addresses.images,
        next_page="",
        unseen=source.unseen,
        is_main=is_main,
        blocks=blocks,
        is_cut=source.is_cut or len(source.html) > MOST_CHARACTERS,
    )


def _main_content(source: PageSource) -> HtmlElement | None:
    import trafilatura

    html = trafilatura.extract(
        source.html,
        url=source.url,
        output_format="html",
        include_comments=False,
        include_links=True,
        include_images=True,
        include_formatting=True,
    )
    return parse_document(html).find("body") if html else None
