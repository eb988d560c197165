"""Snapshots as rows: read from what a frame sends, and joined from several frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import IntFlag
from itertools import repeat
from typing import Any, NamedTuple

from rove.validation.record import dataclass

# Marks the place of the ref in a line: a character that the snapshot script removes from page text.
REF_PLACE = "\x01"


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
