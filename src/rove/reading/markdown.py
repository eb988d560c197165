"""Blocks as Markdown (CommonMark and tables). Text of the page is escaped, so that it cannot pose as markup.

Links and images are references by number, `[text][3]` and `![text][i2]`: brackets of the page are escaped, so that
every number comes from rove.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from rove.reading.blocks import Block, Code, Heading, Listing, Paragraph, Quote, Rule, Run, Runs, Table
from rove.reading.positions import characters_of, written_out

STYLES = {"strong": "**", "emphasis": "*"}
_SPECIAL = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# What would begin a heading, a quote, a list, a rule or a heading's underline.
_LINE_START = re.compile(r"^(\s*)([#>+=-]|\d{1,9}[.)])", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")


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
        joined += [Run("".join(map(written_out, group)), "code")] if is_code else group
    return joined


def _between(start: str, text: str, end: str) -> str:
    """Put marks around a text, inside of the spaces at its ends; an empty text needs none."""
    stripped = text.strip()
    if not stripped:
        return text
    return f"{text[: len(text) - len(text.lstrip())]}{start}{stripped}{end}{text[len(text.rstrip()) :]}"


def _run(run: Run, before: str, after: str) -> str:
    if run.image:
        return f"![{escape(' '.join(run.text.split()))}][i{run.image}]"
    if run.style == "code":
        return _code_span(run.text)
    characters = characters_of(run)
    if characters is None:
        return _between(f"<{run.position}>", escape(run.text), f"</{run.position}>")
    mark = STYLES.get(run.style, "")
    stripped = characters.strip()
    if not mark or not stripped or "\n" in stripped or not _can_be_marked(stripped, characters, before, after):
        return escape(characters)
    return _between(mark, escape(characters), mark)


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
        return escape(inside)
    ticks = "`" * (max([0, *(len(found) for found in _BACKTICKS.findall(inside))]) + 1)
    pad = " " if inside[0] == "`" or inside[-1] == "`" else ""
    return f"{ticks}{pad}{inside}{pad}{ticks}"


def escape(text: str) -> str:
    """Escape what Markdown would read as markup in a text."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)
