"""Compares two snapshots by content and place: which rows are new, changed, moved, gone, or have another ref."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field

from rove.records import dataclass
from rove.snapshot.tree import BEHIND, COVER, ITEM, ITEM_ROWS, TEXT, Outline, Row, Snapshot, role_of

# What an item is compared by: whose it is, and what it says.
Key = tuple[str, str]
Pair = tuple[int, int]
Span = tuple[int, int, int, int]

# Whose an item is when it cannot be told from others that say the same: only its place tells them apart.
ANY = "?"
MAX_ROUNDS = 24

# Text that is replaced by other text is shown as a change up to this length.
SHORT_TEXT = 60
# The part of the words of a row that must stay for it to count as changed, not replaced.
SHARED_WORDS = 0.5
# A page of more rows is shown whole if more than this part of its rows is new.
LONG_PAGE = 40
MOSTLY = 0.6
# Marks that rows get because a layer is over them, and lose when it goes.
COVERED_MARKS = re.compile(r" \((?:aria-hidden|inert|(?:partly )?invisible: covered)\)")


def align(old: Sequence[Key], new: Sequence[Key]) -> list[Pair]:
    """Return pairs of equal items as (index in `old`, index in `new`), in an order that both sequences share."""
    pairs: list[Pair] = []
    spans: list[Span] = [(0, len(old), 0, len(new))]
    for _ in range(MAX_ROUNDS):
        spans = [inner for span in spans for inner in _pair_within(old, new, span, pairs)]
    for span in spans:
        pairs.extend(_by_occurrence(old, new, span))
    pairs.sort()
    return pairs


def _pair_within(old: Sequence[Key], new: Sequence[Key], span: Span, pairs: list[Pair]) -> Iterator[Span]:
    """Add the pairs that are certain within a span; yield the spans between them."""
    start, end, new_start, new_end = _narrowed(old, new, span, pairs)
    if start == end or new_start == new_end:
        return
    if old[start:end] == new[new_start:new_end]:
        pairs.extend(zip(range(start, end), range(new_start, new_end), strict=True))
        return
    anchors = _anchors(old, new, (start, end, new_start, new_end))
    if not anchors:
        pairs.extend(_by_occurrence(old, new, (start, end, new_start, new_end)))
        return
    pairs.extend(anchors)
    for place, new_place in anchors:
        yield start, place, new_start, new_place
        start, new_start = place + 1, new_place + 1
    yield start, end, new_start, new_end


def _narrowed(old: Sequence[Key], new: Sequence[Key], span: Span, pairs: list[Pair]) -> Span:
    """Pair what is equal at both ends of a span, up to the first item whose place alone does not identify it."""
    start, end, new_start, new_end = span
    while start < end and new_start < new_end and old[start] == new[new_start] and old[start][0] != ANY:
        pairs.append((start, new_start))
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1] and old[end - 1][0] != ANY:
        end, new_end = end - 1, new_end - 1
        pairs.append((end, new_end))
    return start, end, new_start, new_end


def _anchors(old: Sequence[Key], new: Sequence[Key], span: Span) -> list[Pair]:
    """Pair the items that occur once on each side, in the longest order that both sides share."""
    start, end, new_start, new_end = span
    once_old = _single(old[start:end])
    places = {key: new_start + index for key, index in _single(new[new_start:new_end]).items()}
    return _longest_rise([(start + index, places[key]) for key, index in once_old.items() if key in places])


def _single(keys: Sequence[Key]) -> dict[Key, int]:
    counts = Counter(keys)
    return {key: index for index, key in enumerate(keys) if counts[key] == 1}


def _by_occurrence(old: Sequence[Key], new: Sequence[Key], span: Span) -> list[Pair]:
    """Pair the nth occurrence of an item with the nth, if it does not matter which of them is which."""
    start, end, new_start, new_end = span
    places: defaultdict[Key, list[int]] = defaultdict(list)
    for index in range(new_end - 1, new_start - 1, -1):
        places[new[index]].append(index)
    found = [
        (index, places[old[index]].pop())
        for index in range(start, end)
        if old[index][0] != ANY and places.get(old[index])
    ]
    return _longest_rise(found)


def _longest_rise(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest run of pairs in which the second index rises too."""
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
    chain: list[Pair] = []
    index = top_index[-1] if top_index else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


@dataclass(frozen=True)
class Hunk:
    """Rows of `before` that were replaced by rows of `after` in the same place; either may be empty."""

    old: Sequence[int]
    new: Sequence[int]
    # Where in `after` the rows are, or were.
    place: int


