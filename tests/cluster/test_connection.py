"""Calls to nodes of a real Ray cluster, and streams from them."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest
from tests.cluster.ray_nodes import RayNodes

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.errors import NodeLost, UnknownMethod


@pytest.fixture(scope="module")
def ray_nodes() -> Generator[RayNodes]:
    nodes = RayNodes(2)
    yield nodes
    nodes.close()


async def test_a_call_and_a_stream_reach_a_node(ray_nodes: RayNodes) -> None:
    async with Cluster(ClusterOptions(ray_nodes.address)) as cluster:
        nodes = await cluster.nodes()
        assert sorted(node.id.split("-")[0] for node in nodes) == ["n1", "n2"]
        first = nodes[0].id
        assert await cluster.call(first, "node.echo", {"a": [1, b"x", ("t",)]}) == {"a": [1, b"x", ("t",)]}
        assert [number async for number in cluster.stream(first, "node.count", 40)] == list(range(40))
        with pytest.raises(UnknownMethod):
            await cluster.call(first, "node.describe_services")


async def test_a_node_that_is_killed_is_told_and_its_calls_fail(ray_nodes: RayNodes) -> None:
    async with Cluster(ClusterOptions(ray_nodes.address)) as cluster:
        lost: list[str] = []
        cluster.on_node_lost.append(lambda facts: lost.append(facts.id))
        second = next(node.id for node in await cluster.nodes() if node.id.startswith("n2"))
        waiting = asyncio.create_task(cluster.call(second, "node.echo", 1, 3600.0))
        ray_nodes.others.pop().kill()
        while not lost:
            await cluster.wait_for_change()
        assert lost == [second]
        with pytest.raises(NodeLost):
            await waiting
        with pytest.raises(NodeLost):
            await cluster.call(second, "node.echo", 1)
