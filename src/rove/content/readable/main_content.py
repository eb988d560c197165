"""The main content of a page: scores compared with a second extractor and the page's own marks, without comments."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from rove.content.html_document import absolute_in, body_of, drop_hidden, drop_never_shown, parse_document
from rove.content.page_source import PageSource
from rove.content.readable.article import Article
from rove.content.readable.blocks import Block, Blocks, Heading, Listing, Paragraph, Quote, Runs, has_text, runs_in
from rove.content.readable.candidates import BESIDE_ROLES, link_density, text_of
from rove.content.readable.facts import Metadata, find_next_page, read_metadata
from rove.content.readable.html_blocks import Addresses, build_blocks
from rove.content.readable.scoring import find_by_scores
from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Characters from which a text that only the scores found counts as prose, without and with a sentence's end.
LONG = 200
SENTENCE = 80
MOST_LINKED_PROSE = 0.3
# Below this share of common words, the two found different parts of the page.
OVERLAP = 0.5
# The share of the second extractor's words that must be in the text found by scores, so that it may confirm it.
CONFIRMING = 0.7
# The scores found only pieces of an article if they missed so much prose within it, for each character of their own.
MISSED = 0.4
# So many letters that both found must follow it: a line of the footer may be in both texts.
_LANDMARK = 300
FEW_WORDS = 30
FEWEST_WORDS = 8
# The share of words in common from which two texts count as the same.
SAME = 0.9
# A letter of these scripts says as much as several of others.
_DENSE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
DENSITY = 3
_END = re.compile(r"[.!?。！？…:;\"”»)]\s*$")
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+")
# Of a paragraph, so many letters are looked for in the other text.
_PROBE = 50

# What a control says that answers a comment, in many languages.
REPLY = re.compile(
    r"[\W\d]*(?:reply|antworten?|répondre|responder|rispondi|beantwoorden|svara?|svar|odpowiedz|odpovědět|ответить|yanıtla"
    r"|trả lời|balas|رد|השב|回复|回覆|返信|답글|답장)[\W\d]*",
    re.IGNORECASE,
)
CONTROLS = ("a", "button")
# A control with more elements in it is not read: elements in elements would be read again and again.
MOST_INSIDE = 8
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ANSWER = re.compile("answer", re.IGNORECASE)
FEWEST = 2
# Characters of text without links that stand between the title and the comments of an article, at least. In a forum,
# the first post can be answered like all others.
ARTICLE = 500
BESIDE_TAGS = ("nav", "aside", "footer", "dialog")
# An element with less text than this is the content as a whole.
SHORT = 500
# With more of its text linked, an element is a list of other pages.
MOST_LINKED = 0.5
# The share of a text's words that must be in the marked element, so that the text counts as a part of it.
INSIDE = 0.7

# Its time grows faster than the document.
MOST_ELEMENTS = 15_000
# Its names of elements, which are those of TEI, in HTML.
TAGS = {
    "head": "h2",
    "list": "ul",
    "item": "li",
    "quote": "blockquote",
    "hi": "span",
    "ref": "a",
    "graphic": "img",
    "lb": "br",
    "row": "tr",
    "cell": "td",
}
STYLES = {"#b": "b", "#i": "i", "#t": "tt", "#sub": "sub", "#sup": "sup"}
logger = logging.getLogger(__name__)
RENAMED = {"output": "span", "center": "div", "search": "div", "menu": "ul", "dir": "ul"}
# Where a button may stand in a sentence, and how many characters that takes beside it.
_OF_SENTENCES = frozenset(["p", "li", "dd", "td", "span", "em", "strong", "b", "i", "blockquote", "figcaption"])
SHORTEST_SENTENCE = 15
_HEADING_MARKS = frozenset(["¶", "#", "§", "🔗"])
# They say what a program cannot see, or what the browser has already decided for a rendered page.
_HIDING = ("aria-hidden", "hidden", "inert")


def choose(scored: Blocks, other: Blocks, captions: str = "") -> tuple[Blocks, bool]:
    """Return the content, and whether it is the other extractor's. Captions of figures need no confirmation."""
    words, others = words_in(scored), words_in(other)
    shared = sum((words & others).values())
    if _is_better(scored, other, shared / max(1, min(words.total(), others.total()))):
        return other, True
    if others.total() < FEW_WORDS:
        return scored, False
    if shared >= CONFIRMING * words.total() and _missed_length(scored, other) > MISSED * _prose_length(scored):
        return other, True
    if shared < CONFIRMING * others.total():
        return scored, False
    return _Confirmation(other, captions).confirmed(scored) or scored, False


