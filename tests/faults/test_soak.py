"""A server in long use does not grow, and leaves nothing behind."""

from __future__ import annotations

import pytest
from bench.resource_usage import ResourceUsage, faults
from bench.soak import Plan, report, soak

# These take minutes, and need the whole machine.
pytestmark = pytest.mark.slow


def test_59_a_short_soak_leaves_nothing_and_has_no_unknown_errors() -> None:
    result = soak(Plan(navigations=40, sessions=10, kills=1, seed=1))
    # In so short a time memory still grows; the long soak checks it.
    assert [fault for fault in result.faults if "memory" not in fault] == [], report(result)
    assert (result.navigations, result.sessions, sum(result.kills.values())) == (40, 10, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_59_two_thousand_navigations_in_two_hundred_sessions_with_kills_do_not_grow_the_server() -> None:
    result = soak(Plan(navigations=2000, sessions=200, kills=40, seed=59))
    assert result.faults == [], report(result)


def usage(done: int, **others: int) -> ResourceUsage:
    usual = {"rss": 40_000_000, "handles": 40, "threads": 5, "children": 2, "zombies": 0, "browser_processes": 9}
    return ResourceUsage(done=done, **{**usual, "run_folders": 1, "temporary_files": 0, **others})


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        (lambda n: {}, ""),
        (lambda n: {"rss": 40_000_000 + 300_000 * n}, "memory grew"),
        (lambda n: {"rss": 60_000_000 if n < 3 else 40_000_000}, ""),
        (lambda n: {"handles": 40 + 2 * n}, "handles grew"),
        (lambda n: {"threads": 5 + n // 3}, "threads grew"),
        (lambda n: {"zombies": 1}, "not waited for"),
        (lambda n: {"zombies": n % 2}, ""),
        (lambda n: {"run_folders": 3 if n == 15 else 1}, "run folders"),
    ],
)
def test_growth_after_the_warm_up_is_a_fault(grown: object, said: str) -> None:
    assert callable(grown)
    found = faults([usage(100 * n, **grown(n)) for n in range(1, 21)])
    assert (said in found[0]) if said else (found == [])


def test_a_soak_without_samples_is_a_fault() -> None:
    assert faults([])
