"""The difference between two snapshots of a page as lines, within a token budget."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field
from enum import IntEnum
from itertools import groupby
from typing import Literal

from rove.outcome import Passage, joined
from rove.records import dataclass
from rove.snapshot.budget import Lines, clipped, estimate, indented, line_of, render
from rove.snapshot.comparison import Comparison, Hunk, compare
from rove.snapshot.tree import (
    BEHIND,
    COVER,
    DIALOGS,
    HEADING,
    IN_VIEW,
    ITEM,
    MESSAGES,
    PRESS,
    REF_PLACE,
    TEXT,
    UNSEEN,
    Outline,
    Row,
    Snapshot,
    role_of,
)

MAX_LINES = 5
MAX_LENGTH = 200
GONE_AGAIN = "Shown for a moment, and gone again:"

# A prefix, and the numbers of the old and the new ref.
_Step = tuple[str, int, int]

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

# Tokens that are kept free for the line that says what was left out; of a small budget, a tenth.
RESERVED = 40
# Tokens below which the beginning of a block says too little.
LEAST = 60
# Characters of a text that is new, if not everything fits.
LONG_TEXT = 280
Kind = Literal["same", "changes", "snapshot", "page"]
DEFAULT_BUDGET = 1500

# Seconds of looking that are worth telling.
SHORTEST_LOOK = 0.1


def gone_again(known: Sequence[Snapshot], between: Sequence[Snapshot]) -> tuple[Passage, ...]:
    """Return what none of the known snapshots shows, but one between them; at most a few lines of it."""
    told = {row.line for snapshot in known for row in snapshot.rows}
    shown = {row.line: row for snapshot in between for row in snapshot.rows if not row.flags & UNSEEN}
    passing = [row for line, row in shown.items() if line not in told]
    if not passing:
        return ()
    lines = Lines(known[-1].origin)
    for row in passing[:MAX_LINES]:
        lines.add(row, _short_line(row))
    if len(passing) > MAX_LINES:
        left = len(passing) - MAX_LINES
        lines.extend(["… 1 more line" if left == 1 else f"… {left} more lines"])
    return (Passage(GONE_AGAIN), *lines.passages())


def _short_line(row: Row) -> str:
    line = row.line.replace(REF_PLACE, "")
    return line if len(line) <= MAX_LENGTH else line[:MAX_LENGTH] + "…"


def ref_runs(pairs: Iterable[tuple[str, str]], others: Collection[str] = ()) -> Iterator[str]:
    """Write pairs of old and new refs, those at the same distance as one range each.

    A range contains none of the other refs, which are told as something else or have not changed.
    """
    runs: list[list[_Step]] = []
    between = sorted(_parts(other) for other in others)
    for was, now in pairs:
        prefix, old = _parts(was)
        step = (prefix, old, _parts(now)[1])
        last = runs[-1][-1] if runs else None
        if last and _follows(last, step, between):
            runs[-1].append(step)
        else:
            runs.append([step])
    for run in runs:
        prefix, old, new = run[0]
        if len(run) < 3:
            yield from (f"{prefix}{old}→{prefix}{new}" for _, old, new in run)
        else:
            yield f"{prefix}{old}…{prefix}{run[-1][1]}→{prefix}{new}…{prefix}{run[-1][2]}"


def _follows(last: _Step, step: _Step, others: Sequence[tuple[str, int]]) -> bool:
    """Whether a step goes on with a range: at the same distance, and with no other ref in between."""
    prefix, old, new = step
    if last[0] != prefix or not 0 < old - last[1] == new - last[2]:
        return False
    return not (_is_any_between(others, prefix, last[1], old) or _is_any_between(others, prefix, last[2], new))


def _is_any_between(refs: Sequence[tuple[str, int]], prefix: str, first: int, last: int) -> bool:
    """Whether any of the sorted refs lies between two numbers."""
    place = bisect_right(refs, (prefix, first))
    return place < len(refs) and refs[place] < (prefix, last)


def _parts(ref: str) -> tuple[str, int]:
    letters = ref.rstrip("0123456789")
    return letters, int(ref[len(letters) :])


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


def fitted(blocks: Sequence[Block], budget: int) -> Iterator[Block]:
    """Yield the blocks that fit, in their order; the longest are shortened, and one line counts what is left out."""
    left = budget - min(RESERVED, budget // 10)
    kept: dict[int, Block] = {}
    for _, index in sorted((_urgency(block, budget), index) for index, block in enumerate(blocks)):
        cost = _cost(blocks[index])
        if cost <= left:
            kept[index] = blocks[index]
        elif left >= LEAST:
            kept[index] = _shortened_block(blocks[index], left)
        left -= min(cost, max(left, 0)) if index in kept else 0
    yield from (kept[index] for index in sorted(kept))
    missing = [row for index, block in enumerate(blocks) if index not in kept for row, _ in block.lines]
    if missing:
        yield Block(Rank.REMOVED, [(missing[0], _count(missing, "(shortened to fit: ", " of changes left out)"))])


def _urgency(block: Block, budget: int) -> tuple[int, bool, bool, bool]:
    """Return what blocks are sorted by: news first, then what is short, then what is in view and new."""
    is_long = sum(len(line) for _, line in block.lines) > budget
    is_seen = any(row.flags & IN_VIEW for row, _ in block.lines)
    return (-1 if block.is_news else block.rank), is_long, not is_seen, not block.is_small


def _cost(block: Block) -> int:
    text = "\n".join([block.heading, *(line for _, line in block.lines)])
    return estimate(text) + 1


def _shortened_block(block: Block, room: int) -> Block:
    """Cut a block after the lines that there is room for, and say how much is missing."""
    kept: list[tuple[Row, str]] = []
    left = room - estimate(block.heading) - 20
    for row, line in block.lines:
        line = clipped(line, LONG_TEXT) if row.flags & TEXT else line
        left -= estimate(line) + 1
        if left < 0:
            break
        kept.append((row, line))
    missing = [row for row, _ in block.lines[len(kept) :]]
    if missing:
        anchor = next((row.ref for row, _ in reversed(kept) if row.ref), "")
        kept.append((missing[0], _count(missing, "… ", f" [expand {anchor}+]" if anchor else "")))
    return Block(block.rank, kept, block.context, block.heading)


def _count(missing: Sequence[Row], before: str, after: str) -> str:
    pressable = sum(1 for row in missing if row.flags & PRESS and not row.flags & BEHIND)
    said = f", {pressable:,} to press" if pressable else ""
    return f"{before}{len(missing):,} lines{said}{after}"


@dataclass(frozen=True)
class Delta:
    """A difference: that nothing changed, the changed rows, or a whole snapshot where that is shorter."""

    kind: Kind
    passages: tuple[Passage, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All passages as one text."""
        return joined(self.passages)


