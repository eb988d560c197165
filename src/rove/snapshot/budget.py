"""A snapshot as lines of text within a token budget; what can be pressed is kept before prose."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from rove.outcome import Passage, joined
from rove.records import dataclass
from rove.snapshot.tree import (
    ALL_FLAGS,
    BEHIND,
    COVER,
    FOCUSED,
    FOLD,
    FRAME,
    IN_VIEW,
    PRESS,
    REF_PLACE,
    STRUCTURE,
    TEXT,
    Row,
    Snapshot,
)

# The pieces into which byte-pair tokenizers split text before they merge: a word with one punctuation mark before it,
# up to three digits, a run of punctuation with the line ends after it, white space.
_PIECES = re.compile(r"[^\r\nA-Za-z0-9]?[A-Za-z]+|\d{1,3}| ?[!-/:-@\[-`{-~]+[\r\n/]*|\s*[\r\n]+|[ \t]+(?=[ \t])")
LONG_WORD = 10
# A quote, bracket or equals sign and the word after it are seldom one token.
_SIGN_BEFORE_WORD = re.compile(r"[\"\[=/.@_|][A-Za-z]")
_BEYOND_ASCII = (
    (r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]", 0.85),  # ideographs
    (r"[\u2190-\u2bff\U0001f000-\U0010ffff]", 1.8),  # pictures
    (r"[\x80-\u218f\u2c00-\u2fff\ua000-\uabff]", 0.42),  # other scripts
)

# Every snapshot waits for this estimate: of a long text only slices are read, in half a millisecond instead of three.
SLICES = 16
SLICE = 400
MAX_HREF = 80

# Characters of a text row; longer text is cut before anything that can be pressed is left out.
LONG_TEXT = 280
GROUP_HEAD = 5
# A list item of more rows than this is not kept or left out as a whole.
ITEM_ROWS = 12
SHARE_FOR_GAPS = 0.05
ENOUGH = 0.88
# So few rows, or characters, cost no more than the line that says they are left out.
SHORT_GAP_ROWS = 3
SHORT_GAP_LENGTH = 60
# Rows from which the cost of all rows is estimated.
SAMPLED_ROWS = 60
# If the estimate exceeds the budget by this factor, the text is not written in full to be measured.
CLEARLY_OVER = 1.1


def estimate(text: str) -> int:
    """Estimate the tokens of a text; calibrated on o200k_base, and rather too high than too low."""
    if len(text) <= SLICES * SLICE:
        return int(_weight(text)) + 1
    step = (len(text) - SLICE) / (SLICES - 1)
    slices = [text[int(step * number) : int(step * number) + SLICE] for number in range(SLICES)]
    return int(sum(map(_weight, slices)) * len(text) / (SLICES * SLICE)) + 1


def _weight(text: str) -> float:
    found = _PIECES.findall(text)
    pieces = len(found) + sum([_extra(piece) for piece in found if len(piece) >= LONG_WORD])
    weight = pieces + 0.45 * len(_SIGN_BEFORE_WORD.findall(text))
    if not text.isascii():
        # Compiled when first needed: ranges as wide as these take long to compile.
        weight += sum(each * len(re.findall(pattern, text)) for pattern, each in _BEYOND_ASCII)
    return weight * 1.03


def _extra(piece: str) -> int:
    """Count the tokens of a long word beyond its first."""
    if not piece[-1].isalpha():
        return 0
    letters = len(piece) if piece[0].isascii() and piece[0].isalpha() else len(piece) - 1
    return (letters - 4) // 7 if letters >= LONG_WORD else 0


def line_of(row: Row, *, links: bool = False) -> str:
    """Write a row as one line, without indentation."""
    if row.flags & FOLD:
        return f"{row.line.replace(REF_PLACE, '')} [expand {row.fold or row.ref}]"
    if not row.ref:
        return row.line
    mark = f" focused [{row.ref}]" if row.flags & FOCUSED else f" [{row.ref}]"
    if links and row.href:
        mark += f" href={short_href(row.href)}"
    if row.box:
        mark += " box={},{},{},{}".format(*row.box)
    return row.line.replace(REF_PLACE, mark)


class Lines:
    """Collects the lines of a text, and starts a new passage when a row has another origin than the last."""

    def __init__(self, own: str) -> None:
        """`own` is the origin of the tab's page, which rows without an origin belong to."""
        self._own = own
        self._current = ""
        self._origin = ""
        self._lines: list[str] = []
        self._passages: list[Passage] = []

    def add(self, row: Row, line: str) -> None:
        """Add the line of a row."""
        if row.origin != self._current:
            self._close()
            self._current = row.origin
            self._origin = row.origin or self._own
        self._lines.append(line)

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines of our own, such as what was left out, to the passage that they are about."""
        self._lines.extend(lines)

    def passages(self) -> tuple[Passage, ...]:
        """Return everything collected so far."""
        self._close()
        return tuple(self._passages)

    def _close(self) -> None:
        if self._lines:
            self._passages.append(Passage("\n".join(self._lines), self._origin))
            self._lines = []


def short_href(href: str) -> str:
    """Cut an address to what is worth its tokens."""
    return href if len(href) <= MAX_HREF else href[:MAX_HREF] + "…"


def clipped(line: str, limit: int) -> str:
    """Cut a line to a length."""
    return line if len(line) <= limit else line[:limit] + "…"


def indented(row: Row, line: str) -> str:
    """Indent a line by the depth of its row, up to a limit."""
    return " " * min(row.depth, 40) + line


@dataclass(frozen=True)
class Rendered:
    """The passages for a model, their estimated cost in tokens, and how much they leave out."""

    passages: tuple[Passage, ...]
    tokens: int
    folded: int = 0
    folded_actionable: int = 0

    @classmethod
    def of(cls, lines: Lines, folded: int = 0, folded_actionable: int = 0) -> Rendered:
        """Measure what has been collected."""
        passages = lines.passages()
        return cls(passages, estimate(joined(passages)), folded, folded_actionable)

    @property
    def text(self) -> str:
        """All passages as one text."""
        return joined(self.passages)

    @property
    def is_complete(self) -> bool:
        """Whether every row is in the text."""
        return self.folded == 0


def render(snapshot: Snapshot, budget: int | None = None, *, links: bool = False, after: str = "") -> Rendered:
    """Render a snapshot in at most `budget` tokens; with `after`, only what is below the row of that ref."""
    start = _start(snapshot, after)
    rows = snapshot.rows[start:] if start else snapshot.rows
    notes = _notes(snapshot)
    if budget is None:
        return _whole(snapshot, rows, notes, links)
    length = _length(rows)
    rate = None if length < budget else _tokens_per_character(rows, links)
    if rate is None or length * rate < budget * CLEARLY_OVER:
        whole = _whole(snapshot, rows, notes, links)
        if whole.tokens <= budget:
            return whole
    return _fitted(_Plan(snapshot, start, rows, links, rate or _tokens_per_character(rows, links)), notes, budget)


def _length(rows: Sequence[Row]) -> int:
    return sum([len(row[3]) for row in rows])


def _tokens_per_character(rows: Sequence[Row], links: bool) -> float:
    """Estimate the tokens per character of a row, with its ref and indentation, from a sample of rows."""
    sample = rows[:: len(rows) // SAMPLED_ROWS + 1]
    text = "\n".join([indented(row, line_of(row, links=links)) for row in sample])
    return estimate(text) / max(_length(sample), 1)


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


def _whole(snapshot: Snapshot, rows: Sequence[Row], notes: Sequence[str], links: bool) -> Rendered:
    lines = Lines(snapshot.origin)
    for row in rows:
        lines.add(row, indented(row, line_of(row, links=links)))
    lines.extend(notes)
    return Rendered.of(lines)


def _fitted(plan: _Plan, notes: list[str], budget: int) -> Rendered:
    room = budget - sum(estimate(note) + 1 for note in notes) - 30
    best: Rendered | None = None
    for _ in range(6):
        rendered = plan.cut(room, notes)
        fits = rendered.tokens <= budget
        if fits and (best is None or rendered.tokens > best.tokens):
            best = rendered
        # The kept rows may cost less than the sample: a text well under its budget has room for more.
        if fits and (rendered.tokens > budget * ENOUGH or best is not rendered):
            break
        room = int(room * min(1.5, budget * 0.96 / max(rendered.tokens, 1)))
    return best or plan.cut(0, notes)


def _shortening(missing: int, actionable: int) -> str:
    left_out = f"{missing:,} lines left out, {actionable:,} of them can be pressed"
    return f"(shortened to fit: {left_out}; use expand, find or a target)"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


def _shortened(row: Row, line: str) -> str:
    if not row.flags & TEXT or len(line) <= LONG_TEXT:
        return line
    end = line.rfind('"')
    body = line[1:end]
    kept = body[: LONG_TEXT - 40]
    # Do not cut an escape in two: the last of an odd number of backslashes belongs to the next character.
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


def _tier(flags: int) -> int:
    is_in_view = flags & IN_VIEW and (flags & COVER or not flags & BEHIND)
    if is_in_view:
        return 0 if flags & (PRESS | FRAME | STRUCTURE) else 1
    if flags & (STRUCTURE | FOLD):
        return 2
    return 3 if flags & (PRESS | FRAME) else 4


# Indexed by a row's flags: its priority, and whether it can be pressed.
_TIERS = bytes(_tier(flags) for flags in range(ALL_FLAGS + 1))
_ACTIONABLE = bytes(1 if flags & (PRESS | FRAME) else 0 for flags in range(ALL_FLAGS + 1))
_FAR = 5


class _Plan:
    """Chooses the rows to keep when not all fit. Lines and parents are computed only for rows that it considers."""

    def __init__(self, snapshot: Snapshot, start: int, rows: Sequence[Row], links: bool, rate: float) -> None:
        self.rows = rows
        self.rate = rate
        self.start = start
        self.groups = snapshot.groups
        self.origin = snapshot.origin
        self.links = links
        self.actionable = bytes([_ACTIONABLE[row[1]] for row in rows])
        # For each row, the index of the outermost long list that it is in.
        self.outermost = [-1] * len(rows)
        self.order = self._order(snapshot)
        self._lines: dict[int, str] = {}
        self._parents: dict[int, int] = {}
        self._contexts: dict[int, list[int]] = {}

    def _order(self, snapshot: Snapshot) -> list[int]:
        far = self._note_groups()
        ranked: list[list[int]] = [[] for _ in range(_FAR + 1)]
        for index, row in enumerate(self.rows):
            tier = _TIERS[row[1]]
            ranked[_FAR if tier > 1 and far[index] else tier].append(index)
        if snapshot.scoped and ranked[0][:1] != [0]:
            ranked[0].insert(0, 0)
        return [index for tier in ranked for index in tier]

    def _note_groups(self) -> bytearray:
        """Record the list that each row is in; return which rows are far down in their list."""
        count = len(self.rows)
        far = bytearray(count)
        for number, group in sorted(enumerate(self.groups), key=lambda entry: entry[1].end - entry[1].starts[0]):
            first, end = (min(max(place - self.start, 0), count) for place in (group.starts[0], group.end))
            head = group.starts[GROUP_HEAD] - self.start if len(group.starts) > GROUP_HEAD else end
            head = min(max(head, first), end)
            self.outermost[first:end] = [number] * (end - first)
            far[first:head] = bytes(head - first)
            far[head:end] = b"\x01" * (end - head)
        return far

    def _place(self, index: int) -> tuple[int, int] | None:
        """Return the list that a row is in, and the index of the child."""
        number = self.outermost[index] if index < len(self.outermost) else -1
        if number < 0:
            return None
        return number, bisect_right(self.groups[number].starts, index + self.start) - 1

    def _line(self, index: int) -> str:
        """Return the line of a row as it is written, with indentation."""
        known = self._lines.get(index)
        if known is None:
            row = self.rows[index]
            known = self._lines[index] = indented(row, _shortened(row, line_of(row, links=self.links)))
        return known

    def _length(self, index: int) -> int:
        """Estimate the length of a line without writing it."""
        row = self.rows[index]
        return min(len(row[3]), LONG_TEXT) if row[1] & TEXT else len(row[3])

    def _parent(self, index: int) -> int:
        known = self._parents.get(index)
        if known is None:
            rows, parents = self.rows, self._parents
            depth = rows[index].depth
            known = index - 1
            # The rows between a row and its parent are at least as deep as the row.
            while known >= 0 and rows[known].depth >= depth:
                known = parents.get(known, known - 1)
            parents[index] = known
        return known

    def _chosen(self, room: int) -> list[int]:
        kept: set[int] = set()
        # By length, which is fast; the whole text is measured afterwards.
        left = room * (1 - SHARE_FOR_GAPS) / self.rate
        for index in self.order:
            if index in kept:
                continue
            needed = [each for each in self._with_context(index) if each not in kept]
            left -= sum(map(self._length, needed))
            if left < 0:
                break
            kept.update(needed)
        return sorted(kept | self._short_gaps(sorted(kept)))

    def _short_gaps(self, kept: Sequence[int]) -> set[int]:
        """Return the rows between kept ones that are no longer than what would stand for them."""
        short: set[int] = set()
        for before, after in zip([-1, *kept], [*kept, len(self.rows)], strict=True):
            gap = range(before + 1, after)
            if len(gap) <= SHORT_GAP_ROWS and sum(map(self._length, gap)) <= SHORT_GAP_LENGTH:
                short.update(gap)
        return short

    def _with_context(self, index: int) -> list[int]:
        """Return a row with its ancestors and the rest of its list item, without which it would mean little."""
        needed = self._contexts.get(index)
        if needed is None:
            needed = list(self._item(index))
            parent = self._parent(needed[0])
            while parent >= 0:
                needed.append(parent)
                parent = self._parent(parent)
            self._contexts[index] = needed
        return needed

    def _item(self, index: int) -> range:
        place = self._place(index)
        if place is None:
            return range(index, index + 1)
        group = self.groups[place[0]]
        bounds = (*group.starts[place[1] : place[1] + 2], group.end)
        start, end = bounds[0] - self.start, bounds[1] - self.start
        return range(max(start, 0), end) if end - start <= ITEM_ROWS else range(index, index + 1)

    def cut(self, room: int, notes: Sequence[str]) -> Rendered:
        """Choose rows for so many tokens and render them."""
        lines = Lines(self.origin)
        expected = missing = missing_actionable = 0
        for index in [*self._chosen(room), len(self.rows)]:
            if index > expected:
                missing += index - expected
                missing_actionable += self.actionable.count(1, expected, index)
                lines.extend(self._gap(expected, index))
            if index < len(self.rows):
                lines.add(self.rows[index], self._line(index))
            expected = index + 1
        if missing:
            lines.extend([_shortening(missing, missing_actionable)])
        lines.extend(notes)
        return Rendered.of(lines, missing, missing_actionable)

    def _gap(self, start: int, end: int) -> list[str]:
        """Write what stands for rows left out: the rest of a list with its handle, or a count."""
        place = self._place(start)
        pad = " " * min(self.rows[start].depth, 40)
        if place is not None:
            group = self.groups[place[0]]
            last = min(end, group.end - self.start)
            ends_inside = end < group.end - self.start
            after = self._place(end) if ends_inside else None
            upto = after[1] if after is not None else len(group.starts)
            first = place[1] if group.starts[place[1]] == start + self.start else place[1] + 1
            if upto > first:
                items = upto - first if ends_inside else group.total - group.child(first)
                line = f"{pad}… {items:,} more [expand {group.ref}:{group.child(first)}]"
                return [line, *(self._gap(last, end) if last < end else [])]
        actionable = self.actionable.count(1, start, end)
        said = f", {actionable:,} to press" if actionable else ""
        anchor = self._anchor(start)
        handle = f" [expand {anchor}+]" if anchor else ""
        return [f"{pad}… {_lines(end - start)}{said}{handle}"]

    def _anchor(self, index: int) -> str:
        for place in range(index - 1, -1, -1):
            row = self.rows[place]
            if row.ref and not row.flags & FOLD:
                return row.ref
        return ""
