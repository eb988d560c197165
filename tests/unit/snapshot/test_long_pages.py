"""Differences of long pages: only the rows between equal ends are compared, which must make no difference."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest

from rove.snapshot import Snapshot, comparison, difference
from rove.snapshot.tree import IN_VIEW, ITEM, PRESS, REF_PLACE, STRUCTURE, TEXT, Row

LINES = [
    f'button "Edit"{REF_PLACE}', f"list{REF_PLACE}", f"listitem{REF_PLACE}", f'heading "Part"{REF_PLACE}',
    f"row{REF_PLACE}", f'cell "x"{REF_PLACE}', '"one"', '"two"',
]  # fmt: skip


def rows_of(chance: random.Random) -> list[Row]:
    rows: list[Row] = []
    depth = 0
    for number in range(chance.randrange(5, 120)):
        depth = max(0, min(6, depth + chance.choice([-2, -1, 0, 0, 0, 1])))
        flags = chance.choice([0, 0, TEXT, ITEM, STRUCTURE, PRESS | IN_VIEW])
        ref = f"e{number + 1}" if chance.random() < 0.5 and not flags & TEXT else ""
        rows.append(Row(depth, flags, ref, chance.choice(LINES)))
    return rows


def changed(rows: list[Row], chance: random.Random) -> list[Row]:
    rows = list(rows)
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(rows))
        way = chance.choice(["gone", "new", "other"])
        if way == "gone" and len(rows) > 1:
            del rows[place]
        elif way == "new":
            ref = chance.choice(["", f"e{chance.randrange(900, 999)}"])
            rows.insert(place, Row(chance.randrange(5), chance.choice([0, TEXT, ITEM]), ref, chance.choice(LINES)))
        else:
            ref = chance.choice([rows[place].ref, "", f"e{chance.randrange(800, 899)}"])
            rows[place] = rows[place]._replace(line=chance.choice(LINES), ref=ref)
    return rows


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_ends_that_are_equal_need_not_be_compared(first: int) -> None:
    for seed in range(first, first + 100):
        chance = random.Random(seed)
        before = rows_of(chance)
        after = changed(before, chance)
        told = difference(Snapshot(rows=before, url="u"), Snapshot(rows=after, url="u"), 2000)
        with patch.object(comparison, "_differing", lambda old, new: (0, 0)):
            whole = difference(Snapshot(rows=before, url="u"), Snapshot(rows=after, url="u"), 2000)
        assert told.text == whole.text, seed
