"""The difference between two snapshots of a page."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from rove.outcome import Passage, joined
from rove.snapshot.budget import render
from rove.snapshot.text import Lines, indented, line_of
from rove.snapshot.tokens import estimate
from rove.snapshot.tree import TEXT, Row, Snapshot
from rove.validation.record import dataclass

Kind = Literal["same", "changes", "snapshot", "page"]
DEFAULT_BUDGET = 1500
REMOVED_TEXT = 80
# A longer run of removed lines is counted instead of shown.
REMOVED_RUN = 6
HEADING = "heading"


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
    changes = list(_changes(before.rows, after.rows))
    if not changes:
        return _same(before, after, looked)
    passages = _told(changes, after, links)
    tokens = estimate(joined(passages))
    if tokens > budget // 3:
        fresh = render(after, budget, links=links)
        if tokens > fresh.tokens or tokens > budget:
            return Delta("snapshot", fresh.passages, fresh.tokens)
    return Delta("changes", passages, tokens)


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
    nothing = "Nothing changed" if looked is None else f"Nothing changed within {_duration(looked)}"
    text = f"{nothing} but: {', '.join(moved)}." if moved else f"{nothing}."
    return Delta("same", (Passage(text),), estimate(text))


def _duration(seconds: float) -> str:
    """Return a time that has passed for certain: 400 ms, 1.2 s."""
    tenths = int(seconds * 10 + 1e-6)
    return f"{tenths * 100} ms" if tenths < 10 else f"{tenths / 10:g} s"


@dataclass(frozen=True)
class _Change:
    """The rows `old` were replaced by the rows `after.rows[start:end]`."""

    old: Sequence[Row]
    start: int
    end: int


def _key(row: Row) -> tuple[int, str, str]:
    return (row.depth, row.ref, row.line)


def _changes(before: Sequence[Row], after: Sequence[Row]) -> Iterable[_Change]:
    old = [_key(row) for row in before]
    new = [_key(row) for row in after]
    head = 0
    shortest = min(len(old), len(new))
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old_at, new_at = head, head
    for old_next, new_next in [*_anchors(old, new, head, tail), (len(old) - tail, len(new) - tail)]:
        if old_next < old_at or new_next < new_at:
            continue
        if old_next > old_at or new_next > new_at:
            yield from _narrowed(before, old, new, (old_at, old_next), (new_at, new_next))
        old_at, new_at = old_next + 1, new_next + 1


def _narrowed(
    before: Sequence[Row],
    old: Sequence[tuple[int, str, str]],
    new: Sequence[tuple[int, str, str]],
    old_span: tuple[int, int],
    new_span: tuple[int, int],
) -> Iterable[_Change]:
    """Leave out rows that are equal at both ends of a gap between anchors."""
    old_start, old_end = old_span
    start, end = new_span
    while old_start < old_end and start < end and old[old_start] == new[start]:
        old_start, start = old_start + 1, start + 1
    while old_start < old_end and start < end and old[old_end - 1] == new[end - 1]:
        old_end, end = old_end - 1, end - 1
    if old_start < old_end or start < end:
        yield _Change(before[old_start:old_end], start, end)


def _anchors(
    old: Sequence[tuple[int, str, str]], new: Sequence[tuple[int, str, str]], head: int, tail: int
) -> list[tuple[int, int]]:
    """Pair the rows that occur once on each side, in the longest order that both sides share."""
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    once_old = {key for key, count in Counter(old_middle).items() if count == 1}
    once = once_old & {key for key, count in Counter(new_middle).items() if count == 1}
    if not once:
        return []
    places = {key: head + index for index, key in enumerate(new_middle) if key in once}
    pairs = [(head + index, places[key]) for index, key in enumerate(old_middle) if key in once]
    return _longest_rise(pairs)


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    tops: list[int] = []
    top_index: list[int] = []
    previous: list[int] = []
    for index, (_, value) in enumerate(pairs):
        place = bisect_left(tops, value)
        previous.append(top_index[place - 1] if place else -1)
        if place == len(tops):
            tops.append(value)
            top_index.append(index)
        else:
            tops[place] = value
            top_index[place] = index
    chain: list[tuple[int, int]] = []
    index = top_index[-1] if top_index else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _told(changes: Sequence[_Change], after: Snapshot, links: bool) -> tuple[Passage, ...]:
    lines = Lines(after.origin)
    shown_context = ""
    # Depths of the rows already told that the next one may be inside of.
    above: list[int] = []
    told_to = 0
    for change in changes:
        placed_by = _context(after.rows, change)
        context = _clipped(line_of(placed_by)) if placed_by else ""
        if placed_by and context != shown_context:
            # A heading contains nothing: what follows it is under it.
            lines.add(placed_by, f"{'under' if context.startswith(HEADING) else 'in'} {context}")
            shown_context = context
            above.clear()
        elif above:
            _leave(above, min((row.depth for row in after.rows[told_to : change.start]), default=above[-1] + 1))
        _add_change(lines, change, after.rows[change.start : change.end], links, above)
        told_to = change.end
    return lines.passages()


def _leave(above: list[int], depth: int) -> None:
    while above and above[-1] >= depth:
        above.pop()


def _context(after: Sequence[Row], change: _Change) -> Row | None:
    """Return the row above that says where a change is: the nearest ancestor, else the last heading before it."""
    depth = after[change.start].depth if change.start < len(after) else 0
    if change.start == change.end and change.old:
        depth = change.old[0].depth
    for row in reversed(after[: change.start]):
        if row.flags & TEXT:
            continue
        # A list or a frame at the same depth does not contain the change; a heading is about what follows it.
        if row.depth < depth or (row.depth == depth and row.line.startswith(HEADING)):
            return row
    return None


def _clipped(line: str, limit: int = 120) -> str:
    return line if len(line) <= limit else line[:limit] + "…"


def _add_change(lines: Lines, change: _Change, new_rows: Sequence[Row], links: bool, above: list[int]) -> None:
    """Add signed lines; a line is indented once for each told row that it is inside of."""
    still_here = {row.ref for row in new_rows if row.ref}
    were_here = {row.ref for row in change.old if row.ref}
    kept_keys = {(row.ref, row.line) for row in change.old}
    _add_removed(lines, [row for row in change.old if not (row.ref and row.ref in still_here)])
    for row in new_rows:
        _leave(above, row.depth)
        if row.ref and (row.ref, row.line) in kept_keys:
            continue
        sign = "~" if row.ref and row.ref in were_here else "+"
        lines.add(row, f"{sign} {indented(row._replace(depth=len(above)), line_of(row, links=links))}")
        above.append(row.depth)


def _add_removed(lines: Lines, removed: Sequence[Row]) -> None:
    if len(removed) <= REMOVED_RUN:
        for row in removed:
            lines.add(row, f"- {_clipped(line_of(row), REMOVED_TEXT)}")
        return
    refs = [row.ref for row in removed if row.ref]
    span = f", among them {refs[0]} to {refs[-1]}" if refs else ""
    lines.extend([f"- {len(removed):,} lines{span}"])
