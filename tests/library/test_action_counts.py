"""What an action costs, counted: a way that grows longer fails here, before anyone notices that it takes longer."""

from __future__ import annotations

import pytest
from bench.action_counts import Counts, count_all

# Python calls differ a little from one version of Python to the next.
MARGIN = 1.1
# Commands to Chromium, how many of them wait for each other, Python calls, tasks of asyncio, and how often the page is
# laid out and its styles are computed: at most.
MOST = {
    "evaluate": Counts(3, 3, 1360, 1, 0, 0),
    "snapshot": Counts(1, 1, 940, 1, 0, 0),
    "find": Counts(1, 1, 980, 1, 0, 0),
    "fill": Counts(3, 3, 1870, 2, 3, 1),
    "click": Counts(6, 4, 2110, 5, 1, 3),
    "select": Counts(3, 3, 1870, 2, 1, 1),
    "press": Counts(8, 5, 2530, 10, 1, 1),
    "screenshot": Counts(3, 2, 1240, 4, 0, 1),
    "navigate": Counts(6, 4, 2800, 9, 1, 2),
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
    assert (found.layouts, found.styles) <= (most.layouts, most.styles)
    assert found.calls <= most.calls * MARGIN
