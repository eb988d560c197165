"""Readable text: the main content of the page in a tab, with its facts, and links by number."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from rove.extraction.extracted import Extracted
from rove.extraction.foreign_frames import Part, render_parts
from rove.outcome import NOWHERE, Name, Own, PageText, Passage
from rove.reading.formats import Format
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.reading.article import Article
    from rove.reading.page_source import PageSource

DEFAULT_CHARACTERS = 100_000
MOST_READABLE = 2_000_000
MOST_PAGES = 50
MOST_UNSEEN = 100
# The most characters of addresses that are listed after the text.
LONGEST_LIST = 20_000
NO_TEXT = PageText("", NOWHERE)


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
        from rove.extraction.next_pages import read_next_pages

        joined = await read_next_pages(tab, article, pages)
        article, read = joined.article, joined.pages
        notes += joined.notes
    parts = await asyncio.to_thread(render_parts, article, source.frames, format, longest)
    return _result(article, parts, _Around(source, tuple(dict.fromkeys(notes)), read), tab.url.origin)


def _read(source: PageSource) -> Article:
    from rove.reading.article import read_article  # only when first used

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
