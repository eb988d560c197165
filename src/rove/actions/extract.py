"""Extraction: text, HTML and attributes of a page, its readable text, its data, and the PDF that it shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from rove.action import AnyAction, Effect, TabAction, Target, action, arg
from rove.actions.readable_text import (
    DEFAULT_CHARACTERS,
    MOST_CHARACTERS,
    MOST_PAGES,
    MOST_READABLE,
    Extracted,
    read_readable,
)
from rove.browser.documents import read_shown
from rove.content.page_source import Format, PageSource
from rove.content.pdf.report import PdfRead
from rove.errors import AmbiguousTarget, InvalidArguments
from rove.outcome import Passage, quoted
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.snapshot.tree import FRAME, TEXT, UNSEEN, Row, Snapshot
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab
    from rove.content.structured.offers import Offer
    from rove.content.structured.rows import RowSet

_OF_ELEMENTS = ("text", "html", "attribute")
MODES_OF = {
    "target": _OF_ELEMENTS,
    "all": _OF_ELEMENTS,
    "attribute": ("attribute",),
    "format": ("readable",),
    "pages": ("readable",),
    "max_characters": ("readable",),
    "schema": ("rows",),
    "csv": ("rows",),
}
DataMode = Literal["rows", "tables", "metadata"]
# Rows that a program is given; a file has all of them.
MOST_ROWS = 2_000
FOLDER = "output"
READ_ONE = "To read one of these, call with mode=rows and its schema."
NO_OFFER = "The page has no table and no list."
NOT_SEEN = "This is what the page says of itself to programs; a person does not see it."
NO_METADATA = "The page has no metadata."
APOSTROPHE = "texts that a spreadsheet would take for a formula have an apostrophe before them"
MOST_UNSEEN = 100
# Seconds that one more page of an article may take.
PAGE_SECONDS = 10.0
# Text is read without roles, and without the limits that keep a snapshot of a large page fast.
TEXT_OPTIONS: dict[str, Any] = {"text": True, "maxNodes": 80_000, "maxChildren": 100_000}
_read_string = json.JSONDecoder().raw_decode


def refuse_unused(action: AnyAction, mode: str) -> None:
    """Raise InvalidArguments if an argument is given that the mode does not use."""
    for field in fields(action):  # type: ignore[arg-type]
        modes = MODES_OF.get(field.name)
        if modes is None or mode in modes or field.default is MISSING:
            continue
        if getattr(action, field.name) != field.default:
            raise InvalidArguments(f"`{field.name}` is not for mode {mode}, but for {' or '.join(modes)}.")


@dataclass(frozen=True)
class PdfText(Extracted):
    """The text of each page, and what else was read of the document."""

    document: PdfRead | None = None

    def passages(self, origin: str) -> Iterator[Passage]:
        return self.document.passages(origin) if self.document is not None else super().passages(origin)


async def read_pdf_of(tab: Tab) -> PdfText | None:
    """Read the PDF that a tab shows; None if it shows none."""
    document = await read_shown(tab)
    if document is None:
        return None
    return PdfText(tuple(page.text for page in document.pages), bool(document.left_out), document=document)


@dataclass(frozen=True)
class StructuredData(Extracted):
    """Rows, offers or metadata; `content` is the same as JSON, one row or offer on each line, as far as it has room."""

    rows: tuple[dict[Any, Any], ...] = ()
    # How many there are on the page, of which `rows` are the first.
    total: int = 0
    metadata: dict[Any, Any] | None = None
    # The tables and lists that the page has, each with the schema that reads it.
    offers: tuple[dict[Any, Any], ...] = ()
    csv: Own = Own("")
    # What rove says after the data.
    closing: Own = Own("")

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the data as the page's words, and what there is to know of them as rove's."""
        if self.note:
            yield Passage(self.note)
        if any(self.content):
            yield from self._by_origin(self.content, 0, origin, is_raw=True)
        if self.is_cut:
            yield Passage(self.cut_note)
        if self.closing:
            yield Passage(self.closing)

    @property
    def cut_note(self) -> str:
        total = self.total or len(self.offers)
        return f"[cut: {len(self.content)} of {total} are shown]" if total else "[cut: the page has more]"


async def read_structured(
    tab: Tab, mode: DataMode, schema: Mapping[str, Any] | None, csv: str | None
) -> StructuredData:
    """Read data of the page in a tab. Raises InvalidArguments if the schema, or the path of the file, is not valid."""
    if mode == "rows" and not schema:
        hint = "Call with mode=tables first: it lists what the page has, each with the schema that reads it."
        raise InvalidArguments("`schema` is missing: mode rows needs it.", hint=hint)
    if csv is not None and mode != "rows":
        raise InvalidArguments("`csv` is for mode rows.")
    source = await tab.page_source()
    if mode == "rows":
        return await _rows(tab, source, schema or {}, csv)
    return await asyncio.to_thread(_offers if mode == "tables" else _metadata, source, tab.url.origin)


async def _rows(tab: Tab, source: PageSource, schema: Mapping[str, Any], csv: str | None) -> StructuredData:
    found, offers = await asyncio.to_thread(_read_rows, source, schema)
    if found is None or not found.rows:
        return _told_offers(offers, [_nothing(schema)], source, tab.url.origin)
    path = await _save(tab, found, csv) if csv is not None else Own("")
    texts = [json.dumps(row, ensure_ascii=False) for row in found.rows]
    kept = _fitting(texts)
    return StructuredData(
        tuple(PageText(text, found.origin or tab.url.origin) for text in kept),
        is_cut=len(kept) < len(texts),
        origins=(Own(found.origin),) * len(kept) if found.origin else (),
        note=Own("\n".join([*_row_notes(found), *source.notes])),
        rows=quoted(found.rows[:MOST_ROWS], found.origin or tab.url.origin),
        total=len(found.rows),
        csv=path,
        closing=Own(_closing(found, path, source)),
    )


