"""`rove snapshot --pretty`: the page as a tree for people, with colour where the terminal has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rove.outcome import AnyOutcome
from rove.render.cleaning import one_line, readable
from rove.surfaces.colours import Palette

# A row of a snapshot: what it is, what it is called, and the rest, in which refs are marked.
_ROW = re.compile(r'(?P<role>[a-z-]+)?(?P<name> ?"(?:[^"\\]|\\.)*")?(?P<rest>.*)')
_REF = re.compile(r"\[e\d+\]")


LINES = ("├─ ", "└─ ", "│  ", "   ")
ASCII_LINES = ("|- ", "`- ", "|  ", "   ")


def lines_for(encoding: str) -> Sequence[str]:
    """Return what a tree is drawn with where the terminal has an encoding."""
    try:
        "".join(LINES).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII_LINES
    return LINES


def pretty(outcome: AnyOutcome, palette: Palette, drawn: Sequence[str] = LINES) -> str:
    """Return the page's title and address, and its rows as a tree; a line names each frame of another origin."""
    title, url = one_line(outcome.title or "", 100), one_line(outcome.url or "", 100)
    lines = [f"{palette.paint(title, 'bold')}  {palette.paint(url, 'dim')}".strip()]
    for passage in outcome.result.passages(outcome.origin):
        if passage.origin not in (None, outcome.origin):
            lines.append(palette.paint(f"from {one_line(passage.origin, 100)}", "yellow"))
        lines += _tree(readable(passage.text).split("\n"), palette, drawn)
    return "\n".join(lines) + "\n"


def _tree(rows: Sequence[str], palette: Palette, drawn: Sequence[str]) -> Iterator[str]:
    depths = [len(row) - len(row.lstrip(" ")) for row in rows]
    for number, row in enumerate(rows):
        guides = "".join(_guides(depths[number:], depths[number], drawn))
        yield palette.paint(guides, "dim") + _painted(row.strip(" "), palette)


def _guides(following: Sequence[int], depth: int, drawn: Sequence[str]) -> Iterator[str]:
    """Yield what stands before a row: for each level above it, whether that level goes on below."""
    for level in range(1, depth + 1):
        goes_on = _goes_on(following[1:], level)
        if level == depth:
            yield drawn[0] if goes_on else drawn[1]
        else:
            yield drawn[2] if goes_on else drawn[3]


def _goes_on(following: Iterable[int], level: int) -> bool:
    """Whether a row of this level comes before one of a higher level."""
    for depth in following:
        if depth <= level:
            return depth == level
    return False


def _painted(row: str, palette: Palette) -> str:
    found = _ROW.fullmatch(row)
    if not palette.is_used or found is None:
        return row
    rest = _REF.sub(lambda ref: palette.paint(ref[0], "green"), found["rest"])
    return palette.paint(found["role"] or "", "cyan") + palette.paint(found["name"] or "", "bold") + rest
