"""Nodes that come, go, fall silent and return, as placement and failover hear of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import cast

import pytest
from tests.cluster.played_nodes import PlayedNodes, PlayedSessions

from rove.cluster.connection.cluster import Cluster
from rove.cluster.placement import relocation
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import NodeWatch, Relocation
from rove.settings.sections import Clustering


class Watched:
    """A cluster that is watched."""

    def __init__(self) -> None:
        self.nodes = PlayedNodes()
        self.sessions = PlayedSessions()
        self.placement = Placement(Clustering(sessions_per_node=10), 1800.0)
        self.relocation = Relocation(self.placement, self.sessions)
        self.watch = NodeWatch(cast(Cluster, self.nodes), self.placement, self.relocation, self.sessions)

    async def until(self, node: str) -> None:
        """Wait until the session s1 is open on a node."""
        async with asyncio.timeout(10):
            while self.placement.node_of("s1") != node:
                await asyncio.sleep(0)


@pytest.fixture
async def watched(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Watched]:
    """Two nodes, and the session s1 on the first."""
    monkeypatch.setattr(relocation, "LOOK_SECONDS", 0.01)
    watched = Watched()
    watched.nodes.add("a")
    watched.watch.start()
    await watched.placement.place("s1")
    watched.nodes.add("b")
    yield watched
    await watched.watch.close()
    await watched.relocation.close()


async def test_sessions_of_a_node_that_is_gone_are_opened_elsewhere(watched: Watched) -> None:
    watched.nodes.lose("a")
    await watched.until("b")


async def test_a_connection_that_breaks_leaves_sessions_where_they_are(watched: Watched) -> None:
    watched.nodes.connect(False)
    assert watched.placement.free_places == 0
    watched.nodes.add("a")
    watched.nodes.add("b")
    watched.nodes.connect(True)
    assert watched.placement.node_of("s1") == "a"
    assert watched.placement.free_places > 0


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_node_that_is_another_process_afterwards_or_gone_is_lost(watched: Watched, is_there: bool) -> None:
    watched.nodes.connect(False)
    if is_there:
        watched.nodes.add("a", process="second")
    watched.nodes.add("b")
    watched.nodes.connect(True)
    await watched.relocation.wait_for("s1")
    assert watched.sessions.nodes["s1"] in ("a", "b") if is_there else "b"


async def test_a_node_that_does_not_answer_gets_nothing_new_and_is_given_up(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = watched.nodes.facts["a"]
    watched.nodes.facts["a"] = replace(facts, latency=10.0)
    async with asyncio.timeout(10):
        while not watched.placement.is_silent("a"):
            await asyncio.sleep(0)
    assert watched.placement.node_of("s1") == "a"
    assert await watched.placement.place("s2") == "b"
    monkeypatch.setattr(relocation, "GIVE_UP_SECONDS", 0.0)
    await watched.until("b")
    assert not watched.placement.has_node("a")
    watched.nodes.facts["a"] = facts  # it answers again, and still has s1
    async with asyncio.timeout(10):
        while not watched.placement.has_node("a"):
            await asyncio.sleep(0)
    assert watched.sessions.cleaned == ["a"]
    assert watched.placement.sessions_on("a") == []