def difference(
    before: Snapshot | None,
    after: Snapshot,
    budget: int = DEFAULT_BUDGET,
    *,
    links: bool = False,
    looked: float | None = None,
) -> Delta:
    """Compare two snapshots of a tab; for a new page, return the whole snapshot.

    `looked`: for how many seconds changes were looked for, which is said if there are none.
    """
    if before is None or is_new_page(before, after):
        rendered = render(after, budget, links=links)
        return Delta("page", rendered.passages, rendered.tokens)
    if _says_same(before, after):
        return _same(before, after, looked)
    comparison = compare(before, after)
    if comparison.is_mostly_new:
        return _page_with_news(comparison, after, budget, links)
    blocks = blocks_of(comparison, links=links)
    if not blocks:
        return _same(before, after, looked)
    passages = _written(blocks, after.origin)
    tokens = estimate(joined(passages))
    if tokens > budget // 3:
        fresh = render(after, budget, links=links)
        if fresh.is_complete and fresh.tokens < tokens:
            return Delta("snapshot", fresh.passages, fresh.tokens)
    if tokens > budget:
        passages = _written(list(fitted(blocks, budget)), after.origin)
    return Delta("changes", passages, estimate(joined(passages)))


def _says_same(before: Snapshot, after: Snapshot) -> bool:
    if len(before.rows) != len(after.rows):
        return False
    return all(old[3] == new[3] and old[2] == new[2] for old, new in zip(before.rows, after.rows, strict=True))


def _page_with_news(comparison: Comparison, after: Snapshot, budget: int, links: bool) -> Delta:
    """Return the page, if hardly anything of what was there is left; after dialogs and messages, which come first."""
    found = [block for block in blocks_of(comparison, links=links) if block.is_news or block.is_small]
    shown = [block for block in fitted(found, budget // 2) if block.rank != Rank.REMOVED]
    news = _written(shown, after.origin)
    cost = estimate(joined(news))
    fresh = render(after, max(budget - cost, budget // 2), links=links)
    if fresh.is_complete:
        return Delta("snapshot", fresh.passages, fresh.tokens)
    return Delta("snapshot", (*news, *fresh.passages), cost + fresh.tokens)


def is_new_page(before: Snapshot, after: Snapshot) -> bool:
    """Whether `after` shows another document: another address, and none of the old refs."""
    if before.url.partition("#")[0] == after.url.partition("#")[0]:
        return False
    old = {row.ref for row in before.rows if row.ref}
    new = {row.ref for row in after.rows if row.ref}
    return not old & new


def _same(before: Snapshot, after: Snapshot, looked: float | None) -> Delta:
    moved: list[str] = []
    if before.scroll != after.scroll:
        moved.append(f"scrolled to {after.scroll[0]},{after.scroll[1]}")
    if after.focused and before.focused != after.focused:
        moved.append(f"focus on {after.focused}")
    # A page that has scrolled is not looked at for longer.
    has_waited = looked is not None and looked >= SHORTEST_LOOK
    nothing = f"Nothing changed within {_duration(looked or 0)}" if has_waited else "Nothing changed"
    text = f"{nothing} but: {', '.join(moved)}." if moved else f"{nothing}."
    return Delta("same", (Passage(text),), estimate(text))


def _duration(seconds: float) -> str:
    """Return a time that has passed for certain: 400 ms, 1.2 s."""
    tenths = int(seconds * 10 + 1e-6)
    return f"{tenths * 100} ms" if tenths < 10 else f"{tenths / 10:g} s"


def _written(blocks: Sequence[Block], origin: str) -> tuple[Passage, ...]:
    lines = Lines(origin)
    shown = ""
    for block in blocks:
        if block.context and block.heading and block.heading != shown:
            lines.add(block.context, block.heading)
        shown = block.heading
        for row, line in block.lines:
            lines.add(row, line)
    return lines.passages()
