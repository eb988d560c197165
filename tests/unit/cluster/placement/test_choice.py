"""Which node is chosen: it has room, it is not drained, and it has the smallest share of what it can hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.cluster.placement.reports import GIGABYTE, report

from rove.cluster.placement.choice import (
    LEAST_COST,
    MEGABYTE,
    Limits,
    NodeLoad,
    NodeReport,
    Wish,
    choose,
    free_places,
    host_room,
    session_cost,
)

LIMITS = Limits(sessions=20, moves=2)
COST = 100 * MEGABYTE

node_reports = st.builds(
    report,
    st.sampled_from("abcdef"),
    host=st.sampled_from(["one", "two", "three"]),
    cores=st.sampled_from([0.5, 1, 8]),
    memory_free=st.sampled_from([0, 500 * MEGABYTE, 2 * GIGABYTE, 8 * GIGABYTE]),
    sessions=st.integers(0, 20),
    session_bytes=st.sampled_from([0, 100 * MEGABYTE, 4 * GIGABYTE]),
    busy=st.sampled_from([0.0, 0.3, 1.0]),
    answer_seconds=st.sampled_from([0.0, 0.05, 10.0]),
)
node_loads = st.builds(NodeLoad, node_reports, st.integers(0, 21), st.integers(0, 3), st.booleans())
clusters = st.lists(node_loads, max_size=6, unique_by=lambda load: load.id)
wishes = st.builds(
    Wish, st.text(max_size=5), st.sampled_from([None, *"abc"]), st.frozensets(st.sampled_from("ab")), st.booleans()
)


def placed(loads: list[NodeLoad], count: int, limits: Limits = LIMITS) -> list[NodeLoad]:
    """Return the nodes after as many sessions were placed as they take, at most `count`."""
    loads = [*loads]
    for number in range(count):
        node = choose(Wish(f"s{number}"), loads, COST, limits)
        if node is None:
            break
        loads = [replace(load, held=load.held + (load.id == node)) for load in loads]
    return loads


@given(wishes, clusters)
def test_the_chosen_node_has_room_and_is_not_excluded(wish: Wish, loads: list[NodeLoad]) -> None:
    node = choose(wish, loads, COST, LIMITS)
    for load in loads:
        if load.id == node:
            assert load.is_open
            assert load.held < LIMITS.sessions
            assert host_room(loads, COST)[load.report.host] > 0
            assert node not in wish.excluded
            assert not wish.is_move or load.opening < LIMITS.moves


@given(clusters)
def test_a_session_is_refused_only_if_there_is_no_place(loads: list[NodeLoad]) -> None:
    assert (choose(Wish("s"), loads, COST, LIMITS) is None) == (free_places(loads, COST, LIMITS) == 0)


@given(clusters)
def test_as_many_sessions_are_placed_as_there_are_places(loads: list[NodeLoad]) -> None:
    # Of a node whose sessions hold less than expected, each that is placed is counted in full.
    loads = [replace(load, report=replace(load.report, session_bytes=0)) for load in loads]
    before = sum(load.held for load in loads)
    count = free_places(loads, COST, LIMITS)
    assert sum(load.held for load in placed(loads, 200)) - before == count


@given(clusters, st.integers(1, 150))
def test_no_host_is_promised_more_memory_than_it_has(loads: list[NodeLoad], count: int) -> None:
    loads = [replace(load, held=0, report=replace(load.report, session_bytes=0, sessions=0)) for load in loads]
    after = placed(loads, count)
    for host in {load.report.host for load in after}:
        on_host = [load for load in after if load.report.host == host]
        assert sum(load.held for load in on_host) * COST <= min(load.report.memory_free for load in on_host)


@given(clusters, st.sampled_from("abcdef"))
def test_a_session_goes_back_to_the_node_of_its_name_if_that_has_room(loads: list[NodeLoad], node: str) -> None:
    alone = choose(Wish("s", excluded=frozenset(load.id for load in loads) - {node}), loads, COST, LIMITS)
    chosen = choose(Wish("s", preferred=node), loads, COST, LIMITS)
    assert chosen == node if alone == node else chosen != node


@given(st.integers(1, 6), st.integers(0, 40), st.floats(0, 1), st.floats(0, 0.1))
def test_equal_nodes_get_equally_many(nodes: int, count: int, busy: float, difference: float) -> None:
    reports = [report(str(number), busy=busy, answer_seconds=difference * (number % 2)) for number in range(nodes)]
    loads = placed([*map(NodeLoad, reports)], count)
    counts = [load.held for load in loads]
    assert max(counts) - min(counts) <= 1


@given(st.floats(0.5, 30), st.integers(10, 40))
def test_a_slow_node_gets_less(answer: float, count: int) -> None:
    fast, slow = placed([NodeLoad(report("a")), NodeLoad(report("b", answer_seconds=answer))], count, Limits(99, 1))
    assert slow.held < fast.held


def test_a_node_with_twice_the_memory_gets_twice_as_many() -> None:
    small = report("a", memory_free=2 * GIGABYTE, cores=64)
    large = report("b", memory_free=4 * GIGABYTE, cores=64)
    after = placed([NodeLoad(small), NodeLoad(large)], 15, Limits(1000, 1))
    assert 1.5 <= after[1].held / after[0].held <= 3


def test_a_busy_node_gets_less() -> None:
    after = placed([NodeLoad(report("a", busy=0.9)), NodeLoad(report("b", busy=0.1))], 20)
    assert after[0].held < after[1].held / 2


def test_nodes_on_one_host_share_its_memory() -> None:
    shared = {"host": "one", "memory_free": 2 * GIGABYTE}
    loads = [NodeLoad(report(node, **shared)) for node in "abc"]
    assert free_places(loads, COST, LIMITS) == (2 * GIGABYTE - 512 * MEGABYTE) // COST
    assert sum(load.held for load in placed(loads, 100)) == 15


@given(st.lists(node_reports, max_size=5))
def test_the_cost_is_between_what_was_expected_and_what_was_measured(reports: list[NodeReport]) -> None:
    held = [report.session_bytes / report.sessions for report in reports if report.sessions]
    assert min([COST, *held]) - 1 <= session_cost(reports, COST) <= max([COST, LEAST_COST, *held]) + 1


def test_the_cost_follows_what_is_measured() -> None:
    assert session_cost([], COST) == COST
    measured = session_cost([report("a", sessions=95, session_bytes=95 * 50 * MEGABYTE)], COST)
    assert 50 * MEGABYTE <= measured < 55 * MEGABYTE
