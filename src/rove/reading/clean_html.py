"""Blocks as HTML: only elements and attributes that are written here, so that nothing in it can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from rove.reading.blocks import Block, Code, Heading, Listing, Paragraph, Quote, Rule, Run, Runs, Table
from rove.reading.image import Image

STYLES = {"strong": "strong", "emphasis": "em", "code": "code"}


def render_html(blocks: Iterable[Block], links: Sequence[str], images: Sequence[Image]) -> str:
    """Return blocks as HTML with absolute addresses."""
    return "\n".join(_Html(links, images).blocks(blocks))


class _Html:
    def __init__(self, links: Sequence[str], images: Sequence[Image]) -> None:
        self._links = links
        self._images = images

    def blocks(self, blocks: Iterable[Block]) -> list[str]:
        return [self._block(block) for block in blocks]

    def _block(self, block: Block) -> str:
        if isinstance(block, Paragraph):
            return f"<p>{self._runs(block.runs)}</p>"
        if isinstance(block, Heading):
            return f"<h{block.level}>{self._runs(block.runs)}</h{block.level}>"
        if isinstance(block, Code):
            # A line break right after the start of a <pre> does not count.
            return f"<pre><code>\n{escape(block.text)}</code></pre>"
        if isinstance(block, Quote):
            return "<blockquote>\n" + "\n".join(self.blocks(block.blocks)) + "\n</blockquote>"
        if isinstance(block, Table):
            return self._table(block)
        return "<hr>" if isinstance(block, Rule) else self._list(block)

    def _list(self, block: Listing) -> str:
        tag = "ol" if block.is_ordered else "ul"
        start = f' start="{block.start}"' if block.is_ordered and block.start != 1 else ""
        items = "\n".join(f"<li>{self._item(item)}</li>" for item in block.items)
        return f"<{tag}{start}>\n{items}\n</{tag}>"

    def _item(self, item: Sequence[Block]) -> str:
        if len(item) == 1 and isinstance(item[0], Paragraph):
            return self._runs(item[0].runs)
        return "\n".join(self.blocks(item))

    def _table(self, block: Table) -> str:
        rows = [self._row(row, "td" if number else "th") for number, row in enumerate(block.rows)]
        return "<table>\n" + "\n".join(rows) + "\n</table>"

    def _row(self, row: Sequence[Runs], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{self._runs(cell)}</{tag}>" for cell in row) + "</tr>"

    def _runs(self, runs: Runs) -> str:
        return "".join(self._linked(number, list(group)) for number, group in groupby(runs, lambda run: run.link))

    def _linked(self, number: int, runs: Sequence[Run]) -> str:
        inside = "".join(map(self._run, runs))
        return f'<a href="{escape(self._links[number - 1])}">{inside}</a>' if number else inside

    def _run(self, run: Run) -> str:
        if run.image:
            image = self._images[run.image - 1]
            return f'<img src="{escape(image.address)}" alt="{escape(image.alt)}">'
        text = escape(run.text).replace("\n", "<br>\n")
        for tag in filter(None, (run.position, STYLES.get(run.style), "del" if run.is_struck else "")):
            text = f"<{tag}>{text}</{tag}>"
        return text