def _is_better(scored: Blocks, other: Blocks, overlap: float) -> bool:
    """Return whether the other text is to be taken: it is of another part of the page, with much more prose."""
    return overlap < OVERLAP and _prose_length(other) > 1.5 * _prose_length(scored)


def is_same(text: str, other: Blocks) -> bool:
    """Return whether a text has nearly the words that the other extractor found."""
    words, others = words_of(text), words_in(other)
    shared = sum((words & others).values())
    return others.total() >= FEWEST_WORDS and 2 * shared >= SAME * (words.total() + others.total())


def _missed_length(scored: Blocks, other: Blocks) -> int:
    """Return how much prose the other text has before the last passage that the scores found too.

    Lists of other articles stand after the article, so that what stands within it belongs to it.
    """
    known = _letters("".join(run.text for run in runs_in(scored)))
    missed = since = found = 0
    for runs in _passages(other):
        letters = _letters(_text(runs))
        if letters[:_PROBE] in known:
            found += len(letters)
        elif is_prose(runs):
            since, found = since + len(letters), 0
        if found >= _LANDMARK:
            missed, since = missed + since, 0
    return missed


def _passages(blocks: Sequence[Block]) -> Iterator[Runs]:
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            yield block.runs
        elif isinstance(block, Quote):
            yield from _passages(block.blocks)
        elif isinstance(block, Listing):
            for item in block.items:
                yield from _passages(item)


def words_in(blocks: Blocks) -> Counter[str]:
    """Return how often each word is in blocks; a letter of Chinese and Japanese counts as a word."""
    return Counter(word for run in runs_in(blocks) for word in _WORD.findall(run.text))


def words_of(text: str) -> Counter[str]:
    """Return how often each word is in a text."""
    return Counter(_WORD.findall(text))


def _prose_length(blocks: Sequence[Block]) -> int:
    """Return how many characters of running text blocks hold."""
    length = 0
    for block in blocks:
        if isinstance(block, Paragraph) and is_prose(block.runs):
            length += len(_text(block.runs))
        elif isinstance(block, Quote):
            length += _prose_length(block.blocks)
        elif isinstance(block, Listing):
            length += sum(map(_prose_length, block.items))
    return length


def is_prose(runs: Runs) -> bool:
    """Return whether a text reads like a part of an article by itself."""
    text = _text(runs)
    size = size_of(text)
    linked = sum(len(run.text) for run in runs if run.link and not run.image)
    if size >= LONG:
        return linked < MOST_LINKED_PROSE * len(text)
    return size >= SENTENCE and not linked and _END.search(text) is not None


def size_of(text: str) -> int:
    """Return the number of characters, those of scripts that say more with one counted several times."""
    return len(text) + (DENSITY - 1) * len(_DENSE.findall(text))


def _text(runs: Runs) -> str:
    return "".join(run.text for run in runs if not run.image).strip()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


class _Confirmation:
    """Keeps the texts that the other extractor found too, and those that read like a part of an article."""

    def __init__(self, other: Blocks, captions: str) -> None:
        self._known = _letters("".join(run.text for run in runs_in(other)) + captions)

    def confirmed(self, blocks: Blocks) -> Blocks:
        kept = [each for each in map(self._block, blocks) if each is not None]
        return tuple(block for number, block in enumerate(kept) if self._has_content(kept, number))

    def _block(self, block: Block) -> Block | None:
        if isinstance(block, Paragraph):
            return block if self._is_known(block.runs) or is_prose(block.runs) else None
        if isinstance(block, Quote):
            inside = self.confirmed(block.blocks)
            return Quote(inside) if inside else None
        if isinstance(block, Listing):
            if not any(run.link for run in runs_in((block,))):
                return block
            items = tuple(filter(None, map(self.confirmed, block.items)))
            return replace(block, items=items) if items else None
        return block

    def _is_known(self, runs: Runs) -> bool:
        letters = _letters(_text(runs))
        return not letters or letters[:_PROBE] in self._known

    def _has_content(self, blocks: Sequence[Block], number: int) -> bool:
        """Return whether a block is no heading that is left without the text below it."""
        block = blocks[number]
        if not isinstance(block, Heading) or self._is_known(block.runs):
            return True
        return number + 1 < len(blocks) and not isinstance(blocks[number + 1], Heading)


