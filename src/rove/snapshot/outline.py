"""The rows of a snapshot as a tree: what a row is inside of, under which heading, and as which of its siblings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from rove.snapshot.tree import BEHIND, COVER, ITEM, REF_PLACE, TEXT, UNSEEN, Row

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
