"""Extraction: text, HTML and attributes of a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import AmbiguousTarget, InvalidArguments
from rove.extraction.arguments import refuse_unused
from rove.extraction.extracted import MOST_CHARACTERS, Extracted
from rove.extraction.readable import DEFAULT_CHARACTERS, MOST_PAGES, MOST_READABLE, read_readable
from rove.extraction.shown_pdf import read_pdf_of
from rove.extraction.structured import read_structured
from rove.outcome import Own, PageText
from rove.reading.formats import Format
from rove.snapshot.tree import FRAME, TEXT, UNSEEN, Row, Snapshot

if TYPE_CHECKING:
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab

MOST_UNSEEN = 100
# Seconds that one more page of an article may take.
PAGE_SECONDS = 10.0
# Text is read without roles, and without the limits that keep a snapshot of a large page fast.
TEXT_OPTIONS: dict[str, Any] = {"text": True, "maxNodes": 80_000, "maxChildren": 100_000}
_read_string = json.JSONDecoder().raw_decode


@action(Effect.READ)
class Extract(TabAction[Extracted]):
    """Read text, HTML or an attribute of an element or the page; or its main content, readable."""

    target: Target | None = arg("Which element; the page if not given.", default=None)
    mode: Literal["text", "html", "attribute", "readable", "rows", "tables", "metadata"] = arg(
        "What to read. Rows needs a `schema`; tables offers some.", default="text"
    )
    attribute: str | None = arg("Name, with mode attribute.", default=None)
    all: bool = arg("Every match, not just one.", default=False)
    structure: bool = arg("Set paragraphs apart, and mark items of lists.", default=False, rare=True)
    format: Format = arg("Of mode readable.", default="markdown", rare=True)
    pages: int = arg(
        "With mode readable: join up to so many pages of one article.", default=1, ge=1, le=MOST_PAGES, rare=True
    )
    max_characters: int = arg(
        "With mode readable: the most characters.", default=DEFAULT_CHARACTERS, ge=100, le=MOST_READABLE, rare=True
    )
    schema: dict[str, Any] | None = arg(
        "With mode rows: CSS selectors of the rows and fields, or table headers, as JSON; mode tables offers some.",
        default=None,
        rare=True,
    )
    csv: str | None = arg("With mode rows: also write all rows to this file of the workspace.", default=None, rare=True)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Reading, and loading of the further pages of an article."""
        return (Effect.READ, Effect.NAVIGATE) if self._joins_pages else super().effects

    @property
    def takes(self) -> float:
        return PAGE_SECONDS * (self.pages - 1) if self._joins_pages else 0.0

    @property
    def _joins_pages(self) -> bool:
        return self.mode == "readable" and self.pages > 1

    async def perform(self, tab: Tab) -> Extracted:
        refuse_unused(self, self.mode)
        if self.mode in ("text", "readable") and self.target is None and (document := await read_pdf_of(tab)):
            return document
        await tab.observer.wait_until_complete(False)
        if self.mode in ("rows", "tables", "metadata"):
            return await read_structured(tab, self.mode, self.schema, self.csv)
        if self.mode == "readable":
            return await read_readable(tab, self.format, self.pages, self.max_characters)
        if self.mode == "attribute" and not self.attribute:
            raise InvalidArguments("`attribute` is missing: mode attribute needs its name.")
        options: dict[str, Any] = {**TEXT_OPTIONS, "structure": self.structure}
        if self.mode == "text" and self.target is None:
            return _text_of([await tab.observer.take_snapshot(**options)], tab.url.origin)
        elements = await self._elements(tab)
        if self.mode == "text":
            seen = [await tab.observer.take_snapshot(each.ref, **options) for each in elements]
            return _text_of(seen, tab.url.origin)
        values = [await self._read(element) for element in elements]
        kept, url = _cut(values), tab.url
        note = _missing_note(self.attribute or "", values, elements)
        parts = [
            None if text is None else (whole or url).around(text) for text, whole in zip(kept, values, strict=False)
        ]
        origins = tuple(Own((whole or url).origin) for whole in values[: len(kept)])
        is_foreign = any(origin != url.origin for origin in origins)
        return Extracted(tuple(parts), kept != values, note=note, origins=origins if is_foreign else ())

    async def _read(self, element: Element) -> PageText | None:
        return await element.read_attribute(self.attribute) if self.attribute else await element.read_html()

    async def _elements(self, tab: Tab) -> Sequence[Element]:
        if self.target is not None:
            return await tab.resolve_all(self.target) if self.all else [await self._element(tab, self.target)]
        # The first match is the page itself; the others are its frames.
        return (await tab.resolve_all("html"))[:1]

    async def _element(self, tab: Tab, target: str) -> Element:
        try:
            return await tab.resolve(target)
        except AmbiguousTarget as error:
            error.hint = "Pass all=true, or the ref of one."
            raise


def _missing_note(name: str, values: Sequence[str | None], elements: Sequence[Element]) -> Own:
    """Say that elements do not have an attribute; empty if all of them have it."""
    missing = sum(value is None for value in values)
    if not missing:
        return Own("")
    if len(values) == 1:
        return Own(f"{elements[0].ref} has no attribute {name!r}.")
    return Own(f"{missing} of {len(values)} elements have no attribute {name!r}.")


def _text_of(snapshots: Sequence[Snapshot], page: str) -> Extracted:
    """Return the text of each snapshot that was taken without roles; that of frames of another origin by itself."""
    texts = [text for snapshot in snapshots for text in _texts(snapshot)]
    unseen = [row for snapshot in snapshots for row in snapshot.rows if row.flags & UNSEEN and row.flags & TEXT]
    kept = _cut([text for _, text in texts])
    told = _whole([row.line for row in unseen[:MOST_UNSEEN]])
    origins = [*(origin for origin, _ in texts[: len(kept)]), *(row.origin for row in unseen[: len(told)])]
    is_cut = kept != [text for _, text in texts] or any(snapshot.not_walked for snapshot in snapshots)
    return Extracted(
        tuple(
            None if text is None else PageText(text, origin or page)
            for text, (origin, _) in zip(kept, texts, strict=False)
        ),
        is_cut,
        tuple(PageText(line, row.origin or page) for line, row in zip(told, unseen, strict=False)),
        len(unseen),
        tuple(map(Own, origins)) if any(origins) else (),
    )


def _texts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return the visible text of a snapshot, in parts of one origin each; empty text if there is none."""
    shown = [row for row in snapshot.rows if not row.flags & (UNSEEN | FRAME)]
    by_origin = groupby(shown, key=lambda row: row.origin)
    parts = [(origin, "\n".join(map(_shown_text, rows)).rstrip("\n")) for origin, rows in by_origin]
    return parts or [("", "")]


def _shown_text(row: Row) -> str:
    # What stands for a frame that could not be read is a line of rove's, not quoted text.
    return str(_read_string(row.line)[0]) if row.flags & TEXT else row.line


def _whole(lines: Sequence[str]) -> list[str]:
    """Return the first lines that have room; each with its mark, which is at its end."""
    room = MOST_CHARACTERS - sum(map(len, lines[:1]))
    kept = list(lines[:1])
    for line in lines[1:]:
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return kept


def _cut(values: Sequence[str | None]) -> list[str | None]:
    """Return the values that have room, of which the last may be cut."""
    room, kept = MOST_CHARACTERS, list[str | None]()
    for value in values:
        if room <= 0:
            break
        kept.append(value if value is None else value[:room])
        room -= len(value or "")
    return kept
