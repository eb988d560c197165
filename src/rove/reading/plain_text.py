"""Blocks as plain text: paragraphs set apart by empty lines, no links, no marks but of lists and struck text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rove.reading.blocks import Block, Code, Heading, Listing, Paragraph, Quote, Rule, Run, Runs, Table
from rove.reading.positions import written_out


def render_text(blocks: Iterable[Block]) -> str:
    """Return blocks as plain text."""
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: Block) -> str:
    if isinstance(block, Paragraph | Heading):
        return _runs(block.runs)
    if isinstance(block, Code):
        return block.text.strip("\n")
    if isinstance(block, Table):
        return "\n".join("\t".join(_runs(cell).replace("\n", " ") for cell in row).rstrip() for row in block.rows)
    if isinstance(block, Quote):
        return render_text(block.blocks)
    return "" if isinstance(block, Rule) else _list(block)


def _list(block: Listing) -> str:
    texts = ["\n".join(filter(None, map(_block, item))) for item in block.items]
    marks = (f"{block.start + number}. " if block.is_ordered else "- " for number in range(len(texts)))
    return "\n".join(
        mark + text.replace("\n", "\n" + " " * len(mark)) for mark, text in zip(marks, texts, strict=True) if text
    )


def _runs(runs: Runs) -> str:
    groups = groupby((run for run in runs if not run.image), lambda run: run.is_struck)
    return "".join(_struck(group) if is_struck else _joined(group) for is_struck, group in groups).strip()


def _joined(runs: Iterable[Run]) -> str:
    return "".join(map(written_out, runs))


def _struck(runs: Iterable[Run]) -> str:
    """Mark text that is struck through: an old price beside the new one is no price."""
    text = _joined(runs)
    return text.replace(text.strip(), f"~~{text.strip()}~~") if text.strip() else text
