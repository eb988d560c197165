"""Snapshots as rows: read from what a frame sends, joined from several frames, and seen as a tree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import IntFlag
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

from rove.records import dataclass

# Marks the place of the ref in a line: a character that the snapshot script removes from page text.
REF_PLACE = "\x01"

HEADING = "heading"
DIALOGS = frozenset({"dialog", "alertdialog"})
# These say where something is even without a name.
LANDMARKS = frozenset({"main", "navigation", "banner", "contentinfo", "complementary", "form", "search", "region"})
GROUPS = frozenset({"iframe", "menu", "menubar", "toolbar", "tablist", "tabpanel", "tree", "article", "feed"})
# What a page announces.
MESSAGES = frozenset({"alert", "status", "log"})
PLACES = DIALOGS | LANDMARKS | GROUPS | MESSAGES
# Rows of an item in which words are looked for, and where next to a row.
ITEM_ROWS = 12
BESIDE = (-1, -2, 1, -3, 2, 3)


class Flag(IntFlag):
    """What a row is. The snapshot script sets the same bits."""

    PRESS = 1
    IN_VIEW = 2
    TEXT = 4
    STRUCTURE = 8
    UNSEEN = 16
    FOLD = 32
    FRAME = 64
    ITEM = 128
    FOCUSED = 256
    # Behind a dialog or another layer that covers the page.
    BEHIND = 512
    # The line that names that layer, above everything that is behind it.
    COVER = 1024


PRESS, IN_VIEW, TEXT, STRUCTURE, UNSEEN, FOLD, FRAME, ITEM, FOCUSED, BEHIND, COVER = (int(flag) for flag in Flag)
ALL_FLAGS = (COVER << 1) - 1


class Row(NamedTuple):
    """One line of a snapshot, before indentation."""

    depth: int
    flags: int
    ref: str
    line: str
    href: str = ""
    fold: str = ""
    box: tuple[int, int, int, int] | None = None
    # The origin of the row's frame; empty if it is the same as the page's.
    origin: str = ""


# Twice as fast as calling the class, and a page has thousands of rows.
_new_row = tuple.__new__


class Group(NamedTuple):
    """The rows of a long list or table body: where each child starts, and the ref to expand it with."""

    ref: str
    total: int
    end: int
    starts: Sequence[int]
    children: Sequence[int] | None

    def child(self, position: int) -> int:
        """Return the index, within its parent, of the child whose rows start at `starts[position]`."""
        return position if self.children is None else self.children[position]


@dataclass(frozen=True)
class Snapshot:
    """A page, or a part of it, at one moment."""

    rows: list[Row] = field(default_factory=list[Row])
    groups: list[Group] = field(default_factory=list[Group])
    frames: list[str] = field(default_factory=list[str])
    url: str = ""
    origin: str = ""
    title: str = '""'
    size: tuple[int, int] = (0, 0)
    scroll: tuple[int, int] = (0, 0)
    page_size: tuple[int, int] = (0, 0)
    stripped: int = 0
    next_ref: int = 1
    not_walked: int = 0
    cut_by_depth: int = 0
    scoped: bool = False

    @property
    def plain_title(self) -> str:
        """The title without quotes and escapes, which are those of JSON."""
        return str(json.loads(self.title)) if self.title.startswith('"') and self.title.endswith('"') else self.title

    @property
    def focused(self) -> str:
        """The ref of the element that has the focus."""
        return next((row.ref for row in self.rows if row.flags & FOCUSED), "")

    def ref_positions(self) -> dict[str, int]:
        """Return the position of the row of each ref."""
        return {row.ref: position for position, row in enumerate(self.rows) if row.ref}


def parse(data: Mapping[str, Any], prefix: str = "", *, scoped: bool = False) -> Snapshot:
    """Read what the snapshot script returned for one frame; `prefix` ("f2") is put before each of its refs."""
    return Snapshot(
        rows=_rows(data, prefix),
        groups=[_group(entry, prefix) for entry in data.get("groups", ())],
        frames=[f"{prefix}e{number}" for number in data.get("frames", ())],
        url=data.get("url", ""),
        origin=data.get("origin", ""),
        title=data.get("title", '""'),
        size=(data.get("width", 0), data.get("height", 0)),
        scroll=(data.get("scrollX", 0), data.get("scrollY", 0)),
        page_size=(data.get("pageWidth", 0), data.get("pageHeight", 0)),
        stripped=data.get("stripped", 0),
        next_ref=data.get("nextRef", 1),
        not_walked=data.get("notWalked", 0),
        cut_by_depth=data.get("cutByDepth", 0),
        scoped=scoped,
    )


def _rows(data: Mapping[str, Any], prefix: str) -> list[Row]:
    lines = data["lines"]
    if isinstance(lines, str):
        lines = lines.split("\n") if data["depths"] else []
    hrefs = _hrefs(data.get("hrefs"), len(lines))
    refs = _refs(data["refs"], f"{prefix}e")
    depths, flags = _numbers(data["depths"]), _numbers(data["flags"])
    columns = zip(depths, flags, refs, lines, hrefs, repeat(""), repeat(None), repeat(""))
    rows = list(map(_new_row, repeat(Row), columns))
    for place, (start, _) in data.get("folds", {}).items():
        row = rows[int(place)]
        rows[int(place)] = row._replace(fold=f"{row.ref}:{start}")
    boxes = data.get("boxes")
    if boxes:
        rows = [row._replace(box=tuple(box)) if box else row for row, box in zip(rows, boxes, strict=True)]
    return rows


def _refs(column: str | Sequence[int], letter: str) -> list[str]:
    if isinstance(column, str):
        return [letter + number if number != "0" else "" for number in column.split()]
    return [f"{letter}{number}" if number else "" for number in column]


def _numbers(column: str | Sequence[int]) -> Sequence[int]:
    """Read a column of numbers, which the snapshot script sends as text."""
    return list(map(int, column.split())) if isinstance(column, str) else column


def _hrefs(packed: str | Mapping[str, str] | None, count: int) -> list[str]:
    hrefs = [""] * count
    if isinstance(packed, str):
        for entry in packed.split("\n") if packed else ():
            place, _, href = entry.partition(" ")
            hrefs[int(place)] = href
    elif packed:
        for place, href in packed.items():
            hrefs[int(place)] = href
    return hrefs


def _group(entry: Mapping[str, Any], prefix: str) -> Group:
    children = entry["children"]
    return Group(
        f"{prefix}e{entry['ref']}",
        entry["total"],
        entry["end"],
        _numbers(entry["starts"]),
        None if children is None else _numbers(children),
    )


def remark(line: str) -> Snapshot:
    """Make a snapshot of one line, to stand in the place of a frame that cannot be shown."""
    return Snapshot(rows=[Row(0, STRUCTURE | IN_VIEW, "", line)])


def stitch(main: Snapshot, children: Mapping[str, Snapshot]) -> Snapshot:
    """Insert the rows of child frames below the rows of their iframes, at any depth."""
    if not any(ref in children for ref in main.frames):
        return main
    return _stitched(main, children, frozenset())


def _stitched(main: Snapshot, children: Mapping[str, Snapshot], open_refs: frozenset[str]) -> Snapshot:
    rows: list[Row] = []
    groups: list[Group] = []
    frames: list[str] = []
    # The new position of each old row, and of the end.
    moved: list[int] = []
    stripped = main.stripped
    for row in main.rows:
        moved.append(len(rows))
        rows.append(row)
        child = children.get(row.ref) if row.flags & FRAME and row.ref not in open_refs else None
        if child is None:
            continue
        inner = _stitched(child, children, open_refs | {row.ref})
        offset = len(rows)
        depth = row.depth + 1
        unseen = row.flags & (UNSEEN | BEHIND)
        in_view = IN_VIEW if row.flags & IN_VIEW else 0
        foreign = child.origin if child.origin != main.origin else ""
        rows.extend(_inside(below, depth, unseen, in_view, foreign) for below in inner.rows)
        groups.extend(_shifted(group, offset) for group in inner.groups)
        frames.extend(inner.frames)
        stripped += inner.stripped
    moved.append(len(rows))
    groups.extend(_moved(group, moved) for group in main.groups)
    return replace(main, rows=rows, groups=groups, frames=[*main.frames, *frames], stripped=stripped)


def _inside(row: Row, depth: int, unseen: int, in_view: int, origin: str) -> Row:
    # A row in view of its frame is in view of the page only if the frame is.
    flags = (row.flags & ~IN_VIEW) | (row.flags & in_view) | unseen
    line = _marked_unseen(row.line) if unseen & UNSEEN and not row.flags & UNSEEN else row.line
    return row._replace(depth=row.depth + depth, flags=flags, line=line, origin=row.origin or origin)


def of_origin(snapshot: Snapshot, origin: str) -> Snapshot:
    """Mark the rows of a snapshot with their frame's origin, unless they have one of their own."""
    return replace(snapshot, rows=[row._replace(origin=row.origin or origin) for row in snapshot.rows])