def without_comments(document: HtmlElement) -> HtmlElement:
    """Return the document, or a copy without the comments if there are some below an article."""
    if not _comments_in(document):
        return document
    copy = deepcopy(document)
    for comment in _comments_in(copy):
        _drop_heading(comment.getprevious())
        comment.drop_tree()
    return copy


def _comments_in(document: HtmlElement) -> list[HtmlElement]:
    """Return the elements that each hold a comment and the answers to it."""
    marks = [each for each in document.iter() if _is_mark(each)]
    around = _around(marks)
    if around is None:
        return []
    paths = {each for mark in marks for each in (mark, *mark.iterancestors())}
    comments = [child for child in around if child in paths]
    if len(comments) < FEWEST or any(map(_is_answer, comments)):
        return []
    return comments if _length_before(document, comments[0]) >= ARTICLE else []


def _is_mark(element: HtmlElement) -> bool:
    """Return whether an element is a control that answers a comment, or is said to be a comment."""
    if (element.get("itemtype") or "").endswith("schema.org/Comment"):
        return True
    is_control = element.tag in CONTROLS or element.get("role") == "button"
    if not is_control or next(islice(element.iterdescendants(), MOST_INSIDE, None), None) is not None:
        return False
    return REPLY.fullmatch(text_of(element)) is not None


def _is_answer(element: HtmlElement) -> bool:
    """Return whether an element is an answer to the question of a page, which is content."""
    return any(ANSWER.search(element.get(name) or "") for name in ("class", "id", "itemprop", "itemtype"))


def _around(elements: list[HtmlElement]) -> HtmlElement | None:
    """Return the innermost element around all."""
    if len(elements) < FEWEST:
        return None
    common = set(elements[0].iterancestors())
    for element in elements[1:]:
        common.intersection_update(element.iterancestors())
    return next((each for each in elements[0].iterancestors() if each in common), None)


def _length_before(document: HtmlElement, comment: HtmlElement) -> int:
    """Return how much text without links stands between the page's heading and an element."""
    ancestors = set(comment.iterancestors())
    before = list(takewhile(lambda each: each is not comment, document.iter()))
    start = _heading_in(before)
    return 0 if start is None else sum(size_of(text) for text in _texts(before[start:], ancestors))


def _heading_in(elements: list[HtmlElement]) -> int | None:
    """Return the position of the first heading of the highest level."""
    positions = [number for number, each in enumerate(elements) if each.tag in HEADINGS]
    return min(positions, key=lambda number: (elements[number].tag != "h1", number), default=None)


def _texts(elements: list[HtmlElement], ancestors: set[HtmlElement]) -> Iterator[str]:
    for element in elements:
        if element.tag not in CONTROLS:
            yield " ".join((element.text or "").split())
        if element not in ancestors:
            yield " ".join((element.tail or "").split())


def _drop_heading(element: HtmlElement | None) -> None:
    if element is not None and element.tag in HEADINGS:
        element.drop_tree()


def find_main_element(body: HtmlElement) -> HtmlElement | None:
    """Return a copy of the element that the page marks as its main content, without menus and the like.

    That is its only `main`, or without one, the only `article`, which has to hold the page's heading: previews of
    other articles are marked so too.
    """
    marked = _outermost([each for each in body.iter() if each.tag == "main" or each.get("role") == "main"])
    if not marked:
        articles = _outermost(list(body.iter("article")))
        marked = [each for each in articles if each.find(".//h1") is not None] if len(articles) == 1 else []
    if len(marked) != 1:
        return None
    main = _without_beside(marked[0])
    return main if text_of(main) else None


