"""Comparison with a second extractor: what both found is content, what only one found has to look like it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rove.reading.blocks import Block, Blocks, Heading, Listing, Paragraph, Quote, Runs, runs_in

# Characters from which a text that only the scores found counts as prose, without and with a sentence's end.
LONG = 200
SENTENCE = 80
MOST_LINKED = 0.3
# Below this share of common words, the two found different parts of the page.
OVERLAP = 0.5
# The share of the second extractor's words that must be in the text found by scores, so that it may confirm it.
CONFIRMING = 0.7
# The scores found only pieces of an article if they missed so much prose within it, for each character of their own.
MISSED = 0.4
# So many letters that both found must follow it: a line of the footer may be in both texts.
_LANDMARK = 300
FEW_WORDS = 30
FEWEST_WORDS = 8
# The share of words in common from which two texts count as the same.
SAME = 0.9
# A letter of these scripts says as much as several of others.
_DENSE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
DENSITY = 3
_END = re.compile(r"[.!?。！？…:;\"”»)]\s*$")
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+")
# Of a paragraph, so many letters are looked for in the other text.
_PROBE = 50


def choose(scored: Blocks, other: Blocks, captions: str = "") -> tuple[Blocks, bool]:
    """Return the content, and whether it is the other extractor's. Captions of figures need no confirmation."""
    words, others = words_in(scored), words_in(other)
    shared = sum((words & others).values())
    if _is_better(scored, other, shared / max(1, min(words.total(), others.total()))):
        return other, True
    if others.total() < FEW_WORDS:
        return scored, False
    if shared >= CONFIRMING * words.total() and _missed_length(scored, other) > MISSED * _prose_length(scored):
        return other, True
    if shared < CONFIRMING * others.total():
        return scored, False
    return _Confirmation(other, captions).confirmed(scored) or scored, False


def _is_better(scored: Blocks, other: Blocks, overlap: float) -> bool:
    """Return whether the other text is to be taken: it is of another part of the page, with much more prose."""
    return overlap < OVERLAP and _prose_length(other) > 1.5 * _prose_length(scored)


def is_same(text: str, other: Blocks) -> bool:
    """Return whether a text has nearly the words that the other extractor found."""
    words, others = words_of(text), words_in(other)
    shared = sum((words & others).values())
    return others.total() >= FEWEST_WORDS and 2 * shared >= SAME * (words.total() + others.total())


def _missed_length(scored: Blocks, other: Blocks) -> int:
    """Return how much prose the other text has before the last passage that the scores found too.

    Lists of other articles stand after the article, so that what stands within it belongs to it.
    """
    known = _letters("".join(run.text for run in runs_in(scored)))
    missed = since = found = 0
    for runs in _passages(other):
        letters = _letters(_text(runs))
        if letters[:_PROBE] in known:
            found += len(letters)
        elif is_prose(runs):
            since, found = since + len(letters), 0
        if found >= _LANDMARK:
            missed, since = missed + since, 0
    return missed


def _passages(blocks: Sequence[Block]) -> Iterator[Runs]:
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            yield block.runs
        elif isinstance(block, Quote):
            yield from _passages(block.blocks)
        elif isinstance(block, Listing):
            for item in block.items:
                yield from _passages(item)


def words_in(blocks: Blocks) -> Counter[str]:
    """Return how often each word is in blocks; a letter of Chinese and Japanese counts as a word."""
    return Counter(word for run in runs_in(blocks) for word in _WORD.findall(run.text))


def words_of(text: str) -> Counter[str]:
    """Return how often each word is in a text."""
    return Counter(_WORD.findall(text))


def _prose_length(blocks: Sequence[Block]) -> int:
    """Return how many characters of running text blocks hold."""
    length = 0
    for block in blocks:
        if isinstance(block, Paragraph) and is_prose(block.runs):
            length += len(_text(block.runs))
        elif isinstance(block, Quote):
            length += _prose_length(block.blocks)
        elif isinstance(block, Listing):
            length += sum(map(_prose_length, block.items))
    return length


def is_prose(runs: Runs) -> bool:
    """Return whether a text reads like a part of an article by itself."""
    text = _text(runs)
    size = size_of(text)
    linked = sum(len(run.text) for run in runs if run.link and not run.image)
    if size >= LONG:
        return linked < MOST_LINKED * len(text)
    return size >= SENTENCE and not linked and _END.search(text) is not None


def size_of(text: str) -> int:
    """Return the number of characters, those of scripts that say more with one counted several times."""
    return len(text) + (DENSITY - 1) * len(_DENSE.findall(text))


def _text(runs: Runs) -> str:
    return "".join(run.text for run in runs if not run.image).strip()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


class _Confirmation:
    """Keeps the texts that the other extractor found too, and those that read like a part of an article."""

    def __init__(self, other: Blocks, captions: str) -> None:
        self._known = _letters("".join(run.text for run in runs_in(other)) + captions)

    def confirmed(self, blocks: Blocks) -> Blocks:
        kept = [each for each in map(self._block, blocks) if each is not None]
        return tuple(block for number, block in enumerate(kept) if self._has_content(kept, number))

    def _block(self, block: Block) -> Block | None:
        if isinstance(block, Paragraph):
            return block if self._is_known(block.runs) or is_prose(block.runs) else None
        if isinstance(block, Quote):
            inside = self.confirmed(block.blocks)
            return Quote(inside) if inside else None
        if isinstance(block, Listing):
            if not any(run.link for run in runs_in((block,))):
                return block
            items = tuple(filter(None, map(self.confirmed, block.items)))
            return replace(block, items=items) if items else None
        return block

    def _is_known(self, runs: Runs) -> bool:
        letters = _letters(_text(runs))
        return not letters or letters[:_PROBE] in self._known

    def _has_content(self, blocks: Sequence[Block], number: int) -> bool:
        """Return whether a block is no heading that is left without the text below it."""
        block = blocks[number]
        if not isinstance(block, Heading) or self._is_known(block.runs):
            return True
        return number + 1 < len(blocks) and not isinstance(blocks[number + 1], Heading)
