"""A snapshot as text within a token budget, without losing control of the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rove.snapshot.text import indented, is_actionable, line_of
from rove.snapshot.tokens import estimate
from rove.snapshot.tree import FOLD, FRAME, IN_VIEW, PRESS, STRUCTURE, TEXT, Row, Snapshot

# Prose this long is cut before anything that can be pressed is left out.
LONG_TEXT = 280
GROUP_HEAD = 5
# An item of more rows than this is not kept or left out as a whole.
ITEM_ROWS = 12
SHARE_FOR_GAPS = 0.05
ENOUGH = 0.88
TOKENS_PER_CHARACTER = 0.33


@dataclass(frozen=True)
class Rendered:
    """Text for a model, its estimated cost, and what it leaves out."""

    text: str
    tokens: int
    folded: int = 0
    folded_actionable: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every row is in the text."""
        return self.folded == 0


def render(snapshot: Snapshot, budget: int | None = None, *, links: bool = False, after: str = "") -> Rendered:
    """The snapshot as text of at most `budget` tokens; `after` continues below the row of that ref."""
    start = _start(snapshot, after)
    rows = snapshot.rows[start:] if start else snapshot.rows
    lines = [line_of(row, links=links) for row in rows]
    notes = _notes(snapshot)
    if budget is None:
        return _whole(rows, lines, notes)
    # A quick bound first: the exact estimate of a text far over budget would be wasted.
    if sum(map(len, lines)) < budget * 8:
        whole = _whole(rows, lines, notes)
        if whole.tokens <= budget:
            return whole
    return _fitted(snapshot, start, lines, notes, budget)


def _start(snapshot: Snapshot, after: str) -> int:
    if not after:
        return 0
    return snapshot.ref_positions().get(after, -1) + 1


def _notes(snapshot: Snapshot) -> list[str]:
    notes: list[str] = []
    if snapshot.not_walked:
        notes.append(f"(page too large: {snapshot.not_walked:,} more elements not read; use find or a target)")
    if snapshot.cut_by_depth:
        notes.append(f"({snapshot.cut_by_depth:,} deeper lines left out)")
    if snapshot.stripped:
        notes.append(f"({snapshot.stripped:,} invisible characters removed)")
    return notes


def _whole(rows: Sequence[Row], lines: Sequence[str], notes: Sequence[str]) -> Rendered:
    text = "\n".join([*map(indented, rows, lines), *notes])
    return Rendered(text, estimate(text))


def _fitted(snapshot: Snapshot, start: int, lines: list[str], notes: list[str], budget: int) -> Rendered:
    rows = snapshot.rows[start:]
    short = [_shortened(row, line) for row, line in zip(rows, lines, strict=True)]
    plan = _Plan(snapshot, start, rows, short)
    room = budget - sum(estimate(note) + 1 for note in notes) - 30
    best: Rendered | None = None
    for _ in range(6):
        rendered = plan.cut(room, notes)
        fits = rendered.tokens <= budget
        if fits and (best is None or rendered.tokens > best.tokens):
            best = rendered
        # Costs are summed row by row and come out high: a text well under its budget has room for more.
        if fits and (rendered.tokens > budget * ENOUGH or best is not rendered):
            break
        room = int(room * min(1.5, budget * 0.96 / max(rendered.tokens, 1)))
    return best or plan.cut(0, notes)


def _shortened(row: Row, line: str) -> str:
    if not row.flags & TEXT or len(line) <= LONG_TEXT:
        return line
    end = line.rfind('"')
    body = line[1:end]
    kept = body[: LONG_TEXT - 40]
    # An escape must not be cut in two: an odd run of backslashes at the end belongs to the next character.
    tail = len(kept) - len(kept.rstrip("\\"))
    if tail % 2:
        kept = kept[:-1]
    missing = len(body) - len(kept) + _already_missing(line[end + 1 :])
    return f'"{kept}"(+{missing:,} chars){_marks(line[end + 1 :])}'


def _already_missing(rest: str) -> int:
    match = re.match(r"\(\+([\d,]+) chars\)", rest)
    return int(match[1].replace(",", "")) if match else 0


def _marks(rest: str) -> str:
    place = rest.find(" (")
    return rest[place:] if place >= 0 else ""


