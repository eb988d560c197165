"""Writes a comparison of two snapshots as lines, in blocks of what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import IntEnum
from itertools import groupby

from rove.snapshot.comparison import Comparison, Hunk
from rove.snapshot.outline import DIALOGS, HEADING, MESSAGES, Outline, role_of
from rove.snapshot.ref_ranges import ref_runs
from rove.snapshot.text import clipped, indented, line_of
from rove.snapshot.tree import COVER, IN_VIEW, ITEM, REF_PLACE, TEXT, UNSEEN, Row
from rove.validation.record import dataclass

# Lines of a new part of the page that may be a message without a role.
SMALL = 4
CONTEXT_LENGTH = 120
OLD_LENGTH = 80
# A longer run of removed lines is counted instead of shown.
REMOVED_RUN = 6
# Of more removed lines in one place only the first are shown.
REMOVED_SHOWN = 12
# Pairs of an old and a new ref that are listed.
REFS_SHOWN = 40
# If more rows of one parent moved, the new order is shown instead of each move.
MOVES_SHOWN = 5
ORDER_SHOWN = 60
NAME_LENGTH = 30
INVISIBLE = "(invisible: "
STATES = frozenset(
    {"checked", "selected", "pressed", "current", "disabled", "readonly", "required", "invalid", "busy", "sort"}
)


class Rank(IntEnum):
    """The order in which blocks are told, and kept when not all fit."""

    DIALOG = 0
    NEW = 1
    MOVED = 2
    REFS = 3
    REMOVED = 4


@dataclass
class Block:
    """Lines that belong together, and the row that says where they are."""

    rank: Rank
    lines: list[tuple[Row, str]] = field(default_factory=list[tuple[Row, str]])
    # The row that says where the block is, and the line that does.
    context: Row | None = None
    heading: str = ""

    @property
    def is_news(self) -> bool:
        """Whether it is about a dialog or a message, which must not be missed."""
        return self.rank == Rank.DIALOG or (self.rank == Rank.NEW and role_of(self.lines[0][0]) in MESSAGES)

    @property
    def is_small(self) -> bool:
        """Whether it is new, short and in view, as a message without a role is."""
        return (
            self.rank == Rank.NEW
            and len(self.lines) <= SMALL
            and all(line.startswith("+") and row.flags & IN_VIEW for row, line in self.lines)
        )


def _is_invisible(row: Row) -> bool:
    """Whether no part of it can be seen: the flag also stands for what is partly covered, or seen but aria-hidden."""
    return bool(row.flags & UNSEEN) and INVISIBLE in row.line


def blocks_of(comparison: Comparison, *, links: bool = False) -> list[Block]:
    """Describe a comparison: the new first, what is gone last."""
    blocks: list[Block] = []
    for block in sorted(_Description(comparison, links).blocks(), key=lambda block: (block.rank, not block.is_news)):
        last = blocks[-1] if blocks else None
        if last and last.rank == block.rank == Rank.REMOVED and last.heading == block.heading:
            last.lines.extend(block.lines)
        else:
            blocks.append(block)
    for block in blocks:
        if block.rank == Rank.REMOVED and len(block.lines) > REMOVED_SHOWN:
            rest = len(block.lines) - REMOVED_RUN
            block.lines[REMOVED_RUN:] = [(block.lines[REMOVED_RUN][0], f"- {rest:,} more like these")]
    return blocks


def _named(outline: Outline, index: int, limit: int = OLD_LENGTH) -> str:
    """Write a row as one short line, with the first words inside of it if it has none."""
    words = outline.words_in(index)
    line = clipped(line_of(outline.rows[index]), limit)
    return f"{line} with {clipped(words, limit)}" if words else line


class _Description:
    def __init__(self, comparison: Comparison, links: bool) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before, comparison.after
        self._links = links
        # Rows of `after` and of `before` that the lines about dialogs have told.
        self._told: set[int] = set()
        self._told_gone: set[int] = set()

    def blocks(self) -> Iterator[Block]:
        yield from self._dialogs()
        for hunk in self._comparison.hunks_left():
            yield from self._hunk(hunk)
        yield from self._moves()
        yield from self._refs()

    def _dialogs(self) -> Iterator[Block]:
        block = Block(Rank.DIALOG)
        for opened in self._opened():
            self._tell_opened(block, opened)
        now = next((row for row in self._after.rows if row.flags & COVER), None)
        was = next((row for row in self._before.rows if row.flags & COVER), None)
        if now and (was is None or was.line != now.line):
            block.lines.append((now, now.line))
        for closed in self._closed():
            row = self._before.rows[closed]
            self._told_gone.update(range(closed, self._before.end_of(closed)))
            block.lines.append((row, f"dialog closed: {clipped(row.line.replace(REF_PLACE, ''), OLD_LENGTH)}"))
        if was and not now:
            block.lines.append((was._replace(origin=""), "the rest of the page is no longer covered"))
        if block.lines:
            yield block

    def _opened(self) -> Iterator[int]:
        for each in self._new_rows():
            row, was = self._after.rows[each], self._comparison.changed.get(each)
            is_shown = was is None or self._before.rows[was].flags & UNSEEN
            if role_of(row) in DIALOGS and not row.flags & UNSEEN and is_shown and each not in self._told:
                yield each

    def _new_rows(self) -> Iterator[int]:
        return (each for hunk in self._comparison.hunks_left() for each in hunk.new)

    def _tell_opened(self, block: Block, opened: int) -> None:
        end, top = self._after.end_of(opened), self._after.depths[opened]
        self._told.update(range(opened, end))
        for each in range(opened, end):
            row = self._after.rows[each]
            line = indented(row._replace(depth=self._after.depths[each] - top), line_of(row, links=self._links))
            block.lines.append((row, f"dialog opened: {line}" if each == opened else line))

    def _closed(self) -> Iterator[int]:
        hidden = {was: now for now, was in self._comparison.changed.items() if self._after.rows[now].flags & UNSEEN}
        gone = [each for hunk in self._comparison.hunks_left() for each in hunk.old]
        for each in sorted([*gone, *hidden]):
            row = self._before.rows[each]
            if role_of(row) in DIALOGS and not row.flags & UNSEEN and each not in self._told_gone:
                self._told.update([hidden[each]] if each in hidden else [])
                yield each

    def _hunk(self, hunk: Hunk) -> Iterator[Block]:
        new = [each for each in hunk.new if each not in self._told and not self._looks_same(each)]
        old = [each for each in hunk.old if each not in self._told_gone]
        removed = list(self._removed(old))
        for part in self._parts(new):
            yield Block(Rank.NEW, list(self._signed(part)), *self._context_after(part[0]))
        if removed:
            # A hunk that is all in one place stays together.
            rank = Rank.NEW if len(new) == 1 else Rank.REMOVED
            yield Block(rank, removed, *(self._context_after(new[0]) if new else self._context_before(old[0])))

    def _parts(self, new: Sequence[int]) -> Iterator[list[int]]:
        """Divide rows where another parent begins, and before and after a message: a long list must not bury it."""
        parents, inside = self._after.parents, set(new)
        part, place = list[int](), (-2, False)
        for each in new:
            if parents[each] not in inside:
                here = parents[each], role_of(self._after.rows[each]) in MESSAGES
                if part and here != place:
                    yield part
                    part = []
                place = here
            part.append(each)
        if part:
            yield part

    def _looks_same(self, index: int) -> bool:
        """Whether a container says the same as before: only what is inside of it has changed."""
        was = self._comparison.changed.get(index)
        return was is not None and self._before.rows[was][2:4] == self._after.rows[index][2:4]

    def _signed(self, new: Sequence[int]) -> Iterator[tuple[Row, str]]:
        """Write new and changed rows; a line is indented once for each told row that it is inside of."""
        above: list[int] = []
        for each in new:
            row, depth = self._after.rows[each], self._after.depths[each]
            while above and above[-1] >= depth:
                above.pop()
            was = self._comparison.changed.get(each)
            line = line_of(row, links=self._links)
            sign, line = ("+", line) if was is None else self._changed_line(each, was, line)
            yield row, f"{sign} {indented(row._replace(depth=len(above)), line)}"
            above.append(depth)

    def _changed_line(self, now: int, was: int, line: str) -> tuple[str, str]:
        """Return the sign and the line of a changed row. What can be seen now is new to a person, and the other way."""
        was_unseen, is_unseen = _is_invisible(self._before.rows[was]), _is_invisible(self._after.rows[now])
        if was_unseen and not is_unseen:
            return "+", line
        if is_unseen and not was_unseen:
            return "-", line.replace(INVISIBLE, "(now invisible: ")
        return "~", self._changed_words(now, was, line)

    def _changed_words(self, now: int, was: int, line: str) -> str:
        old, new = self._before.rows[was], self._after.rows[now]
        if new.flags & TEXT:
            return f"{self._label(now)}{old.line} → {line}"
        # Of several that say the same it is not known which was which.
        is_known = old.ref and old.ref != new.ref and old.line != new.line
        line = f"{line}{_lost_states(old.line, new.line)}"
        return f"{line} (was {old.ref})" if is_known else line

    def _label(self, index: int) -> str:
        """Return what a number belongs to: the text before it; nothing for text that says so itself."""
        rows, depths = self._after.rows, self._after.depths
        if re.search(r"[^\W\d_]", rows[index].line) or not index or depths[index - 1] < depths[index]:
            return ""
        before = index - 1
        while before > 0 and depths[before] > depths[index]:
            before -= 1
        row = rows[before]
        is_label = depths[before] == depths[index] and not row.line.startswith(HEADING)
        is_label = is_label and row.origin == rows[index].origin
        return f"{clipped(line_of(row), OLD_LENGTH)}: " if is_label else ""

    def _removed(self, old: Sequence[int]) -> Iterator[tuple[Row, str]]:
        """Write the visible rows that are gone, without those inside of others that are gone."""
        gone = set(old)
        tops = [each for each in old if self._was_seen(each) and not self._is_inside(each, gone)]
        lines = [_named(self._before, each) for each in tops]
        if len(tops) <= REMOVED_RUN:
            yield from ((self._before.rows[each], f"- {line}") for each, line in zip(tops, lines, strict=True))
        else:
            first, last = (clipped(line, OLD_LENGTH // 2) for line in (lines[0], lines[-1]))
            yield self._before.rows[tops[0]], f"- {len(old):,} lines, the first {first}, the last {last}"

    def _was_seen(self, index: int) -> bool:
        return not self._before.rows[index].flags & UNSEEN

    def _is_inside(self, index: int, gone: set[int]) -> bool:
        """Whether a row was inside of a visible row that is gone. An invisible one is not told, so it says nothing."""
        above = self._before.parents[index]
        while above in gone:
            if self._was_seen(above):
                return True
            above = self._before.parents[above]
        return False

    def _context_after(self, index: int) -> tuple[Row | None, str]:
        found = next(self._after.contexts_of(index), self._after.parents[index])
        beside = self._after.words_beside(index) if index in self._comparison.changed else ""
        if found < 0:
            return (self._after.rows[index], f"beside {beside}") if beside else (None, "")
        if self._after.rows[found].origin != self._after.rows[index].origin:
            beside = ""  # words of a frame are told as the frame's only
        is_item = beside and self._after.rows[found].flags & ITEM
        return self._after.rows[found], self._where(found, "" if is_item else beside)

    def _context_before(self, index: int) -> tuple[Row | None, str]:
        """Return where a row was, as it is shown now."""
        for each in (*self._before.contexts_of(index), self._before.parents[index]):
            if (now := self._comparison.now(each)) is not None:
                return self._after.rows[now], self._where(now)
        return None, ""

    def _where(self, index: int, beside: str = "") -> str:
        said = _named(self._after, index, CONTEXT_LENGTH)
        # A heading contains nothing: what follows it is under it.
        preposition = "under" if said.startswith(HEADING) else "in"
        return f"{preposition} {said}" + (f", beside {clipped(beside, OLD_LENGTH)}" if beside else "")

    def _moves(self) -> Iterator[Block]:
        moved = self._comparison.moved
        tops = [each for each in sorted(moved) if each not in self._told and self._after.parents[each] not in moved]
        for parent, group in groupby(self._runs(tops), key=lambda run: self._after.parents[run[0]]):
            runs = list(group)
            block = Block(Rank.MOVED, [], *self._context_after(runs[0][0]))
            if len(runs) > MOVES_SHOWN:
                block.lines.append(self._order(parent, runs[0][0]))
            else:
                block.lines.extend(self._move(run) for run in runs)
            yield block

    def _runs(self, tops: Sequence[int]) -> Iterator[list[int]]:
        """Join rows that moved together."""
        moved, run = self._comparison.moved, list[int]()
        for each in tops:
            follows = run and each == self._after.end_of(run[-1]) and moved[each] == self._before.end_of(moved[run[-1]])
            if run and not follows:
                yield run
                run = []
            run.append(each)
        if run:
            yield run

    def _move(self, run: Sequence[int]) -> tuple[Row, str]:
        now, was = run[0], self._comparison.moved[run[0]]
        row = self._after.rows[now]
        rest = f" and the {len(run) - 1} after it" if len(run) > 1 else ""
        places = ordinal(self._before.ordinal_of(was)), ordinal(self._after.ordinal_of(now))
        line = f"moved: {_named(self._after, now)}{rest}"
        return row, f"{line} from {places[0]} to {places[1]}" if places[0] != places[1] else line

    def _order(self, parent: int, like: int) -> tuple[Row, str]:
        role = role_of(self._after.rows[like])
        end = self._after.end_of(parent) if parent >= 0 else len(self._after.rows)
        siblings = [
            each
            for each in range(parent + 1, end)
            if self._after.parents[each] == parent and role_of(self._after.rows[each]) == role
        ]
        names = [_named(self._after, each, NAME_LENGTH + len(role)) for each in siblings[:ORDER_SHOWN]]
        rest = f"; {len(siblings) - ORDER_SHOWN:,} more" if len(siblings) > ORDER_SHOWN else ""
        return self._after.rows[like], f"reordered, now: {'; '.join(names)}{rest}"

    def _refs(self) -> Iterator[Block]:
        told = {self._after.rows[each].ref for each in self._told}
        pairs = [(was, now) for was, now in self._comparison.renumbered if now not in told]
        if pairs:
            runs = list(ref_runs(pairs, self._other_refs(pairs)))
            rest = f" and {len(runs) - REFS_SHOWN:,} more, which a snapshot shows" if len(runs) > REFS_SHOWN else ""
            line = f"drawn again, with new refs: {', '.join(runs[:REFS_SHOWN])}{rest}"
            yield Block(Rank.REFS, [(Row(0, 0, "", ""), line)])

    def _other_refs(self, pairs: Sequence[tuple[str, str]]) -> frozenset[str]:
        """Return the refs of both snapshots that are in none of the pairs."""
        refs = {row.ref for row in (*self._before.rows, *self._after.rows) if row.ref}
        return frozenset(refs.difference(*pairs))


def _lost_states(old: str, new: str) -> str:
    """Say which states a line had and has no more, as a line does not name a state that is off."""
    was, now = _words_of(old), _words_of(new)
    lost = [word for word in was if word.partition("=")[0] in STATES and not _has_state(now, word)]
    return f" (no longer {', '.join(lost)})" if lost else ""


def _has_state(words: Sequence[str], state: str) -> bool:
    name = state.partition("=")[0]
    return any(word.partition("=")[0] == name for word in words)


def _words_of(line: str) -> list[str]:
    """Return the words of a line without those in quotes, which the page wrote."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", line.replace(REF_PLACE, "")).split()


def ordinal(number: int) -> str:
    """Write a number as a position: 1st, 2nd, 3rd, 4th."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
