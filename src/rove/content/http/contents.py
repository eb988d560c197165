"""What is in an answer, as text for a model: articles, PDF files, feeds, JSON, pictures, text; the rest is named."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from rove.content.http.answer import HttpAnswer, text_of
from rove.content.http.browser_needed import is_html
from rove.content.http.feeds import Feed, is_feed, read_feed, read_json_feed
from rove.content.page_source import Format, PageSource
from rove.content.pictures import Picture, prepare_picture
from rove.errors import InvalidArguments
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.content.pdf.document import PdfDocument
    from rove.content.readable.reader import Article

Kind = Literal["article", "page", "pdf", "feed", "json", "text", "image", "file"]
TEXT_TYPES = frozenset({
    "application/xml", "application/ecmascript", "application/sql", "application/x-sh", "application/x-httpd-php",
    "application/yaml", "application/x-yaml", "application/toml", "application/graphql", "application/x-ndjson",
    "application/jsonl", "application/typescript", "image/svg+xml", "message/rfc822",
})  # fmt: skip
# Types that servers give to files that they do not know.
UNKNOWN_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
SNIFFED = 4096
# A number in Markdown that stands for an address.
_REFERENCE = re.compile(r"(?<!\\)\]\[(i?\d+)\]")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# https://mimesniff.spec.whatwg.org/#binary-data-byte
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
PICTURE_STARTS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")


@dataclass(frozen=True)
class WebDocument:
    """`page`: what the browser shows, with `reason` why it was used; otherwise `answer` is all there is.

    `unused`: why the browser should have been used, but was not allowed. `file`: where the browser saved it.
    """

    url: str
    status: int
    answer: HttpAnswer | None = None
    page: PageSource | None = None
    reason: str = ""
    hops: tuple[str, ...] = ()
    unused: str = ""
    file: str = ""

    def notes(self) -> Iterator[str]:
        """Say, in rove's words, how it was read, where that is not just over HTTP."""
        if self.reason:
            yield f"Read with the browser: {self.reason}."
        yield from self.page.notes if self.page is not None else ()
        if self.unused:
            yield f"The browser was not used, as asked, although {self.unused}."
        if self.answer is not None and self.answer.cache_note:
            yield self.answer.cache_note
        if self.answer is not None and self.answer.missing:
            yield f"Incomplete: {self.answer.missing}. This is the part that arrived."
        if self._is_downgraded:
            yield "A redirect led from https: to http:, which anyone on the way can read and change."

    @property
    def _is_downgraded(self) -> bool:
        chain = [*self.hops, self.url]
        return any(one.startswith("https:") and other.startswith("http:") for one, other in pairwise(chain))


def parse_json(text: str) -> Any:
    """Return JSON data; None if the text is none or is nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def survives_parsing(text: str) -> bool:
    """Whether valid JSON has neither numbers that Python rounds nor objects with a name twice."""
    try:
        json.loads(text, parse_float=_exact, object_pairs_hook=_unique)
    except _Lossy:
        return False
    return True


class _Lossy(Exception):
    """Data that would differ from the text."""


def _exact(number: str) -> float:
    value = float(number)
    if Decimal(repr(value)) != Decimal(number):
        raise _Lossy
    return value


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _Lossy


@dataclass(frozen=True)
class Content:
    """What was read. `facts` are the page's words on itself: byline, date, site."""

    kind: Kind
    text: str
    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    is_cut: bool = False
    # What the numbers in the text stand for.
    addresses: tuple[tuple[str, str], ...] = ()
    next_page: str = ""
    unseen: tuple[str, ...] = ()
    picture: Picture | None = None
    # For a kind that is not read: its type and its size.
    media_type: str = ""
    size: int = 0


async def read_content(answer: HttpAnswer, format: Format, longest: int, most_pixels: int) -> Content:
    """Return what is in an answer, in at most so many characters. Raises RoveError for a damaged file."""
    from rove.content.pdf.document import is_pdf, read_pdf

    if is_html(answer):
        page = PageSource(await asyncio.to_thread(text_of, answer), answer.url, is_cut=answer.is_cut)
        return await asyncio.to_thread(article_content, await read_page(page), format, longest)
    if answer.media_type == "application/pdf" or (answer.media_type in UNKNOWN_TYPES and is_pdf(answer.body)):
        # The end of a PDF file says where its pages are.
        return _file(answer) if answer.is_cut else _pdf(await read_pdf(answer.body, longest=longest), longest)
    if _is_picture(answer):
        return await asyncio.to_thread(_picture, answer, most_pixels)
    return await asyncio.to_thread(_plain, answer, longest)