@dataclass
class Comparison:
    """How one snapshot became another. Rows are named by their index."""

    before: Outline
    after: Outline
    # From rows of `before` to the rows of `after` that say the same in the same order, between the ends of the page.
    kept: dict[int, int]
    hunks: list[Hunk]
    # How many rows at the beginning and at the end are the same.
    ends: tuple[int, int] = (0, 0)
    # From rows of `after` to the rows of `before` that they were.
    changed: dict[int, int] = field(default_factory=dict[int, int])
    moved: dict[int, int] = field(default_factory=dict[int, int])
    # Old and new ref of what is the same but for its ref, in the order of `after`.
    renumbered: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def is_mostly_new(self) -> bool:
        """Whether so little of a long page is left that the page as a whole says it best."""
        count = len(self.after.rows)
        return count > LONG_PAGE and sum(len(hunk.new) for hunk in self.hunks) - len(self.moved) > MOSTLY * count

    def now(self, index: int) -> int | None:
        """Return the row of `after` that says the same in the same place as a row of `before`; None if none does."""
        start, rest = self.ends
        if 0 <= index < start:
            return index
        if index >= len(self.before.rows) - rest:
            return index - len(self.before.rows) + len(self.after.rows)
        return self.kept.get(index)

    def hunks_left(self) -> Iterator[Hunk]:
        """Yield what is new, changed or gone: without rows that have only moved."""
        gone_elsewhere = set(self.moved.values()) | set(self.changed.values())
        for hunk in self.hunks:
            old = [each for each in hunk.old if each not in gone_elsewhere]
            new = [each for each in hunk.new if each not in self.moved]
            if old or new or any(each in self.moved for each in hunk.new):
                yield Hunk(old, new, hunk.place)


def compare(before: Snapshot, after: Snapshot) -> Comparison:
    """Compare two snapshots of one page."""
    old_rows, new_rows = before.rows, after.rows
    start, rest = _differing(old_rows, new_rows)
    old_keys, new_keys = _keys(old_rows[start : len(old_rows) - rest], new_rows[start : len(new_rows) - rest])
    kept = {start + old: start + new for old, new in align(old_keys, new_keys)}
    hunks = list(_hunks(old_rows, new_rows, kept, (start, rest)))
    comparison = Comparison(Outline(old_rows), Outline(new_rows), kept, hunks, (start, rest))
    _find_by_ref(comparison)
    _find_moved(comparison)
    taken = {*comparison.changed.values(), *comparison.moved.values()}
    for hunk in comparison.hunks:
        _find_replaced(comparison, hunk, taken)
        _find_drawn_again(comparison, hunk, taken)
    _note_refs(comparison)
    return comparison


def _differing(before: Sequence[Row], after: Sequence[Row]) -> tuple[int, int]:
    """Return how many rows at the beginning and at the end are the same, so that only the others are compared.

    The rows next to those that differ are not counted, as they tell from what is in them which containers are the same;
    nor is the item that the first of them is in.
    """
    shorter, start, rest = min(len(before), len(after)), 0, 0
    while start < shorter and _is_same(before[start], after[start]):
        start += 1
    while rest < shorter - start and _is_same(before[-1 - rest], after[-1 - rest]):
        rest += 1
    start, rest = max(start - ITEM_ROWS, 0), max(rest - ITEM_ROWS, 0)
    lowest = min((row.depth for row in (*before[start : start + 1], *after[start : start + 1])), default=0)
    for index in range(start - 1, -1, -1):
        row = before[index]
        if row.flags & ITEM:
            return (index if row.depth < lowest else start), rest
        lowest = min(lowest, row.depth)
    return start, rest


def _is_same(old: Row, new: Row) -> bool:
    # A row that a layer covers now, or no more, is compared without the marks of that.
    return old[3] == new[3] and old[2] == new[2] and old[0] == new[0] and not (old[1] ^ new[1]) & (BEHIND | COVER)


def _keys(before: Sequence[Row], after: Sequence[Row]) -> tuple[list[Key], list[Key]]:
    """Return what rows are compared by. A ref on both sides is the same element; other refs say nothing."""
    shared = {row.ref for row in before if row.ref} & {row.ref for row in after if row.ref}
    covered = any(row.flags & BEHIND for row in before) or any(row.flags & BEHIND for row in after)
    return _keys_of(before, shared, covered), _keys_of(after, shared, covered)


def _keys_of(rows: Sequence[Row], shared: set[str], covered: bool) -> list[Key]:
    keys = [_key(row, shared, covered) for row in rows]
    for index, (owner, line) in enumerate(keys):
        if not owner and '"' not in line:
            # A container without words of its own is told from others by what is in it.
            keys[index] = "", f"{line}\n{_first_inside(rows, keys, index)}"
    return _keys_in_items(rows, keys)


def _keys_in_items(rows: Sequence[Row], keys: Sequence[Key]) -> list[Key]:
    """Add to what many rows say, such as "Edit", which list item or table row it is in."""
    found: list[Key] = []
    item, depth = "", 0
    for row, (owner, line) in zip(rows, keys, strict=True):
        if row.flags & ITEM:
            item, depth = owner.strip(ANY) or line, row.depth
        elif row.depth <= depth:
            item = ""
        found.append((owner, f"{line}\n{item}") if owner == ANY and item else (owner, line))
    return found


def _key(row: Row, shared: set[str], covered: bool) -> Key:
    owner = "" if not row.ref else row.ref if row.ref in shared else ANY
    return owner, COVERED_MARKS.sub("", row.line) if covered else row.line