def replaces(main: HtmlElement, chosen: Blocks) -> bool:
    """Return whether the marked element as a whole is the content, instead of the text that was chosen."""
    if link_density(main) > MOST_LINKED:
        return False
    return size_of(text_of(main)) < SHORT or not _is_inside(words_in(chosen), words_of(main.text_content()))


def _outermost(elements: list[HtmlElement]) -> list[HtmlElement]:
    known = set(elements)
    return [each for each in elements if known.isdisjoint(each.iterancestors())]


def _without_beside(marked: HtmlElement) -> HtmlElement:
    main = deepcopy(marked)
    main.tail = None
    for element in list(main.iterdescendants()):
        if element.tag in BESIDE_TAGS or element.get("role") in BESIDE_ROLES:
            element.drop_tree()
    return main


def _is_inside(words: Counter[str], around: Counter[str]) -> bool:
    return sum((words & around).values()) >= INSIDE * words.total()


def find_by_trafilatura(document: HtmlElement, *, is_whole: bool) -> HtmlElement | None:
    """Return the main content, with links and images if it is to be whole; None if none was found."""
    if sum(1 for _ in document.iter()) > MOST_ELEMENTS:
        return None
    from trafilatura import bare_extraction

    # It warns of each page in which it finds nothing.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = bare_extraction(
            deepcopy(document),
            include_comments=False,
            include_links=is_whole,
            include_images=is_whole,
            include_formatting=is_whole,
        )
    # Pages can be such that it fails; what was found by scores is used then.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        logger.debug("trafilatura failed: %r", error)
        return None
    body = getattr(found, "body", None)
    return _as_html(body) if body is not None else None


def _as_html(body: Any) -> HtmlElement:
    """Return content that trafilatura found with the elements of HTML."""
    for element in body.iter():
        if isinstance(element.tag, str):
            _rename(element)
    content: HtmlElement = body
    return content


def _rename(element: Any) -> None:
    rendition = element.get("rend") or ""
    if element.tag == "ref":
        element.set("href", element.get("target") or "")
    if element.tag == "head" and rendition in ("h1", "h2", "h3", "h4", "h5", "h6"):
        element.tag = rendition
    elif element.tag == "list" and rendition == "ol":
        element.tag = "ol"
    elif element.tag == "code" and "\n" in "".join(element.itertext()):
        element.tag = "pre"
    elif element.tag == "hi":
        element.tag = STYLES.get(rendition, "span")
    elif element.tag in TAGS:
        # Any other keeps its name: lxml reads names that it does not let be set, such as that of `<a'>`.
        element.tag = TAGS[element.tag]


def make_plain(body: HtmlElement) -> None:
    """Rename elements that only few pages use, buttons within sentences, and groups of fields outside of forms."""
    for element in body.iter(*RENAMED):
        element.tag = RENAMED[str(element.tag)]
    for button in list(body.iter("button")):
        if _is_in_sentence(button):
            button.tag = "span"
    for fields in list(body.iter("fieldset")):
        if next(fields.iterancestors("form"), None) is None:
            fields.tag = "div"


def drop_marks_of_headings(body: HtmlElement) -> None:
    """Remove the links to a heading itself, such as a pilcrow, and those to edit the section below it."""
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        for mark in [each for each in heading.iterdescendants("a", "span") if _is_heading_mark(each)]:
            if mark.getparent() is not None:
                mark.drop_tree()


def _is_heading_mark(element: HtmlElement) -> bool:
    if "mw-editsection" in (element.get("class") or "").split():
        return True
    return element.tag == "a" and "".join(element.itertext()).strip() in _HEADING_MARKS


def forget_hiding(body: HtmlElement) -> None:
    """Remove the attributes that hide elements from a rendered page, which holds only what a person sees."""
    for element in body.iter():
        for name in _HIDING:
            element.attrib.pop(name, None)


def _is_in_sentence(button: HtmlElement) -> bool:
    parent = button.getparent()
    if parent is None or parent.tag not in _OF_SENTENCES:
        return False
    beside = [parent.text, *(child.tail for child in parent)]
    return sum(len((text or "").strip()) for text in beside) >= SHORTEST_SENTENCE


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
