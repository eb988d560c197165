"""Which page processes are paused while pages flood rove."""

from __future__ import annotations

from rove.browser.chromium.backpressure import busiest_since


def test_the_process_that_has_run_the_most_since_the_flood_began_is_the_first() -> None:
    before = {1: 5_000, 2: 100, 3: 0}
    assert busiest_since(before, {1: 5_100, 2: 1_100, 3: 900}) == [2, 3]


def test_a_process_that_is_new_since_then_counts_from_its_start() -> None:
    assert busiest_since({1: 50}, {1: 60, 2: 500}) == [2]


def test_there_is_none_where_the_kernel_lists_no_processes() -> None:
    assert busiest_since({}, {}) == []
