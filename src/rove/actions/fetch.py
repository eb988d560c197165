"""Fetching: what is at an address, as text, over HTTP where that does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

from rove.action import BrowserUse, Effect, FetchAction, Url, WebAccess, action, arg
from rove.content.page_source import Format
from rove.fields import InvalidFields
from rove.outcome import Attachment, Name, Passage, Result, origin_in
from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.content.http.contents import Content, WebDocument
    from rove.content.pictures import Picture
    from rove.content.readable.reader import Article

MOST_UNSEEN = 20
REMOVED = "invisible characters were removed from the text."
MOST_FRAMES = 10
SHORTEST_FRAME = 200
MOST_CHARACTERS = 400_000
# Types that browsers show instead of downloading.
SHOWN_BY_TABS = ("image/", "video/", "audio/")
# Seconds that it may take besides those of every call, as it may read over HTTP and then with the browser.
MORE_SECONDS = 20.0


@dataclass(frozen=True)
class Fetched(Result):
    """What was read. `notes` say how, in rove's words; `text`, `title` and `facts` are the page's."""

    url: PageText
    status: int
    kind: Own
    text: PageText
    title: PageText = PageText("", NOWHERE)
    facts: dict[Name, PageText] = field(default_factory=dict[str, PageText])
    # What the numbers in the text stand for.
    addresses: dict[Name, PageText] = field(default_factory=dict[str, PageText])
    notes: tuple[Own, ...] = ()
    unseen: tuple[PageText, ...] = ()
    pages: int = 1
    image: Attachment | None = None
    # The texts of frames of other origins that the page shows.
    frames: tuple[PageText, ...] = ()

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return (self.image,) if self.image is not None else ()

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell how it was read, then what the page says of itself and its text, then what numbers in it mean."""
        own = origin_in(self.url)
        yield from (Passage(note) for note in self.notes)
        yield Passage("\n".join(self._heading()), own)
        if self.text:
            yield Passage(self.text, own, is_raw=True)
        for frame in self.frames:
            yield Passage("A frame of the page shows:")
            yield Passage(str(frame), frame.origin, is_raw=True)
        if self.addresses:
            yield Passage("Addresses by number:")
            yield Passage("\n".join(f"[{number}]: {address}" for number, address in self.addresses.items()), own)
        if self.unseen:
            yield Passage("Left out of this text is what a person does not see:")
            yield Passage("\n".join(self.unseen[:MOST_UNSEEN]), own, is_raw=True)

    def _heading(self) -> Iterator[str]:
        if self.title:
            yield f"Title: {_line(self.title)}"
        yield f"Address: {_line(self.url)}"
        yield from (f"{name}: {_line(value)}" for name, value in self.facts.items())


@action(Effect.NAVIGATE, observes=False, group="reading")
class WebFetch(FetchAction[Fetched]):
    """Read an address: article, PDF, feed, JSON, picture or text. Over HTTP; in the browser where a page needs one."""

    url: Url = arg("Address; https:// is assumed where no scheme is given.")
    format: Format = arg("Format of articles.", default="markdown")
    max_characters: int = arg("Most characters of text.", default=20_000, ge=200, le=MOST_CHARACTERS)
    browser: BrowserUse = arg("Use the browser where HTTP does not do (auto), never, or always.", default="auto")
    pages: int = arg("Read up to so many pages of an article that goes on.", default=1, ge=1, le=20)

    def complete(self) -> None:
        from ada_url import URL  # imported late: it takes 5 ms

        from rove.content.http.answer import LONGEST

        try:
            parsed = URL(self.url)
        except ValueError:  # of another scheme, which is not checked before
            raise InvalidFields([("url", "is not a valid address")]) from None
        if parsed.username or parsed.password:
            raise InvalidFields([("url", "must not have a user name or a password in it")])
        if len(parsed.href) > LONGEST:
            raise InvalidFields([("url", f"must not be longer than {LONGEST:,} characters")])
        # Policy, journal, request and wrapper see the address as browsers write it.
        self.__dict__["url"] = str(parsed.href)

    @property
    def destination(self) -> str | None:
        return self.url

    @property
    def takes(self) -> float:
        return MORE_SECONDS * self.pages

    def at(self, url: str) -> WebFetch:
        """Return the same action at another address, for the policy to decide on."""
        return replace(self, url=url)

    async def perform(self, web: WebAccess) -> Fetched:
        document = await web.read(self.url, self.browser)
        content, count = await self._read(web, document)
        limits = Limits(self.max_characters, web.settings.fetching.megabytes)
        fetched = replace(_fetched(document, content, count, limits), frames=await _frames(document, limits))
        removed = web.count_invisible(f"{content.title}{content.text}")
        return replace(fetched, notes=(*fetched.notes, Own(f"{removed:,} {REMOVED}"))) if removed else fetched

    async def _read(self, web: WebAccess, document: WebDocument) -> tuple[Content, int]:
        """Return what is in a document, and how many pages of it were read."""
        from rove.content.http.contents import article_content, read_content

        article = await _article(document)
        if article is not None:
            joined, count = await self._join(web, article, document.url)
            # In a thread, as a long article takes a while.
            return await asyncio.to_thread(article_content, joined, self.format, self.max_characters), count
        assert document.answer is not None
        pixels = web.settings.observing.picture
        content = await read_content(document.answer, self.format, self.max_characters, pixels)
        saved = (("File", document.file),) if document.file else ()
        return replace(content, facts=(*content.facts, *saved)), 1

    async def _join(self, web: WebAccess, first: Article, url: str) -> tuple[Article, int]:
        """Return an article with its further pages, as far as they are asked for and are on the same server."""
        from rove.content.readable.article import join_articles

        last, rest, seen = first, list["Article"](), {url}
        while len(rest) + 1 < self.pages and last.next_page not in seen and _is_same(last.next_page, url):
            seen.add(last.next_page)
            document = await web.read(last.next_page, self.browser)
            # It may have redirected to another server, whose text is not to be told as this one's.
            following = await _article(document) if _is_same(document.url, url) else None
            if following is None:
                break
            rest.append(following)
            last = following
        return (await asyncio.to_thread(join_articles, first, rest) if rest else first), len(rest) + 1


