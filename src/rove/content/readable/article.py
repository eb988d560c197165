"""Articles: the main content of a page or of several, with its facts, as Markdown, text or HTML.

Links and images are references by number, `[text][3]` and `![text][i2]`: brackets of the page are escaped, so that
every number comes from rove.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby
from typing import Literal, TypeVar

from rove.content.page_source import Format
from rove.content.readable.blocks import (
    Block,
    BlockRewriter,
    Blocks,
    Code,
    Heading,
    Image,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
    characters_of,
    cut_blocks,
    runs_in,
    written_out,
)
from rove.records import dataclass

STYLES = {"strong": "**", "emphasis": "*"}
_SPECIAL = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# What would begin a heading, a quote, a list, a rule or a heading's underline.
_LINE_START = re.compile(r"^(\s*)([#>+=-]|\d{1,9}[.)])", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
STYLE_ELEMENTS = {"strong": "strong", "emphasis": "em", "code": "code"}
T = TypeVar("T")


def render_markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown."""
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _LINE_START.sub(_escaped_start, _runs(block.runs).strip()).replace("\n", "\\\n")
    if isinstance(block, Heading):
        text = _one_line(block.runs)
        return f"{'#' * block.level} {text}" if text else ""
    if isinstance(block, Code):
        return _fenced(block)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Quote):
        return re.sub(r"(?m)^(?=.)", "> ", re.sub(r"(?m)^$", ">", render_markdown(block.blocks)))
    return "---" if isinstance(block, Rule) else _list(block)


def _escaped_start(found: re.Match[str]) -> str:
    mark = found[2]
    return f"{found[1]}{mark[:-1]}\\{mark[-1]}"


def _fenced(block: Code) -> str:
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _BACKTICKS.findall(block.text))])
    return f"{fence}{block.language}\n{block.text.strip(chr(10))}\n{fence}"


def _list(block: Listing) -> str:
    marks = (f"{block.start + number}. " if block.is_ordered else "- " for number in range(len(block.items)))
    return "\n".join(filter(None, map(_item, marks, block.items)))


def _item(mark: str, blocks: Sequence[Block]) -> str:
    # A list right below the text of its item needs no empty line.
    text = ""
    for block in blocks:
        rendered = _block(block)
        if rendered:
            text += ("" if not text else "\n" if isinstance(block, Listing) else "\n\n") + rendered
    return mark + re.sub(r"\n(?=.)", "\n" + " " * len(mark), text) if text else ""


def _table(block: Table) -> str:
    rows = ["| " + " | ".join(map(_one_line, row)) + " |" for row in block.rows]
    if not rows:
        return ""
    return "\n".join([rows[0], "|" + " --- |" * len(block.rows[0]), *rows[1:]])


def _one_line(runs: Runs) -> str:
    return " ".join(_runs(runs).split())


def _runs(runs: Runs) -> str:
    """Return runs as one text; runs of one link are linked together."""
    text = ""
    for number, group in groupby(runs, lambda run: run.link):
        text += _linked(number, list(group), text[-1:])
    return text


def _linked(number: int, runs: Sequence[Run], before: str) -> str:
    inside = ""
    for is_struck, group in groupby(runs, lambda run: run.is_struck):
        text = _styled(list(group), (inside or before)[-1:])
        inside += _between("~~", text, "~~") if is_struck else text
    return _between("[", inside, f"][{number}]") if number else inside


def _styled(runs: Sequence[Run], before: str) -> str:
    runs, text = _with_code_joined(runs), ""
    for place, run in enumerate(runs):
        after = runs[place + 1].text[:1] if place + 1 < len(runs) else ""
        text += _run(run, (text or before)[-1:], after)
    return text


def _with_code_joined(runs: Sequence[Run]) -> list[Run]:
    """Make adjacent runs of code one: the marks of two code spans beside each other would count as others."""
    joined: list[Run] = []
    for is_code, group in groupby(runs, lambda run: run.style == "code" and not run.image):
        same = list(group)
        joined += [Run("".join(map(written_out, same)), "code")] if is_code else same
    return joined