class _Plan:
    """Which rows to keep when not all fit."""

    def __init__(self, snapshot: Snapshot, start: int, rows: Sequence[Row], lines: Sequence[str]) -> None:
        self.rows = rows
        self.lines = lines
        self.start = start
        self.snapshot = snapshot
        self.parents = _parents(rows)
        self.owners = _owners(snapshot, start, len(rows))
        self.order = self._order()

    def _order(self) -> list[int]:
        ranked: list[list[int]] = [[] for _ in range(6)]
        for index, row in enumerate(self.rows):
            ranked[self._rank(index, row)].append(index)
        return [index for tier in ranked for index in tier]

    def _rank(self, index: int, row: Row) -> int:
        flags = row.flags
        if index == 0 and self.snapshot.scoped:
            return 0
        if flags & IN_VIEW:
            return 0 if flags & (PRESS | FRAME | STRUCTURE) else 1
        place = self.owners.get(index)
        if place is not None and place[1] >= GROUP_HEAD:
            return 5
        if flags & (STRUCTURE | FOLD):
            return 2
        return 3 if flags & (PRESS | FRAME) else 4

    def _cost(self, index: int) -> int:
        # By length, which is quick; the text as a whole is measured afterwards.
        return int(len(self.lines[index]) * TOKENS_PER_CHARACTER) + 3

    def _chosen(self, room: int) -> list[int]:
        kept: set[int] = set()
        left = int(room * (1 - SHARE_FOR_GAPS))
        for index in self.order:
            if index in kept:
                continue
            needed = [each for each in self._with_company(index) if each not in kept]
            cost = sum(map(self._cost, needed))
            if cost > left:
                break
            kept.update(needed)
            left -= cost
        return sorted(kept)

    def _with_company(self, index: int) -> list[int]:
        """The row, those above it, and the rest of its list item, which would mean little without it."""
        needed = list(self._item(index))
        parent = self.parents[needed[0]]
        while parent >= 0:
            needed.append(parent)
            parent = self.parents[parent]
        return needed

    def _item(self, index: int) -> range:
        place = self.owners.get(index)
        if place is None:
            return range(index, index + 1)
        group = self.snapshot.groups[place[0]]
        bounds = (*group.starts[place[1] : place[1] + 2], group.end)
        start, end = bounds[0] - self.start, bounds[1] - self.start
        return range(max(start, 0), end) if end - start <= ITEM_ROWS else range(index, index + 1)

    def cut(self, room: int, notes: Sequence[str]) -> Rendered:
        out: list[str] = []
        expected = 0
        missing = 0
        missing_actionable = 0
        for index in [*self._chosen(room), len(self.rows)]:
            if index > expected:
                missing += index - expected
                missing_actionable += sum(is_actionable(row) for row in self.rows[expected:index])
                out.extend(self._gap(expected, index))
            if index < len(self.rows):
                out.append(indented(self.rows[index], self.lines[index]))
            expected = index + 1
        if missing:
            out.append(
                f"(shortened to fit: {missing:,} lines left out, {missing_actionable:,} of them can be pressed;"
                " use expand, find or a target)"
            )
        text = "\n".join([*out, *notes])
        return Rendered(text, estimate(text), missing, missing_actionable)

    def _gap(self, start: int, end: int) -> list[str]:
        """What stands for rows left out: the rest of a list with its handle, or a count."""
        place = self.owners.get(start)
        pad = " " * min(self.rows[start].depth, 40)
        if place is not None:
            group = self.snapshot.groups[place[0]]
            last = min(end, group.end - self.start)
            ends_inside = end < group.end - self.start
            upto = self.owners[end][1] if ends_inside and end in self.owners else len(group.starts)
            first = place[1] if self._starts_item(place[0], start) else place[1] + 1
            if upto > first:
                items = upto - first if ends_inside else group.total - group.child(first)
                line = f"{pad}… {items:,} more [expand {group.ref}:{group.child(first)}]"
                return [line, *(self._gap(last, end) if last < end else [])]
        actionable = sum(is_actionable(row) for row in self.rows[start:end])
        if not actionable and end - start < 6:
            return [f"{pad}…"]
        said = f", {actionable:,} to press" if actionable else ""
        return [f"{pad}… {end - start:,} lines{said} [expand {self._anchor(start)}+]"]

    def _starts_item(self, group: int, index: int) -> bool:
        starts = self.snapshot.groups[group].starts
        place = bisect_right(starts, index + self.start) - 1
        return place >= 0 and starts[place] == index + self.start

    def _anchor(self, index: int) -> str:
        for row in reversed(self.rows[:index]):
            if row.ref and not row.flags & FOLD:
                return row.ref
        return ""


def _parents(rows: Sequence[Row]) -> list[int]:
    parents: list[int] = []
    stack: list[int] = []
    for index, row in enumerate(rows):
        while stack and rows[stack[-1]].depth >= row.depth:
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(index)
    return parents


def _owners(snapshot: Snapshot, start: int, count: int) -> dict[int, tuple[int, int]]:
    """For each row inside a long list: which list (the outermost) and which of its children."""
    owners: dict[int, tuple[int, int]] = {}
    for number, group in sorted(enumerate(snapshot.groups), key=lambda entry: entry[1].end - entry[1].starts[0]):
        bounds = [*group.starts, group.end]
        for position in range(len(group.starts)):
            for index in range(bounds[position] - start, bounds[position + 1] - start):
                if 0 <= index < count:
                    owners[index] = (number, position)
    return owners
