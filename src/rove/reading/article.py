"""Articles: the main content of a page, with its facts, in several formats."""

from __future__ import annotations

from rove.reading.formats import Format as Format
from rove.reading.image import Image as Image
from rove.reading.joining import continue_numbers as continue_numbers
from rove.reading.joining import join_articles as join_articles
from rove.reading.page_source import PageSource
from rove.reading.parsed_article import Article as Article
from rove.reading.parsed_article import Rendered as Rendered


def read_article(source: PageSource) -> Article:
    """Read the main content of a page, and what it says of itself."""
    from rove.reading.extraction import extract_article  # imports lxml

    return extract_article(source)