def _picture(answer: HttpAnswer, most_pixels: int) -> Content:
    try:
        picture = prepare_picture(_name(answer.url), answer.body, most_pixels)
    except InvalidArguments:  # it is cut or damaged, too large, or of a kind that models are not shown
        return _file(answer)
    return Content("image", "", picture=picture, media_type=picture.mime, size=len(answer.body))


def _file(answer: HttpAnswer) -> Content:
    """Return what can be told of a file that is not read."""
    kind = answer.media_type or "unknown"
    return Content("file", "", facts=(("Type", kind),), media_type=kind, size=len(answer.body), is_cut=answer.is_cut)


async def read_page(page: PageSource) -> Article:
    """Read the article of a page, in a thread, as a long page takes a while."""
    from rove.content.readable.reader import read_article

    return await asyncio.to_thread(read_article, page)


def article_content(article: Article, format: Format, longest: int) -> Content:
    """Return an article as content."""
    rendered = article.render(format, longest)
    named = {"By": article.byline, "Date": article.date, "Site": article.site, "Language": article.language}
    return Content(
        "article" if article.is_main else "page",
        rendered.text,
        article.title,
        tuple((name, value) for name, value in named.items() if value),
        rendered.is_cut,
        _addresses(article, rendered.text) if format == "markdown" else (),
        article.next_page,
        article.unseen,
    )


def _addresses(article: Article, text: str) -> tuple[tuple[str, str], ...]:
    """Return the addresses that a text refers to by number; `i3` is the third picture."""
    numbers = dict.fromkeys(_REFERENCE.findall(text))
    return tuple((number, _address(article, number)) for number in numbers)


def _address(article: Article, number: str) -> str:
    return article.images[int(number[1:]) - 1].address if number.startswith("i") else article.links[int(number) - 1]


def _plain(answer: HttpAnswer, longest: int) -> Content:
    """Return a feed, JSON or other text; of anything else, its type and its size."""
    if is_feed(answer.media_type, answer.body) and not answer.media_type.endswith("json"):
        feed = read_feed(answer.body, answer.headers.get("content-type"), answer.url)
        if feed is not None:
            return _feed(feed, longest)
    if not _is_text(answer):
        return _file(answer)
    text = text_of(answer)
    if answer.media_type.endswith("json") or (not answer.media_type and text.lstrip()[:1] in ("{", "[")):
        return _json(text, answer, longest)
    return _cut(Content("text", text, is_cut=answer.is_cut, media_type=answer.media_type), longest)


def _json(text: str, answer: HttpAnswer, longest: int) -> Content:
    data = parse_json(text)
    if (feed := read_json_feed(data, answer.url)) is not None:
        return _feed(feed, longest)
    told = text if data is None or not survives_parsing(text) else json.dumps(data, ensure_ascii=False, indent=1)
    return _cut(Content("json", told, is_cut=answer.is_cut, media_type=answer.media_type), longest)


def _feed(feed: Feed, longest: int) -> Content:
    return _cut(Content("feed", str(feed), feed.title), longest)


def _pdf(document: PdfDocument, longest: int) -> Content:
    parts = [f"## Page {page.number}\n\n{page.text}" for page in document.pages]
    facts = (("By", document.author), ("Date", document.date), ("Pages", str(document.page_count)))
    unseen = tuple(passage for page in document.pages for passage in page.unseen)
    content = Content(
        "pdf",
        "\n\n".join(parts),
        document.title,
        tuple(fact for fact in facts if fact[1]),
        bool(document.left_out) or any(page.is_cut for page in document.pages),
        unseen=unseen,
    )
    return _cut(content, longest)


def _cut(content: Content, longest: int) -> Content:
    return content if len(content.text) <= longest else replace(content, text=content.text[:longest], is_cut=True)


def _is_text(answer: HttpAnswer) -> bool:
    kind = answer.media_type
    if kind == "text/plain" and _is_binary(answer):
        return False
    if kind.startswith("text/") or kind in TEXT_TYPES or kind.endswith(("+xml", "+json", "json", "javascript")):
        return True
    return kind in UNKNOWN_TYPES and not _is_binary(answer) and _is_utf8(answer.body[:SNIFFED])


def _is_binary(answer: HttpAnswer) -> bool:
    """Whether the body begins with bytes that no text has, by which browsers tell a file from text."""
    start = answer.body[:SNIFFED]
    return not start.startswith(UTF16_MARKS) and _BINARY.search(start) is not None


def _is_utf8(data: bytes) -> bool:
    import codecs

    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _is_picture(answer: HttpAnswer) -> bool:
    if answer.media_type in UNKNOWN_TYPES:
        return answer.body.startswith(PICTURE_STARTS)
    return answer.media_type.startswith("image/") and answer.media_type != "image/svg+xml"


def _name(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2][:100] or "The image"
