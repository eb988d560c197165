"""Readable text for `extract`: the main content of a page, of its frames and of the next pages of an article."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from typing import TYPE_CHECKING

from rove.content.page_source import Format, PageSource
from rove.errors import RoveError
from rove.outcome import Name, Passage, Result, origin_in
from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.content.readable.reader import Article, Rendered

MOST_CHARACTERS = 10_000
NOTHING = "There is no text that a person sees."

# A frame of another origin with less text than this is left out: most such frames are advertisements.
SHORTEST_FRAME = 200

# Seconds that one more page may take until it is parsed, and then until it is quiet.
LOAD_SECONDS = 8.0
SETTLE_SECONDS = 5.0
# Seconds that are kept to return to the first page, and to tell what was read.
KEPT_SECONDS = 3.0
FIRST_ERROR_STATUS = 400
BACK = "The next pages were loaded in this tab, which is back at the first page: it was loaded again."
DEFAULT_CHARACTERS = 100_000
MOST_READABLE = 2_000_000
MOST_PAGES = 50
MOST_UNSEEN = 100
# The most characters of addresses that are listed after the text.
LONGEST_LIST = 20_000
NO_TEXT = PageText("", NOWHERE)


@dataclass(frozen=True)
class Extracted(Result):
    content: tuple[PageText | None, ...]
    is_cut: bool = False
    # The parts of the text that a person looking at the page would not see, and how many there are in all.
    unseen: tuple[PageText, ...] = ()
    unseen_count: int = 0
    # Where each of `content` and then of `unseen` is from, if not all of it is from the page itself.
    origins: tuple[Own, ...] = ()
    # Says that elements do not have the attribute that was asked for.
    note: Own = Own("")

    def __str__(self) -> str:
        cut = [self.cut_note] if self.is_cut else []
        return "\n".join([*("null" if value is None else value for value in self.content), *cut])

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell what was read, then, outside of the page's own text, what was left out as a person does not see it."""
        if self.note:
            yield Passage(self.note)
        if all(value is None for value in self.content):
            return
        if str(self):
            yield from self._by_origin(self.content, 0, origin, is_raw=True)
        else:
            yield Passage(self.nothing_note)
        if self.is_cut:
            yield Passage(self.cut_note)
        if self.unseen_count:
            yield Passage(f"Left out of this text is what a person does not see{self._unseen_number()}:")
            yield from self._by_origin(self.unseen, len(self.content), origin, is_raw=False)

    @property
    def nothing_note(self) -> str:
        """What is said where no text was found."""
        return NOTHING

    @property
    def cut_note(self) -> str:
        """What is said where there is more than was read."""
        return f"[cut at {MOST_CHARACTERS} characters]"

    def _unseen_number(self) -> str:
        shown = len(self.unseen)
        parts = "1 part" if self.unseen_count == 1 else f"{self.unseen_count} parts"
        return f" ({parts})" if shown == self.unseen_count else f" ({parts}, of which these are the first {shown})"

    def _by_origin(self, values: Sequence[str | None], start: int, page: str, *, is_raw: bool) -> Iterator[Passage]:
        origins = self.origins[start:] or ("",) * len(values)
        for origin, group in groupby(zip(origins, values, strict=False), key=lambda pair: pair[0]):
            text = "\n".join("null" if value is None else value for _, value in group)
            yield Passage(text, origin or page, is_raw=is_raw)


@dataclass(frozen=True)
class Part:
    """The text of a page or of a frame, and the addresses that its numbers stand for."""

    # Empty for the page itself.
    origin: str
    text: str
    is_cut: bool
    addresses: dict[str, str]


def render_parts(page: Article, frames: Iterable[PageSource], format: Format, longest: int) -> list[Part]:
    """Render a page and its frames with one count of links, in at most so many characters together."""
    from rove.content.readable.reader import continue_numbers

    rendered = page.render(format, longest)
    parts, room, last = [_part("", page, rendered)], longest - len(rendered.text), page
    for origin, article in _read_frames(frames):
        last = continue_numbers(last, article)
        rendered = last.render(format, room)
        parts.append(_part(origin, last, rendered))
        room -= len(rendered.text)
    return parts


