"""What an action costs, counted: a way that grows longer fails here, before anyone notices that it takes longer."""

from __future__ import annotations

import pytest
from bench.action_counts import Counts, count_all

# Python calls differ a little from one version of Python to the next.
MARGIN = 1.1
# Commands to Chromium, how many of them wait for each other, Python calls, tasks of asyncio: at most.
MOST = {
    "evaluate": Counts(3, 3, 1552, 1),
    "snapshot": Counts(1, 1, 1127, 1),
    "find": Counts(1, 1, 1138, 0),
    "fill": Counts(3, 3, 2049, 1),
    "click": Counts(6, 4, 2328, 4),
    "select": Counts(3, 3, 2038, 1),
    "press": Counts(8, 5, 2740, 9),
    "screenshot": Counts(3, 2, 1430, 3),
    "navigate": Counts(6, 4, 3000, 8),
}


@pytest.fixture(scope="module")
async def counts() -> dict[str, Counts]:
    return await count_all()


@pytest.mark.parametrize("name", MOST)
def test_an_action_costs_no_more_than_it_did(counts: dict[str, Counts], name: str) -> None:
    found, most = counts[name], MOST[name]
    assert found.messages <= most.messages, found.sent
    assert found.chain <= most.chain, found.sent
    assert found.tasks <= most.tasks
    assert found.calls <= most.calls * MARGIN