def _between(start: str, text: str, end: str) -> str:
    """Put marks around a text, inside of the spaces at its ends; an empty text needs none."""
    stripped = text.strip()
    if not stripped:
        return text
    return f"{text[: len(text) - len(text.lstrip())]}{start}{stripped}{end}{text[len(text.rstrip()) :]}"


def _run(run: Run, before: str, after: str) -> str:
    if run.image:
        return f"![{escaped_markdown(' '.join(run.text.split()))}][i{run.image}]"
    if run.style == "code":
        return _code_span(run.text)
    characters = characters_of(run)
    if characters is None:
        return _between(f"<{run.position}>", escaped_markdown(run.text), f"</{run.position}>")
    mark = STYLES.get(run.style, "")
    stripped = characters.strip()
    if not mark or not stripped or "\n" in stripped or not _can_be_marked(stripped, characters, before, after):
        return escaped_markdown(characters)
    return _between(mark, escaped_markdown(characters), mark)


def _can_be_marked(stripped: str, text: str, before: str, after: str) -> bool:
    """Return whether marks of emphasis count as such where letters stand around the text."""
    is_open = stripped[0].isalnum() or text[0].isspace() or not before or before.isspace()
    is_closed = stripped[-1].isalnum() or text[-1].isspace() or not after or after.isspace()
    return is_open and is_closed and before not in ("*", "\\")


def _code_span(text: str) -> str:
    inside = " ".join(text.split())
    if not inside:
        return " " if text else ""
    if "``" in inside:  # longer marks at the start of a line would look like a fence
        return escaped_markdown(inside)
    ticks = "`" * (max([0, *(len(found) for found in _BACKTICKS.findall(inside))]) + 1)
    pad = " " if inside[0] == "`" or inside[-1] == "`" else ""
    return f"{ticks}{pad}{inside}{pad}{ticks}"


