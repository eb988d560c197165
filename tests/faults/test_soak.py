"""A server that is used for long: it does not grow, and leaves nothing."""

from __future__ import annotations

import pytest
from bench.soak import Plan, report, soak
from bench.vitals import Vitals, faults

# Minutes altogether, and they need the machine to themselves.
pytestmark = pytest.mark.slow


def test_59_a_short_soak_leaves_nothing_and_knows_all_its_errors() -> None:
    tally = soak(Plan(navigations=40, sessions=10, kills=1, seed=1))
    # In so short a time memory has not come to rest: how it grows is for the long one to tell.
    assert [fault for fault in tally.faults if "memory" not in fault] == [], report(tally)
    assert (tally.navigations, tally.sessions, sum(tally.kills.values())) == (40, 10, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_59_two_thousand_navigations_in_two_hundred_sessions_with_kills_leave_it_as_it_was() -> None:
    tally = soak(Plan(navigations=2000, sessions=200, kills=40, seed=59))
    assert tally.faults == [], report(tally)


def vitals(done: int, **others: int) -> Vitals:
    usual = {"rss": 40_000_000, "handles": 40, "threads": 5, "children": 2, "zombies": 0, "browser_processes": 9}
    return Vitals(done=done, **{**usual, "run_folders": 1, "scraps": 0, **others})


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
def test_growth_is_seen_and_a_warm_up_forgiven(grown: object, said: str) -> None:
    assert callable(grown)
    found = faults([vitals(100 * n, **grown(n)) for n in range(1, 21)])
    assert (said in found[0]) if said else (found == [])


def test_a_soak_without_a_look_is_no_proof() -> None:
    assert faults([])
