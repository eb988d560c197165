"""The article of a page: its main content as blocks, and what the page says of itself."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING

from rove.reading.blocks import Blocks, has_text
from rove.reading.content.comments import without_comments
from rove.reading.content.consensus import choose, is_same
from rove.reading.content.main_element import find_main_element, replaces
from rove.reading.content.scoring import find_by_scores
from rove.reading.content.trafilatura_content import find_by_trafilatura
from rove.reading.markup.addresses import absolute_in
from rove.reading.markup.building import Addresses, build_blocks
from rove.reading.markup.document import body_of, parse_document
from rove.reading.markup.hidden import drop_hidden, drop_never_shown
from rove.reading.markup.metadata import Metadata, read_metadata
from rove.reading.markup.next_page import find_next_page
from rove.reading.markup.plain_elements import drop_marks_of_headings, forget_hiding, make_plain
from rove.reading.page_source import PageSource
from rove.reading.parsed_article import Article
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement


@dataclass(frozen=True)
class Content:
    """Blocks, and the addresses that their numbers stand for."""

    blocks: Blocks
    addresses: Addresses


def extract_article(source: PageSource) -> Article:
    """Read the main content of a page, and what it says of itself."""
    parsed = parse_document(source.html)
    document = parsed.root
    absolute = absolute_in(document, source.url)
    facts = read_metadata(document)
    hidden = () if source.is_rendered else tuple(drop_hidden(document))
    drop_never_shown(document)
    make_plain(body_of(document))
    drop_marks_of_headings(body_of(document))
    if source.is_rendered:
        forget_hiding(body_of(document))
    content = _main_content(document, facts, absolute)
    is_main = has_text(content.blocks)
    if not is_main:
        content = _content_of(body_of(document), absolute)
    return Article(
        title=facts.title,
        byline=facts.byline,
        date=facts.date,
        site=facts.site,
        language=facts.language,
        links=content.addresses.links,
        images=content.addresses.images,
        next_page=find_next_page(document, source.url, absolute),
        unseen=(*source.unseen, *hidden),
        is_main=is_main,
        blocks=content.blocks,
        is_cut=source.is_cut or parsed.is_cut,
    )


def _main_content(document: HtmlElement, facts: Metadata, absolute: Callable[[str], str]) -> Content:
    """Return the content that the extractors find, or the whole element that the page marks as main."""
    document = without_comments(document)
    main = find_main_element(body_of(document))
    chosen = _chosen_content(document, facts, absolute)
    return _content_of(main, absolute) if main is not None and replaces(main, chosen.blocks) else chosen


def _chosen_content(document: HtmlElement, facts: Metadata, absolute: Callable[[str], str]) -> Content:
    other = _content_of(find_by_trafilatura(document, is_whole=False), absolute)
    found = find_by_scores(
        body_of(deepcopy(document)),
        facts.title,
        drops_byline=not facts.has_byline,
        confirms=lambda text: is_same(text, other.blocks),
    )
    scored = _content_of(found, absolute)
    blocks, is_other = choose(scored.blocks, other.blocks, _captions_in(found))
    if is_other:
        return _content_of(find_by_trafilatura(document, is_whole=True), absolute)
    return Content(blocks, scored.addresses)


def _captions_in(content: HtmlElement | None) -> str:
    return "" if content is None else "".join(each.text_content() for each in content.iter("figcaption"))


def _content_of(element: HtmlElement | None, absolute: Callable[[str], str]) -> Content:
    addresses = Addresses(absolute)
    return Content(build_blocks(element, addresses) if element is not None else (), addresses)