def _read_rows(source: PageSource, schema: Mapping[str, Any]) -> tuple[RowSet | None, list[Offer]]:
    """Return the rows and, if there are none, what the page offers instead."""
    # Only when first used: parsing HTML takes as long to import as all else.
    from rove.content.structured.offers import offers_of
    from rove.content.structured.page import pages_of
    from rove.content.structured.rows import TableSchema, parse_schema, read_rows
    from rove.content.structured.tables import read_table_rows

    parsed, pages = parse_schema(schema), pages_of(source)
    found = read_table_rows(pages, parsed) if isinstance(parsed, TableSchema) else read_rows(pages, parsed)
    return found, [] if found is not None and found.rows else offers_of(pages)


def _row_notes(found: RowSet) -> Iterator[str]:
    count = len(found.rows)
    yield f"{count} row{'' if count == 1 else 's'}."
    if found.missing:
        yield f"In no row was there anything for: {', '.join(found.missing)}."
    for name, number, _ in found.unconverted:
        yield f"{number} of the values of {name} are not of its type, and are null."
    if found.claimed:
        yield (
            f"The table says that it has {found.claimed} rows. Those that are not in the page now can be read after "
            "scrolling in it, or on its next page."
        )
    if found.is_cut:
        yield "The page is larger than what was read of it: there may be more rows."


def _closing(found: RowSet, path: str, source: PageSource) -> str:
    written = f"All {len(found.rows)} rows are in {path}; {APOSTROPHE}." if path else ""
    return " ".join(part for part in (written, _unseen_note(source)) if part)


def _unseen_note(source: PageSource) -> str:
    count = len(source.unseen)
    return f"Left out is text of the page that a person does not see ({count} part{'s'[: count > 1]})." if count else ""


def _nothing(schema: Mapping[str, Any]) -> str:
    """Say what of a schema matches nothing."""
    if "table" not in schema:
        return f"Nothing on the page matches {json.dumps(schema.get('rows', ''), ensure_ascii=False)}."
    return f"No table of the page fits {json.dumps(schema['table'], ensure_ascii=False)}."


async def _save(tab: Tab, found: RowSet, csv: str) -> Own:
    from rove.content.structured.rows import csv_text

    workspace, given = Workspace(tab.settings.workspace_folder), PurePosixPath(csv)
    if not workspace.names(csv):
        raise InvalidArguments(
            f"`csv`: {csv} is no path in the workspace {workspace.root}.", hint="Write one such as output/rows.csv."
        )
    name = given.name if given.suffix.lower() == ".csv" else f"{given.name}.csv"
    folder = str(given.parent) if str(given.parent) != "." else FOLDER
    text = tab.redact(await asyncio.to_thread(csv_text, found.columns, found.rows))
    return Own(await workspace.save(folder, name, text.encode("utf-8", "replace")))


def _offers(source: PageSource, page: str) -> StructuredData:
    from rove.content.structured.offers import offers_of
    from rove.content.structured.page import pages_of

    return _told_offers(offers_of(pages_of(source)), [], source, page)


def _told_offers(offers: Sequence[Offer], notes: Sequence[str], source: PageSource, page: str) -> StructuredData:
    facts = tuple(_offer_facts(offer) for offer in offers)
    texts = [json.dumps(each, ensure_ascii=False) for each in facts]
    kept = _fitting(texts)
    heading = "The page has:" if offers else NO_OFFER
    return StructuredData(
        tuple(PageText(text, offer.origin or page) for text, offer in zip(kept, offers, strict=False)),
        is_cut=len(kept) < len(texts),
        origins=tuple(Own(offer.origin) for offer in offers[: len(kept)]) if any(o.origin for o in offers) else (),
        note=Own("\n".join([*notes, *source.notes, heading])),
        offers=tuple(quoted(fact, offer.origin or page) for fact, offer in zip(facts, offers, strict=True)),
        closing=Own(READ_ONE if offers else ""),
    )


def _offer_facts(offer: Offer) -> dict[str, Any]:
    caption = {"caption": offer.caption} if offer.caption else {}
    return {"kind": offer.kind, **caption, "rows": offer.rows, "schema": offer.schema, "first_row": offer.sample}


def _metadata(source: PageSource, page: str) -> StructuredData:
    from rove.content.structured.page import Page, metadata_of

    found = metadata_of(Page(source))
    kept = _fitting([json.dumps({name: value}, ensure_ascii=False) for name, value in found.items()])
    is_cut = len(kept) < len(found) or sum(map(len, kept)) >= MOST_CHARACTERS
    return StructuredData(
        tuple(PageText(text, page) for text in kept),
        is_cut=is_cut,
        note=Own(NOT_SEEN if found else NO_METADATA),
        metadata=quoted(found, page),
        total=0,
    )


def _fitting(texts: Sequence[str]) -> list[str]:
    """Return the first texts that have room; at least one, which may be cut."""
    kept: list[str] = []
    room = MOST_CHARACTERS
    for text in texts:
        if kept and len(text) > room:
            break
        kept.append(text[:MOST_CHARACTERS])
        room -= len(text)
    return kept


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