def _first_inside(rows: Sequence[Row], keys: Sequence[Key], index: int) -> str:
    """Return what identifies the first row inside of a row that is not one of many: its ref, or its text."""
    for inner in range(index + 1, min(index + 1 + ITEM_ROWS, len(rows))):
        owner, line = keys[inner]
        if rows[inner].depth <= rows[index].depth:
            break
        if owner != ANY and (owner or '"' in line):
            return owner or line
    return ""


def _hunks(before: Sequence[Row], after: Sequence[Row], kept: dict[int, int], same: tuple[int, int]) -> Iterator[Hunk]:
    """Yield what differs between the rows that are kept. `same`: how many rows at both ends are."""
    old_at = new_at = same[0]
    for old_next, new_next in [*kept.items(), (len(before) - same[1], len(after) - same[1])]:
        old = [each for each in range(old_at, old_next) if not before[each].flags & COVER]
        new = [each for each in range(new_at, new_next) if not after[each].flags & COVER]
        if old or new:
            yield Hunk(old, new, new_at)
        old_at, new_at = old_next + 1, new_next + 1


def _find_by_ref(comparison: Comparison) -> None:
    """Find rows of the same element: in another place they have moved, with another line they have changed."""
    old_rows, new_rows = comparison.before.rows, comparison.after.rows
    unpaired = {old_rows[each].ref: each for hunk in comparison.hunks for each in hunk.old if old_rows[each].ref}
    for hunk in comparison.hunks:
        for each in hunk.new:
            row = new_rows[each]
            was = unpaired.get(row.ref) if row.ref else None
            if was is not None:
                (comparison.moved if old_rows[was].line == row.line else comparison.changed)[each] = was


def _find_moved(comparison: Comparison) -> None:
    """Find rows, with all that is inside of them, that were removed in one place and added in another."""
    gone = _subtrees(comparison.before, [each for hunk in comparison.hunks for each in hunk.old])
    come = _subtrees(comparison.after, [each for hunk in comparison.hunks for each in hunk.new])
    for text, new in come.items():
        old = gone.get(text)
        if old is None or old < 0 or new < 0:
            continue
        size = comparison.after.end_of(new) - new
        for offset in range(size):
            comparison.moved.setdefault(new + offset, old + offset)


def _subtrees(outline: Outline, unpaired: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Return rows by their content and that of all rows inside; -1 where two have the same content."""
    found: dict[tuple[str, ...], int] = {}
    loose = set(unpaired)
    upto = 0
    for each in unpaired:
        row = outline.rows[each]
        end = outline.end_of(each)
        if each < upto or not (row.flags & ITEM or row.ref or end > each + 1):
            continue
        if any(inner not in loose for inner in range(each, end)):
            continue
        lines = tuple(inner.line for inner in outline.rows[each:end])
        found[lines] = -1 if lines in found else each
        upto = end
    return found


def _find_replaced(comparison: Comparison, hunk: Hunk, taken: set[int]) -> None:
    """Pair rows of the same role, if there are as many before as after and they say nearly the same."""
    old_rows, new_rows = comparison.before.rows, comparison.after.rows
    old = [each for each in hunk.old if each not in taken]
    new = [each for each in hunk.new if each not in comparison.changed and each not in comparison.moved]
    mine, theirs = _by_role(old_rows, old), _by_role(new_rows, new)
    for role, were in mine.items():
        are = theirs.get(role, [])
        if len(were) != len(are):
            continue
        for was, now in zip(were, are, strict=True):
            if _is_similar(old_rows[was], new_rows[now], alone=len(were) == 1):
                comparison.changed[now] = was
                taken.add(was)


def _by_role(rows: Sequence[Row], indexes: Sequence[int]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for each in indexes:
        found[role_of(rows[each])].append(each)
    return found


def _is_similar(old: Row, new: Row, *, alone: bool) -> bool:
    if bool(old.ref) != bool(new.ref):
        return False
    if old.flags & TEXT:
        return alone and max(len(old.line), len(new.line)) <= SHORT_TEXT
    if old.line == new.line:
        return not new.ref
    first, second = (set(re.findall(r"\w+", row.line[:400])) for row in (old, new))
    # Of two words, such as a role and a name, one must be the same, which is the role; that is enough for a lone row.
    return len(first & second) >= SHARED_WORDS * max(len(first), len(second)) and (alone or len(first & second) > 1)


def _find_drawn_again(comparison: Comparison, hunk: Hunk, taken: set[int]) -> None:
    """Pair rows of a hunk that say the same with another ref. Which of them was which is not known."""
    gone: defaultdict[str, list[int]] = defaultdict(list)
    for each in hunk.old:
        row = comparison.before.rows[each]
        if row.ref and each not in taken:
            gone[row.line].append(each)
    for each in hunk.new:
        were = gone.get(comparison.after.rows[each].line)
        if were and each not in comparison.changed and each not in comparison.moved:
            comparison.changed[each] = were.pop(0)


def _note_refs(comparison: Comparison) -> None:
    old_rows, new_rows = comparison.before.rows, comparison.after.rows
    same = {new: old for old, new in comparison.kept.items()} | comparison.moved
    for new in sorted(same):
        was, now = old_rows[same[new]].ref, new_rows[new].ref
        if was != now and was and now:
            comparison.renumbered.append((was, now))