def _read_frames(frames: Iterable[PageSource]) -> Sequence[tuple[str, Article]]:
    """Return origin and content of each frame that has more than a few words."""
    from rove.content.readable.blocks import text_length
    from rove.content.readable.reader import read_article

    articles = [(frame.origin, read_article(frame)) for frame in frames]
    return [(origin, article) for origin, article in articles if text_length(article.blocks) >= SHORTEST_FRAME]


def _part(origin: str, article: Article, rendered: Rendered) -> Part:
    return Part(origin, rendered.text, rendered.is_cut, _addresses_in(article, rendered))


def _addresses_in(article: Article, rendered: Rendered) -> dict[str, str]:
    """Return the addresses of the links and images that a text refers to by number."""
    if not rendered.is_numbered:
        return {}
    links = {str(number): article.links[number - 1] for number in rendered.links}
    return {**links, **{f"i{number}": article.images[number - 1].address for number in rendered.images}}


@dataclass(frozen=True)
class JoinedPages:
    """An article of several pages, how many there are in it, and what rove says of them."""

    article: Article
    pages: int
    notes: tuple[str, ...]


async def read_next_pages(tab: Tab, first: Article, most: int) -> JoinedPages:
    """Read the pages after the first, as long as they are of the same origin; leave the tab at the first."""
    from rove.content.readable.article import join_articles

    start = tab.url
    articles, notes = [first], list[str]()
    try:
        notes += await _read_on(tab, articles, most)
    finally:
        notes += await _return(tab, start)
    joined = await asyncio.to_thread(join_articles, first, articles[1:])
    return JoinedPages(joined, len(articles), tuple(notes))


async def _read_on(tab: Tab, articles: list[Article], most: int) -> list[str]:
    """Add the articles of the next pages to the list; return why it stops early."""
    from rove.content.readable.reader import read_article

    origin, visited = origin_in(tab.url), {str(tab.url)}
    while len(articles) < most and (address := articles[-1].next_page) and address not in visited:
        number = len(articles) + 1
        visited.add(address)
        try:
            await _load(tab, address)
            if reason := _refusal(tab, origin, visited - {address}):
                return [f"Page {number} {reason}, and was not read."]
            articles.append(await asyncio.to_thread(read_article, await tab.page_source()))
        # What was read before is told all the same.
        except TimeoutError:
            return [f"Page {number} did not answer in time, and was not read."]
        except RoveError as error:
            return [f"Page {number} could not be read ({error.code})."]
    return []


def _refusal(tab: Tab, origin: str, visited: set[str]) -> str:
    """Return why the page in a tab is no page of the article; "" if it may be one."""
    if origin_in(tab.url) != origin or tab.url in visited:
        return "led elsewhere"
    status = tab.page.status or 0
    return f"is an error page (HTTP {status})" if status >= FIRST_ERROR_STATUS else ""


async def _load(tab: Tab, address: str) -> None:
    began = time.monotonic()
    async with asyncio.timeout(min(LOAD_SECONDS, tab.page.time.left - KEPT_SECONDS)):
        await tab.navigate(address)
    parsed = time.monotonic()
    await tab.observer.wait_until_quiet(False, began, parsed + min(SETTLE_SECONDS, tab.page.time.left - KEPT_SECONDS))


async def _return(tab: Tab, start: str) -> list[str]:
    """Go back to the page that was read first, if the tab has left it; return what is to be said of that."""
    if tab.url == start:
        return []
    try:
        await tab.navigate(start)
    except RoveError as error:
        return [f"The tab is not at the first page any more, which could not be loaded again ({error.code})."]
    return [BACK]


