"""Several pages of one article as one article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from rove.reading.blocks import BlockRewriter, Blocks, Heading, Runs
from rove.reading.parsed_article import Article

T = TypeVar("T")


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
