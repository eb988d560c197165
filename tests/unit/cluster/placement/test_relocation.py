"""Sessions of lost and draining nodes are opened elsewhere, few at once, and none is forgotten."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from tests.unit.cluster.placement.reports import report

from rove.cluster.placement import relocation as relocation_module
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import Relocation
from rove.errors import BrowserUnavailable
from rove.settings.sections import Clustering


class Sessions:
    """Sessions that are open on nodes of this test; `refuses` has nodes on which none can be opened."""

    def __init__(self) -> None:
        self.nodes: dict[str, str] = {}
        self.refuses: set[str] = set()
        self.failed: dict[str, str] = {}
        self.opening = Counter[str]()
        self.most_opening = 0
        self.order: list[str] = []
        self.busy: dict[str, asyncio.Event] = {}

    def last_used(self, session: str, /) -> float:
        return float(session.removeprefix("s"))

    async def open_again(self, session: str, node: str, /) -> None:
        self.opening[node] += 1
        self.most_opening = max(self.most_opening, *self.opening.values())
        self.order.append(session)
        try:
            await asyncio.sleep(0)
            if node in self.refuses:
                raise BrowserUnavailable("There is no browser here.")
            self.nodes[session] = node
        finally:
            self.opening[node] -= 1

    async def move(self, session: str, node: str, /) -> None:
        if session in self.busy:
            await self.busy[session].wait()
        await self.open_again(session, node)

    def cannot_open(self, session: str, reason: str, /) -> None:
        self.failed[session] = reason

    async def close_strays(self, node: str, /) -> None:
        raise AssertionError("no node returns here")


async def opened(count: int, *nodes: str, **settings: int) -> tuple[Placement, Relocation, Sessions]:
    """Return a cluster with as many open sessions."""
    placement = Placement(Clustering(**settings), 1800.0)  # type: ignore[arg-type]
    sessions = Sessions()
    for node in nodes:
        placement.update(report(node, memory_total=2**40, memory_free=2**40))
    for number in range(count):
        sessions.nodes[f"s{number}"] = await placement.place(f"s{number}")
    return placement, Relocation(placement, sessions), sessions


async def until_empty(placement: Placement, node: str) -> None:
    async with asyncio.timeout(10):
        while not placement.is_empty(node):
            await asyncio.sleep(0)


async def test_sessions_of_a_lost_node_are_opened_elsewhere_and_few_at_once() -> None:
    placement, relocation, sessions = await opened(30, "a", "b", "c", moves_per_node=2)
    lost = relocation.lose("a")
    assert len(lost) == 10
    assert lost == sorted(lost, key=sessions.last_used, reverse=True)
    for session in lost:
        await relocation.wait_for(session)
    assert {sessions.nodes[session] for session in lost} == {"b", "c"}
    assert sessions.most_opening == 2
    assert sessions.order == lost  # those used last come first
    assert all(placement.node_of(session) == node for session, node in sessions.nodes.items())
    assert relocation.moving == []


async def test_a_node_that_cannot_open_a_session_is_not_tried_again() -> None:
    _, relocation, sessions = await opened(9, "a", "b", "c")
    sessions.refuses = {"b"}
    for session in relocation.lose("a"):
        await relocation.wait_for(session)
        assert sessions.nodes[session] == "c"


async def test_a_session_that_no_node_can_open_is_told() -> None:
    placement, relocation, sessions = await opened(2, "a", "b")
    sessions.refuses = {"b"}
    [lost] = relocation.lose("a")
    await relocation.wait_for(lost)
    assert sessions.failed == {lost: "There is no browser here."}
    assert not placement.has_place(lost)


async def test_sessions_wait_for_a_node_to_join_if_there_is_none() -> None:
    placement, relocation, _ = await opened(3, "a")
    relocation.lose("a")
    while placement.waiting_moves < 3:
        await asyncio.sleep(0)
    relocation.forget("s1")  # its client has closed it
    placement.update(report("b"))
    await relocation.wait_for("s0")
    await relocation.wait_for("s2")
    assert sorted(placement.sessions_on("b")) == ["s0", "s2"]


async def test_a_node_that_is_lost_while_sessions_are_on_their_way_there() -> None:
    placement, relocation, sessions = await opened(30, "a", "b", "c", moves_per_node=1)
    lost = relocation.lose("a")
    await asyncio.sleep(0)
    more = relocation.lose("b")
    sessions.refuses = {"b"}
    for session in {*lost, *more}:
        await relocation.wait_for(session)
    assert len(placement.sessions_on("c")) == 30
    assert set(sessions.nodes.values()) == {"c"} and not sessions.failed


async def test_a_drained_node_is_emptied_one_by_one_and_gets_nothing_new() -> None:
    placement, relocation, sessions = await opened(12, "a", "b", "c")
    here = placement.sessions_on("a")
    relocation.drain("a")
    assert await placement.place("new") != "a"
    await until_empty(placement, "a")
    assert sessions.most_opening == 1
    assert sessions.order == sorted(here, key=sessions.last_used)  # those that were unused for longest first
    relocation.end_draining("a")
    assert await placement.place("newer") == "a"


async def test_a_session_in_which_a_call_runs_is_moved_when_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relocation_module, "MOVE_SECONDS", 0.05)
    monkeypatch.setattr(relocation_module, "FIRST_PAUSE", 0.01)
    placement, relocation, sessions = await opened(4, "a", "b")
    busy, *others = sorted(placement.sessions_on("a"), key=sessions.last_used)
    sessions.busy[busy] = asyncio.Event()
    relocation.drain("a")
    async with asyncio.timeout(10):
        while any(sessions.nodes[session] == "a" for session in others):
            await asyncio.sleep(0)
        assert not placement.is_empty("a")
        while placement.node_of(busy) != "a":
            await asyncio.sleep(0)
    sessions.busy[busy].set()
    await until_empty(placement, "a")
    async with asyncio.timeout(10):
        while relocation.problems:
            await asyncio.sleep(0)
    assert sessions.nodes[busy] == "b"


async def test_draining_can_be_ended_before_the_node_is_empty() -> None:
    placement, relocation, sessions = await opened(4, "a", "b")
    first = min(placement.sessions_on("a"), key=sessions.last_used)
    sessions.busy[first] = asyncio.Event()
    relocation.drain("a")
    await asyncio.sleep(0)
    relocation.end_draining("a")
    await asyncio.sleep(0)
    assert placement.node_of(first) == "a"
    assert len(placement.sessions_on("a")) == 2


async def test_a_node_that_is_lost_while_it_is_drained() -> None:
    placement, relocation, sessions = await opened(8, "a", "b")
    here = placement.sessions_on("a")
    first = min(here, key=sessions.last_used)
    sessions.busy[first] = asyncio.Event()
    relocation.drain("a")
    await asyncio.sleep(0)
    relocation.lose("a")
    async with asyncio.timeout(10):
        while len(placement.sessions_on("b")) < 8 or relocation.moving:
            await asyncio.sleep(0)
    assert all(sessions.nodes[session] == "b" for session in here)