def _marked_unseen(line: str) -> str:
    if REF_PLACE in line:
        return line.replace(REF_PLACE, f" (invisible: frame){REF_PLACE}")
    return f"{line} (invisible: frame)"


def _shifted(group: Group, offset: int) -> Group:
    return group._replace(starts=[start + offset for start in group.starts], end=group.end + offset)


def _moved(group: Group, moved: Sequence[int]) -> Group:
    return group._replace(starts=[moved[start] for start in group.starts], end=moved[group.end])


def role_of(row: Row) -> str:
    """Return the first word of a line, which is the role; empty for text."""
    if row.flags & TEXT:
        return ""
    head = row.line.split(" ", 1)[0]
    return head.rstrip(REF_PLACE + ":")


class Outline:
    """Parents and headings of rows, found in one pass when they are first asked for."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows

    @cached_property
    def depths(self) -> list[int]:
        """The depth of each row; what is behind a layer is not inside of the line that says so."""
        return [row[0] if not row[1] & BEHIND else _depth(row) for row in self.rows]

    @property
    def parents(self) -> list[int]:
        """The index of the row that each is inside of; -1 for none."""
        return self._places[0]

    @property
    def _headings(self) -> list[int]:
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        parents: list[int] = []
        headings: list[int] = []
        above: list[int] = []
        open_headings: list[int] = []
        rows, depths = self.rows, self.depths
        for index, depth in enumerate(depths):
            while above and depths[above[-1]] >= depth:
                above.pop()
            while open_headings and depths[open_headings[-1]] > depth:
                open_headings.pop()
            parents.append(above[-1] if above else -1)
            headings.append(open_headings[-1] if open_headings else -1)
            if rows[index][3].startswith(HEADING) and not rows[index].flags & (TEXT | UNSEEN):
                open_headings.append(index)
            above.append(index)
        return parents, headings

    def end_of(self, index: int) -> int:
        """Return the index after the last row inside of a row."""
        depth, end = self.depths[index], index + 1
        while end < len(self.rows) and self.depths[end] > depth:
            end += 1
        return end

    def contexts_of(self, index: int) -> Iterator[int]:
        """Yield the visible rows that say where a row is, the nearest first: named ancestors, landmarks, headings."""
        parent, heading = self.parents[index], self._headings[index]
        while parent >= 0 or heading >= 0:
            if heading > parent:
                yield heading
                heading = self._headings[heading]
                continue
            if self._says_where(parent):
                yield parent
            parent = self.parents[parent]

    def _says_where(self, index: int) -> bool:
        row = self.rows[index]
        if row.flags & (TEXT | UNSEEN | COVER):
            return False
        return role_of(row) in PLACES or '"' in row.line or self.words_in(index) != ""

    def words_in(self, index: int) -> str:
        """Return the first words inside of a list item or table row that has none itself; empty for other rows."""
        if '"' in self.rows[index].line or not self.rows[index].flags & ITEM:
            return ""
        inside = self.rows[index + 1 : min(self.end_of(index), index + 1 + ITEM_ROWS)]
        # Words of a frame are told as the frame's only.
        own = [row for row in inside if row.origin == self.rows[index].origin]
        found = [row for row in own if '"' in row.line and not row.flags & UNSEEN]
        said = next((row for row in found if row.flags & TEXT), found[0] if found else None)
        return said.line.replace(REF_PLACE, "") if said else ""

    def words_beside(self, index: int) -> str:
        """Return the text next to a row that others on the page are named like; empty if none are."""
        if not self.rows[index].ref or self._names[_name(self.rows[index])] < 2:
            return ""
        depth = self.depths[index]
        for step in BESIDE:
            place = index + step
            if 0 <= place < len(self.rows) and self.depths[place] == depth and self._is_telling(self.rows[place]):
                return self.rows[place].line.replace(REF_PLACE, "")
        return ""

    def _is_telling(self, row: Row) -> bool:
        return '"' in row.line and not row.flags & UNSEEN and self._names[_name(row)] < 2

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(_name(row) for row in self.rows)

    def ordinal_of(self, index: int) -> int:
        """Return the position of a row among the siblings of its role, from 1."""
        return self._ordinals[index]

    @cached_property
    def _ordinals(self) -> list[int]:
        counts: Counter[tuple[int, str]] = Counter()
        ordinals: list[int] = []
        for index, row in enumerate(self.rows):
            place = (self.parents[index], role_of(row))
            counts[place] += 1
            ordinals.append(counts[place])
        return ordinals


def _name(row: Row) -> str:
    """Return role and name of a row, or its text."""
    return '"'.join(row.line.split('"', 2)[:2])


def _depth(row: Row) -> int:
    # What is behind a layer is indented under the line that says so, which is not a container of it.
    return row.depth - 1 if row.flags & BEHIND and not row.flags & COVER else row.depth