async def _article(document: WebDocument) -> Article | None:
    """Return the article of a page; None if the document is no page."""
    from rove.content.http.answer import text_of
    from rove.content.http.browser_needed import is_html
    from rove.content.http.contents import read_page
    from rove.content.page_source import PageSource

    if document.page is not None:
        return await read_page(document.page)
    answer = document.answer
    if answer is None or not is_html(answer):
        return None
    text = await asyncio.to_thread(text_of, answer)
    return await read_page(PageSource(text, answer.url, is_cut=answer.is_cut))


async def _frames(document: WebDocument, limits: Limits) -> tuple[PageText, ...]:
    """Return the texts of frames of other origins, but for those with a few words, which are mostly advertisements."""
    if document.page is None or not document.page.frames:
        return ()
    from rove.content.http.contents import read_page

    texts = [
        PageText((await read_page(frame)).render("text", limits.characters).text, frame.origin)
        for frame in document.page.frames[:MOST_FRAMES]
    ]
    return tuple(text for text in texts if len(text) >= SHORTEST_FRAME)


@dataclass(frozen=True)
class Limits:
    """How much is told: characters of text, and megabytes of an answer that are read."""

    characters: int
    megabytes: int


def _fetched(document: WebDocument, content: Content, pages: int, limits: Limits) -> Fetched:
    picture = content.picture
    image = Attachment("image", picture.mime, picture.data) if picture is not None else None
    quote = PageText("", origin_in(document.url)).around
    return Fetched(
        quote(document.url),
        document.status,
        Own(content.kind),
        quote(content.text),
        quote(content.title),
        {Own(name): quote(fact) for name, fact in content.facts},
        {Own(number): quote(address) for number, address in content.addresses},
        tuple(Own(note) for note in (*document.notes(), *_notes(document, content, pages, limits))),
        tuple(map(quote, content.unseen)),
        pages,
        image,
    )


def _notes(document: WebDocument, content: Content, pages: int, limits: Limits) -> Iterator[str]:
    """Say what was left out, and what could be done to get it."""
    if content.kind == "file":
        yield from _file_notes(document, content, limits)
        return
    if content.picture is not None:
        yield _picture_note(content.picture)
    elif not content.text and not (document.page and document.page.frames):
        yield _empty_note(document, content)
    elif content.is_cut and (reason := _cut_reason(document, content, limits)):
        yield f"Cut: {reason}."
    if pages > 1:
        yield f"{pages} pages of it were read."
    if content.next_page and pages == 1:
        yield "The article goes on on another page: `pages` reads more of them."


def _file_notes(document: WebDocument, content: Content, limits: Limits) -> Iterator[str]:
    is_larger = _is_larger(document)
    size = f"more than {content.size:,}" if content.is_cut else f"{content.size:,}"
    why = f", as it is larger than `fetching.megabytes` ({limits.megabytes})" if is_larger else ""
    yield f"It is a file that is not read ({size} bytes){why}."
    if content.media_type.startswith(SHOWN_BY_TABS):
        yield "A tab can show it."
    else:
        yield "Opening it in a tab downloads it into the workspace."


def _empty_note(document: WebDocument, content: Content) -> str:
    if content.kind == "pdf":
        return "There is no text in it: its pages may be pictures."
    return "There is no text that a person sees." if document.page else "There is no text in the answer of the server."


def _picture_note(picture: Picture) -> str:
    (width, height), shown = picture.full_size, picture.size
    scaled = f", shown at {shown[0]} x {shown[1]}" if shown != picture.full_size else ""
    return f"It is a picture, {width} x {height}{scaled}."


def _cut_reason(document: WebDocument, content: Content, limits: Limits) -> str:
    """Return which limit a text was cut at; nothing where the rest did not arrive, which is told by itself."""
    if len(content.text) >= limits.characters * 0.9:
        more = "; `max_characters` reads more" if limits.characters < MOST_CHARACTERS else ""
        return f"more than {limits.characters:,} characters{more}"
    if _is_larger(document):
        return f"the answer is larger than `fetching.megabytes` ({limits.megabytes})"
    is_whole = document.answer is None or not document.answer.missing
    return "the page has more text or elements than are read of one page" if is_whole else ""


def _is_larger(document: WebDocument) -> bool:
    """Whether more came over HTTP than is read."""
    return document.answer is not None and document.answer.is_cut and not document.answer.missing


def _is_same(address: str, url: str) -> bool:
    return bool(address) and origin_in(address) == origin_in(url)


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
