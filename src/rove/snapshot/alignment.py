"""Pairs the equal items of two sequences, in time nearly linear in their length."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

# What an item is compared by: whose it is, and what it says.
Key = tuple[str, str]
Pair = tuple[int, int]
Span = tuple[int, int, int, int]

# Whose an item is when it cannot be told from others that say the same: only its place tells them apart.
ANY = "?"
MAX_ROUNDS = 24


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