@dataclass(frozen=True)
class ReadableText(Extracted):
    """The main content of a page. Numbers in Markdown stand for `addresses`: "3" for a link, "i2" for an image."""

    title: PageText = NO_TEXT
    byline: PageText = NO_TEXT
    date: PageText = NO_TEXT
    site: PageText = NO_TEXT
    language: PageText = NO_TEXT
    addresses: Mapping[Name, PageText] = field(default_factory=dict[str, PageText])
    # Of those addresses, the ones that only a frame of another origin gives, with that origin.
    address_origins: Mapping[Name, Own] = field(default_factory=dict[str, Own])
    # Whether the main content was found. If not, this is all text of the page.
    is_main: bool = True
    # How many pages of the article were joined.
    pages: int = 1

    @property
    def nothing_note(self) -> str:
        return "No text was found outside of fields, their values and pictures: a snapshot shows those."

    @property
    def cut_note(self) -> str:
        length = sum(len(text or "") for text in self.content)
        return f"[cut at {length} characters; max_characters sets how many are told]"

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell facts and text as the page's, what rove says of them beside that, and addresses by number."""
        if facts := self._facts():
            yield Passage(facts, origin)
        if not self.is_main and self.content[0]:
            yield Passage("No main content was found: this is all text of the page.")
        yield from super().passages(origin)
        yield from self._address_passages(origin)

    def _facts(self) -> str:
        facts = {
            "Title": self.title,
            "By": self.byline,
            "Date": self.date,
            "Site": self.site,
            "Language": self.language,
        }
        return "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact)

    def _address_passages(self, origin: str) -> Iterator[Passage]:
        lines, room = list[tuple[str, str]](), LONGEST_LIST
        for number, address in self.addresses.items():
            lines.append((self.address_origins.get(number, origin), f"[{number}]: {address}"))
            room -= len(lines[-1][1]) + 1
            if room < 0:
                break
        if lines:
            left_out = len(self.addresses) - len(lines)
            yield Passage(f"Addresses by number{f' ({left_out} more are left out)' if left_out else ''}:")
            yield from (Passage(line, author) for author, line in lines)


async def read_readable(tab: Tab, format: Format, pages: int, longest: int) -> ReadableText:
    """Read the main content of the page in a tab, with up to so many pages of the same article."""
    source = await tab.page_source()
    article = await asyncio.to_thread(_read, source)
    read, notes = 1, list(source.notes)
    if pages > 1 and article.next_page:
        joined = await read_next_pages(tab, article, pages)
        article, read = joined.article, joined.pages
        notes += joined.notes
    parts = await asyncio.to_thread(render_parts, article, source.frames, format, longest)
    return _result(article, parts, _Around(source, tuple(dict.fromkeys(notes)), read), tab.url.origin)


def _read(source: PageSource) -> Article:
    from rove.content.readable.reader import read_article  # only when first used

    return read_article(source)


@dataclass(frozen=True)
class _Around:
    """What is told beside an article: hidden text of frames, notes, and the number of pages."""

    source: PageSource
    notes: tuple[str, ...]
    pages: int

    @property
    def unseen(self) -> list[tuple[str, str]]:
        """Origin and line of what a person does not see in frames of other origins."""
        return [(frame.origin, line) for frame in self.source.frames for line in frame.unseen]


def _result(article: Article, parts: Sequence[Part], around: _Around, page: str) -> ReadableText:
    quote, origins = PageText("", page).around, _address_origins(parts)
    unseen = [*(("", line) for line in article.unseen), *around.unseen]
    told = [(origin, line[:1000]) for origin, line in unseen[:MOST_UNSEEN]]
    return ReadableText(
        tuple(PageText(part.text, part.origin or page) for part in parts),
        any(part.is_cut for part in parts),
        tuple(PageText(line, origin or page) for origin, line in told),
        len(unseen),
        (*(Own(part.origin) for part in parts), *(Own(origin) for origin, _ in told)),
        Own("\n".join(around.notes)),
        title=quote(article.title),
        byline=quote(article.byline),
        date=quote(article.date),
        site=quote(article.site),
        language=quote(article.language),
        addresses=_addresses(parts, origins, page),
        address_origins=origins,
        is_main=article.is_main,
        pages=around.pages,
    )


def _addresses(parts: Sequence[Part], origins: Mapping[str, Own], page: str) -> dict[str, PageText]:
    every = [(Own(number), address) for part in parts for number, address in part.addresses.items()]
    return {number: PageText(address, origins.get(number, page)) for number, address in every}


def _address_origins(parts: Sequence[Part]) -> dict[str, Own]:
    """Return the origin of each number that the page itself does not give."""
    page, *frames = parts
    # The first frame that gives an address counts, so the others are read before it.
    given = {number: frame.origin for frame in reversed(frames) for number in frame.addresses}
    return {Own(number): Own(origin) for number, origin in given.items() if number not in page.addresses}
