"""Articles: the main content of a page, with its facts, in several formats."""

from __future__ import annotations

from rove.content.page_source import Format as Format
from rove.content.page_source import PageSource
from rove.content.readable.article import Article as Article
from rove.content.readable.article import Rendered as Rendered
from rove.content.readable.article import continue_numbers as continue_numbers
from rove.content.readable.article import join_articles as join_articles
from rove.content.readable.blocks import Image as Image


def read_article(source: PageSource) -> Article:
    """Read the main content of a page, and what it says of itself."""
    from rove.content.readable.main_content import extract_article  # imports lxml

    return extract_article(source)
