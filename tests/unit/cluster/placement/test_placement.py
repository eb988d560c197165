"""Sessions get nodes, wait in line when all are full, and come back to the node of their name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.cluster.placement.reports import GIGABYTE, report

from rove.cluster.placement.choice import Wish, choose
from rove.cluster.placement.placement import Placement
from rove.errors import InvalidArguments, LimitReached, NotOpen
from rove.settings.sections import Clustering

IDLE = 1800.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def cluster_of(*nodes: str, clock: Clock | None = None, **settings: float) -> Placement:
    """Return the placement of a cluster whose nodes take two sessions each, unless the settings say otherwise."""
    given = {"sessions_per_node": 2, "queue_seconds": 30.0, **settings}
    placement = Placement(Clustering(**given), IDLE, clock or Clock())  # type: ignore[arg-type]
    for node in nodes:
        placement.update(report(node))
    return placement


async def waiting(placement: Placement, *sessions: str) -> list[asyncio.Task[str]]:
    """Start to place sessions, in this order, and return when all of them wait."""
    tasks = [asyncio.ensure_future(placement.place(session)) for session in sessions]
    while placement.waiting < len(sessions):
        await asyncio.sleep(0)
    return tasks


async def test_sessions_are_spread_over_the_nodes() -> None:
    placement = cluster_of("a", "b")
    nodes = [await placement.place(f"s{number}") for number in range(4)]
    assert sorted(nodes) == ["a", "a", "b", "b"]
    assert placement.sessions_on("a") == [f"s{number}" for number in range(4) if nodes[number] == "a"]
    assert placement.free_places == 0


async def test_a_name_comes_back_to_its_node_unless_that_is_drained_or_lost() -> None:
    placement = cluster_of("a", "b", "c", sessions_per_node=50)
    first = await placement.place("shop")
    placement.release("shop")
    for number in range(20):
        await placement.place(f"s{number}")
    assert await placement.place("shop") == first
    placement.release("shop")
    placement.drain(first)
    other = await placement.place("shop")
    assert other != first
    placement.release("shop")
    placement.lose(other)
    assert await placement.place("shop") not in (first, other)


async def test_a_full_cluster_refuses_at_once_when_the_line_is_full_too() -> None:
    clock = Clock()
    placement = cluster_of("a", clock=clock, queue=1)
    await placement.place("s1")
    await placement.place("s2")
    [first] = await waiting(placement, "s3")
    with pytest.raises(LimitReached):
        placement.refuse_if_full()
    with pytest.raises(LimitReached) as refused:
        await placement.place("s4")
    assert refused.value.retry_after == 30
    placement.release("s1")
    assert await first == "a"


async def test_how_long_to_wait_is_told_by_the_sessions_that_were_closed() -> None:
    clock = Clock()
    placement = cluster_of("a", clock=clock, queue=0)
    for number in range(4):
        await placement.place(f"s{number}")
        clock.now += 10
        placement.release(f"s{number}")
    await placement.place("s1")
    await placement.place("s2")
    with pytest.raises(LimitReached) as refused:
        await placement.place("s3")
    assert refused.value.retry_after == pytest.approx(7.5)


async def test_there_is_no_place_in_time() -> None:
    placement = cluster_of("a", sessions_per_node=1, queue_seconds=0.01)
    await placement.place("s1")
    with pytest.raises(LimitReached):
        await placement.place("s2")
    assert placement.waiting == 0


async def test_without_any_node_the_error_says_so() -> None:
    with pytest.raises(LimitReached) as refused:
        await cluster_of(queue=0).place("s1")
    assert refused.value.retry_after is not None


async def test_those_that_wait_get_room_in_their_order_when_a_node_joins() -> None:
    placement = cluster_of()
    tasks = await waiting(placement, "s1", "s2", "s3")
    placement.update(report("a"))
    assert [await tasks[0], await tasks[1]] == ["a", "a"]
    assert not tasks[2].done()
    placement.close(NotOpen("The server ends."))
    with pytest.raises(NotOpen):
        await tasks[2]
    with pytest.raises(NotOpen):
        await placement.place("s4")


async def test_a_caller_that_gives_up_leaves_its_place_to_the_next() -> None:
    placement = cluster_of("a", sessions_per_node=1)
    await placement.place("s1")
    first, second = await waiting(placement, "s2", "s3")
    placement.release("s1")  # given to the first, which is cancelled before it runs
    first.cancel()
    assert await second == "a"
    assert placement.sessions_on("a") == ["s3"]


async def test_moves_come_before_new_sessions_and_few_at_once() -> None:
    placement = cluster_of("a", "b", sessions_per_node=5, moves_per_node=1)
    for number in range(3):
        await placement.place(f"s{number}")
    lost = placement.lose("a")
    assert lost
    moves = [asyncio.ensure_future(placement.place_move(session)) for session in lost]
    moves.append(asyncio.ensure_future(placement.place_move("other")))
    while placement.waiting_moves < len(moves) - 1:
        await asyncio.sleep(0)
    assert await moves[0] == "b"
    assert placement.node_of(lost[0]) is None  # until it is open there
    placement.opened(lost[0])
    assert placement.node_of(lost[0]) == "b"
    assert await moves[1] == "b"


async def test_new_sessions_leave_room_for_those_that_wait_to_be_moved() -> None:
    placement = cluster_of("a", sessions_per_node=3, moves_per_node=1, queue=0)
    await placement.place_move("lost-1")
    second = asyncio.ensure_future(placement.place_move("lost-2"))
    while not placement.waiting_moves:
        await asyncio.sleep(0)
    assert await placement.place("new-1") == "a"
    with pytest.raises(LimitReached):
        await placement.place("new-2")
    placement.opened("lost-1")
    assert await second == "a"


async def test_nodes_are_drained_by_name() -> None:
    placement = cluster_of("a", queue=0)
    with pytest.raises(InvalidArguments) as refused:
        placement.drain("nowhere")
    assert "a" in refused.value.hint
    placement.drain("a")
    with pytest.raises(LimitReached):
        await placement.place("s1")
    placement.end_draining("a")
    assert await placement.place("s1") == "a"


async def test_memory_that_a_node_reports_makes_room() -> None:
    placement = cluster_of(sessions_per_node=100)
    placement.update(report("a", memory_free=GIGABYTE // 2))
    [task] = await waiting(placement, "s1")
    placement.update(report("a", memory_free=2 * GIGABYTE))
    assert await task == "a"


steps = st.lists(
    st.tuples(st.sampled_from(["place", "move", "release", "lose", "update", "drain", "open"]), st.integers(0, 5)),
    max_size=30,
)


@given(steps)
async def test_no_node_ever_has_more_sessions_than_it_may(steps: list[tuple[str, int]]) -> None:
    placement = cluster_of("n0", "n1", queue_seconds=0)
    for step, number in steps:
        node, session = f"n{number % 3}", f"s{number}"
        if step == "place" and not placement.has_place(session):
            try:
                assert not placement.is_draining(await placement.place(session))
            except LimitReached:
                assert placement.free_places == 0
        elif step == "move" and placement.free_places and not placement.has_place(session):
            await placement.place_move(session)
            placement.opened(session)
        elif step == "release":
            placement.release(session)
        elif step == "lose":
            assert all(not placement.has_place(lost) for lost in placement.lose(node))
        elif step == "update":
            placement.update(report(node))
        elif step == "drain" and placement.has_node(node):
            placement.drain(node)
        for known in placement.reports:
            assert len(placement.sessions_on(known.id)) <= 2


async def test_sessions_that_wait_to_be_moved_are_not_all_tried_when_no_node_has_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    placement = cluster_of("a", "b", sessions_per_node=1)
    for session in ("s1", "s2"):
        await placement.place(session)
    moves = [asyncio.ensure_future(placement.place_move(f"moved{number}")) for number in range(50)]
    while placement.waiting_moves < len(moves):
        await asyncio.sleep(0)
    tried: list[str] = []

    def counted(wish: Wish, *facts: Any) -> str | None:
        tried.append(wish.session)
        return choose(wish, *facts)

    monkeypatch.setattr("rove.cluster.placement.placement.choose", counted)
    placement.update(report("a"))
    assert tried == ["moved0"]
    placement.release("s1")
    assert await moves[0] in ("a", "b")
    assert tried == ["moved0", "moved0", "moved1"]
    for move in moves:
        move.cancel()
