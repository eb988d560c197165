"""Data of the page in a tab: rows by a schema, the tables and lists that it has, and its metadata."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from rove.errors import InvalidArguments
from rove.extraction.extracted import MOST_CHARACTERS, Extracted
from rove.outcome import Own, PageText, Passage, quoted
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.reading.page_source import PageSource
    from rove.reading.structured.offers import Offer
    from rove.reading.structured.rows import RowSet

DataMode = Literal["rows", "tables", "metadata"]
# Rows that a program is given; a file has all of them.
MOST_ROWS = 2_000
FOLDER = "output"
READ_ONE = "To read one of these, call with mode=rows and its schema."
NO_OFFER = "The page has no table and no list."
NOT_SEEN = "This is what the page says of itself to programs; a person does not see it."
NO_METADATA = "The page has no metadata."
APOSTROPHE = "texts that a spreadsheet would take for a formula have an apostrophe before them"


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
    from rove.reading.structured.offers import offers_of
    from rove.reading.structured.page import pages_of
    from rove.reading.structured.rows import read_rows
    from rove.reading.structured.schema import TableSchema, parse_schema
    from rove.reading.structured.table_rows import read_table_rows

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
    from rove.reading.structured.csv_text import csv_text

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
    from rove.reading.structured.offers import offers_of
    from rove.reading.structured.page import pages_of

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
    from rove.reading.structured.metadata import metadata_of
    from rove.reading.structured.page import Page

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
