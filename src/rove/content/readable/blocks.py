"""An article as blocks of text: what every format is rendered from, so that each is balanced by construction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rove.records import dataclass

Style: TypeAlias = Literal["", "strong", "emphasis", "code"]
Position: TypeAlias = Literal["", "sup", "sub"]
# Counted for each block beside its text, so that many empty ones do not add up to an unbounded output.
BLOCK_COST = 2

_PLAIN = "0123456789+-\u2212=()"
_FORMS = {
    "sup": str.maketrans(_PLAIN + "ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
_SIGNS = {"sup": "^", "sub": "_"}
# Words such as the ends of ordinals, and what begins with a mark of its own, read the same on the line.
_SAME_ON_THE_LINE = re.compile(r"[^\W\d_]{2,}\.?|[^\w\s+\-\u2212=].*|", re.DOTALL)


@dataclass(frozen=True)
class Image:
    """An image of an article: its absolute http(s) address, and the text that the page gives in its place."""

    address: str
    alt: str = ""


@dataclass(frozen=True)
class Run:
    """Text of one look. `link` and `image` are numbers that count from one; 0 stands for none."""

    text: str
    style: Style = ""
    link: int = 0
    image: int = 0
    # Whether it is above or below the line: 10 with 6 above it is not 106.
    position: Position = ""
    # Whether it is struck through, as an old price is.
    is_struck: bool = False

    def looks_like(self, other: Run) -> bool:
        """Return whether two runs of text can be one."""
        return replace(self, text="") == replace(other, text="")


Runs: TypeAlias = tuple[Run, ...]


@dataclass(frozen=True)
class Paragraph:
    runs: Runs


@dataclass(frozen=True)
class Heading:
    level: int
    runs: Runs


@dataclass(frozen=True)
class Code:
    text: str
    language: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells, all of the same number. The first row is the heading."""

    rows: tuple[tuple[Runs, ...], ...]


@dataclass(frozen=True)
class Quote:
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Listing:
    """A list; `start` is the first number of an ordered one."""

    items: tuple[tuple[Block, ...], ...]
    is_ordered: bool = False
    start: int = 1


@dataclass(frozen=True)
class Rule:
    pass


Block: TypeAlias = "Paragraph | Heading | Code | Table | Quote | Listing | Rule"
Blocks: TypeAlias = tuple[Block, ...]


def runs_in(blocks: Iterable[Block]) -> Iterable[Run]:
    """Yield every run of text in blocks, in order."""
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            yield from block.runs
        elif isinstance(block, Table):
            yield from (run for row in block.rows for cell in row for run in cell)
        elif isinstance(block, Quote):
            yield from runs_in(block.blocks)
        elif isinstance(block, Listing):
            yield from (run for item in block.items for run in runs_in(item))
        elif isinstance(block, Code):
            yield Run(block.text)


def has_text(blocks: Iterable[Block]) -> bool:
    """Return whether any text can be read in blocks."""
    return any(run.text.strip() for run in runs_in(blocks))


def text_length(blocks: Iterable[Block]) -> int:
    """Return how many characters of text are in blocks."""
    return sum(len(run.text) for run in runs_in(blocks))


def cut_blocks(blocks: Sequence[Block], room: int) -> Blocks:
    """Return the first blocks, of at most `room` characters of text. The last one may be cut."""
    return _Cutter(room).blocks(blocks)


class BlockRewriter:
    """Makes other blocks of blocks. A subclass overrides what it changes."""

    def blocks(self, blocks: Sequence[Block]) -> Blocks:
        return tuple(map(self.block, blocks))

    def block(self, block: Block) -> Block:
        if isinstance(block, Paragraph | Heading):
            return replace(block, runs=self.runs(block.runs))
        if isinstance(block, Quote):
            return Quote(self.blocks(block.blocks))
        if isinstance(block, Listing):
            return replace(block, items=self.items(block.items))
        if isinstance(block, Table):
            return Table(self.rows(block.rows))
        return replace(block, text=self.text(block.text)) if isinstance(block, Code) else block

    def items(self, items: Sequence[Blocks]) -> tuple[Blocks, ...]:
        return tuple(map(self.blocks, items))

    def rows(self, rows: Sequence[tuple[Runs, ...]]) -> tuple[tuple[Runs, ...], ...]:
        return tuple(tuple(map(self.runs, row)) for row in rows)

    def runs(self, runs: Runs) -> Runs:
        return runs

    def text(self, text: str) -> str:
        return text


class _Cutter(BlockRewriter):
    """Leaves out what comes after so many characters."""

    def __init__(self, room: int) -> None:
        self._room = room

    def blocks(self, blocks: Sequence[Block]) -> Blocks:
        kept: list[Block] = []
        for block in blocks:
            self._room -= BLOCK_COST
            if self._room <= 0:
                break
            kept.append(self.block(block))
        return tuple(kept)

    def items(self, items: Sequence[Blocks]) -> tuple[Blocks, ...]:
        kept: list[Blocks] = []
        for item in items:
            if self._room <= 0:
                break
            kept.append(self.blocks(item))
        return tuple(kept)

    def rows(self, rows: Sequence[tuple[Runs, ...]]) -> tuple[tuple[Runs, ...], ...]:
        kept: list[tuple[Runs, ...]] = []
        for row in rows:
            if self._room <= 0:
                break
            self._room -= BLOCK_COST * len(row)
            kept.append(tuple(self.runs(cell) for cell in row))
        return tuple(kept)

    def runs(self, runs: Runs) -> Runs:
        kept: list[Run] = []
        for run in runs:
            if self._room <= 0:
                break
            kept.append(replace(run, text=self.text(run.text)))
        return tuple(kept)

    def text(self, text: str) -> str:
        kept = text[: max(self._room, 0)]
        self._room -= len(text)
        return kept


def characters_of(run: Run) -> str | None:
    """Return the text of a run in characters that show its position; None if there are none for it."""
    return _characters(run.text, run.position) if run.position else run.text


def written_out(run: Run) -> str:
    """Return the text of a run with a sign for its position where there are no characters for it: `^(a)`."""
    characters = characters_of(run)
    return f"{_SIGNS[run.position]}({run.text.strip()})" if characters is None else characters


def _characters(text: str, position: Position) -> str | None:
    formed = text.translate(_FORMS[position])
    if all(before != after or before.isspace() for before, after in zip(text, formed, strict=True)):
        return formed
    return text if _SAME_ON_THE_LINE.fullmatch(text.strip()) else None
