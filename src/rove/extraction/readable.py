"""Readable text: the main content of the page in a tab, with its facts, and links by number."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.extraction.extracted import Extracted
from rove.outcome import Own, Passage
from rove.reading.formats import Format
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab
    from rove.reading.article import Article, Rendered
    from rove.reading.page_source import PageSource

DEFAULT_CHARACTERS = 100_000
MOST_READABLE = 2_000_000
MOST_PAGES = 50
MOST_UNSEEN = 100
# Addresses that are listed after the text, in characters.
LONGEST_LIST = 20_000
_REFERENCE = re.compile(r"(?<!\\)\]\[(i?\d+)\]")


@dataclass(frozen=True)
class ReadableText(Extracted):
    """The main content of a page. Number n in Markdown stands for the address `links[n - 1]`, `i3` for `images[2]`."""

    title: str = ""
    byline: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    links: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    is_main: bool = True

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the facts and the text as the page's, what rove says of them beside that, and the addresses by number."""
        facts = [f"{name}: {fact}" for name, fact in self._facts() if fact]
        if facts:
            yield Passage("\n".join(facts), origin)
        if not self.is_main:
            yield Passage("No main content was found: this is all text of the page.")
        yield from super().passages(origin)
        if listed := self._addresses():
            yield Passage("Addresses by number:")
            yield Passage("\n".join(listed), origin)

    @property
    def cut_note(self) -> str:
        return f"[cut at {len(self.content[0] or '')} characters; max_characters sets how many are told]"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("Title", self.title),
            ("By", self.byline),
            ("Date", self.date),
            ("Site", self.site),
            ("Language", self.language),
        ]

    def _addresses(self) -> list[str]:
        """Return the addresses that the text refers to."""
        numbers = dict.fromkeys(_REFERENCE.findall(self.content[0] or ""))
        return [f"[{number}]: {self._address(number)}" for number in numbers]

    def _address(self, number: str) -> str:
        return self.images[int(number[1:]) - 1] if number.startswith("i") else self.links[int(number) - 1]


async def read_readable(tab: Tab, format: Format, pages: int, longest: int) -> ReadableText:
    """Read the main content of the page in a tab."""
    source = await tab.page_source()
    article = await asyncio.to_thread(_read, source)
    rendered = await asyncio.to_thread(article.render, format, longest)
    return _result(article, rendered, format, source)


def _read(source: PageSource) -> Article:
    from rove.reading.article import read_article  # only when first used

    return read_article(source)


def _result(article: Article, rendered: Rendered, format: Format, source: PageSource) -> ReadableText:
    return ReadableText(
        (rendered.text,),
        rendered.is_cut,
        article.unseen[:MOST_UNSEEN],
        len(article.unseen),
        note=Own("\n".join(source.notes)),
        title=article.title,
        byline=article.byline,
        date=article.date,
        site=article.site,
        language=article.language,
        links=article.links if format == "markdown" else (),
        images=tuple(image.address for image in article.images) if format == "markdown" else (),
        is_main=article.is_main,
    )