def escaped_markdown(text: str) -> str:
    """Escape what Markdown would read as markup in a text."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


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
            language = f' class="language-{escape(block.language)}"' if block.language else ""
            return f"<pre><code{language}>{escape(block.text)}</code></pre>"
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
        for tag in filter(None, (run.position, STYLE_ELEMENTS.get(run.style), "del" if run.is_struck else "")):
            text = f"<{tag}>{text}</{tag}>"
        return text


def render_text(blocks: Iterable[Block]) -> str:
    """Return blocks as plain text."""
    return "\n\n".join(filter(None, map(_plain_block, blocks)))


def _plain_block(block: Block) -> str:
    if isinstance(block, Paragraph | Heading):
        return _plain_runs(block.runs)
    if isinstance(block, Code):
        return block.text.strip("\n")
    if isinstance(block, Table):
        return "\n".join("\t".join(_plain_runs(cell).replace("\n", " ") for cell in row).rstrip() for row in block.rows)
    if isinstance(block, Quote):
        return render_text(block.blocks)
    return "" if isinstance(block, Rule) else _plain_list(block)


def _plain_list(block: Listing) -> str:
    texts = ["\n".join(filter(None, map(_plain_block, item))) for item in block.items]
    marks = (f"{block.start + number}. " if block.is_ordered else "- " for number in range(len(texts)))
    return "\n".join(
        mark + text.replace("\n", "\n" + " " * len(mark)) for mark, text in zip(marks, texts, strict=True) if text
    )


def _plain_runs(runs: Runs) -> str:
    groups = groupby((run for run in runs if not run.image), lambda run: run.is_struck)
    return "".join(_struck(group) if is_struck else _plain_joined(group) for is_struck, group in groups).strip()


def _plain_joined(runs: Iterable[Run]) -> str:
    return "".join(map(written_out, runs))


def _struck(runs: Iterable[Run]) -> str:
    """Mark text that is struck through: an old price beside the new one is no price."""
    text = _plain_joined(runs)
    return text.replace(text.strip(), f"~~{text.strip()}~~") if text.strip() else text


@dataclass(frozen=True)
class Rendered:
    """An article in one format, whether its end is missing, and the numbers of links and images in it."""

    text: str
    is_cut: bool
    links: tuple[int, ...] = ()
    images: tuple[int, ...] = ()
    # Whether the text names links and images by these numbers.
    is_numbered: bool = False


@dataclass(frozen=True)
class Article:
    """The main content of a page. Facts that the page does not give are empty."""

    title: str
    byline: str
    date: str
    site: str
    language: str
    # Absolute http(s) addresses: the number n in the text is that of links[n - 1].
    links: tuple[str, ...]
    images: tuple[Image, ...]
    # The address of the next page of the same article.
    next_page: str
    # The passages that a person does not see, which were left out.
    unseen: tuple[str, ...]
    # False where no main content was found: then all of the page's text is given.
    is_main: bool
    blocks: tuple[Block, ...]
    # Whether the page has more than was read.
    is_cut: bool = False

    def render(self, format: Format, longest: int) -> Rendered:
        """Return the content in a format, in at most so many characters."""
        room = longest
        blocks = cut_blocks(self.blocks, room)
        text = self._in(format, blocks)
        while len(text) > longest and room > 0:
            # Marks and addresses take room beside the text.
            room = min(room - 1, room * longest // len(text))
            blocks = cut_blocks(self.blocks, room)
            text = self._in(format, blocks)
        is_cut = self.is_cut or blocks != self.blocks
        return Rendered(text, is_cut, _numbers(blocks, "link"), _numbers(blocks, "image"), format == "markdown")

    def _in(self, format: Format, blocks: Sequence[Block]) -> str:
        if format == "markdown":
            return render_markdown(blocks)
        return render_text(blocks) if format == "text" else render_html(blocks, self.links, self.images)


def _numbers(blocks: Sequence[Block], kind: Literal["link", "image"]) -> tuple[int, ...]:
    return tuple(sorted({number for run in runs_in(blocks) if (number := getattr(run, kind))}))


def join_articles(first: Article, rest: Sequence[Article]) -> Article:
    """Return the pages of one article as one, with the facts of the first page."""
    joined = first
    for article in rest:
        joined = _joined(joined, article)
    return joined


def continue_numbers(first: Article, second: Article) -> Article:
    """Return the second article with numbers that go on from those of the first; one address has one number."""
    links, images = _merged(first.links, second.links), _merged(first.images, second.images)
    renumbering = _Renumbering(_places(second.links, links), _places(second.images, images))
    return replace(second, blocks=renumbering.blocks(second.blocks), links=links, images=images)


def _joined(first: Article, second: Article) -> Article:
    following = continue_numbers(first, second)
    return replace(
        first,
        blocks=(*first.blocks, *_without_title(following.blocks, first.blocks)),
        links=following.links,
        images=following.images,
        next_page=second.next_page,
        unseen=(*first.unseen, *second.unseen),
        is_cut=first.is_cut or second.is_cut,
    )


def _merged(first: Sequence[T], second: Sequence[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def _places(items: Sequence[T], places: Sequence[T]) -> list[int]:
    """Return the number of each item among `places`, counted from one."""
    numbers = {item: number for number, item in enumerate(places, 1)}
    return [numbers[item] for item in items]


def _without_title(blocks: Blocks, before: Blocks) -> Blocks:
    """Leave out the heading that every page of an article begins with."""
    starts = bool(blocks) and bool(before) and isinstance(blocks[0], Heading) and blocks[0] == before[0]
    return blocks[1:] if starts else blocks


class _Renumbering(BlockRewriter):
    """Gives the links and images of blocks other numbers."""

    def __init__(self, links: Sequence[int], images: Sequence[int]) -> None:
        self._links = (0, *links)
        self._images = (0, *images)

    def runs(self, runs: Runs) -> Runs:
        return tuple(replace(run, link=self._links[run.link], image=self._images[run.image]) for run in runs)
