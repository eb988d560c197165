"""Old and new refs of what was drawn again, as ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence

# A prefix, and the numbers of the old and the new ref.
_Step = tuple[str, int, int]


def ref_runs(pairs: Iterable[tuple[str, str]], others: Collection[str] = ()) -> Iterator[str]:
    """Write pairs of old and new refs, those at the same distance as one range each.

    A range contains none of the other refs, which are told as something else or have not changed.
    """
    runs: list[list[_Step]] = []
    between = sorted(_parts(other) for other in others)
    for was, now in pairs:
        prefix, old = _parts(was)
        step = (prefix, old, _parts(now)[1])
        last = runs[-1][-1] if runs else None
        if last and _follows(last, step, between):
            runs[-1].append(step)
        else:
            runs.append([step])
    for run in runs:
        prefix, old, new = run[0]
        if len(run) < 3:
            yield from (f"{prefix}{old}→{prefix}{new}" for _, old, new in run)
        else:
            yield f"{prefix}{old}…{prefix}{run[-1][1]}→{prefix}{new}…{prefix}{run[-1][2]}"


def _follows(last: _Step, step: _Step, others: Sequence[tuple[str, int]]) -> bool:
    """Whether a step goes on with a range: at the same distance, and with no other ref in between."""
    prefix, old, new = step
    if last[0] != prefix or not 0 < old - last[1] == new - last[2]:
        return False
    return not (_is_any_between(others, prefix, last[1], old) or _is_any_between(others, prefix, last[2], new))


def _is_any_between(refs: Sequence[tuple[str, int]], prefix: str, first: int, last: int) -> bool:
    """Whether any of the sorted refs lies between two numbers."""
    place = bisect_right(refs, (prefix, first))
    return place < len(refs) and refs[place] < (prefix, last)


def _parts(ref: str) -> tuple[str, int]:
    letters = ref.rstrip("0123456789")
    return letters, int(ref[len(letters) :])
