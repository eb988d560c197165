"""Calls to nodes of a real Ray cluster, and streams from them."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from tests.cluster.ray_nodes import RayNodes

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.errors import NodeLost, UnknownMethod


async def test_a_call_and_a_stream_reach_a_node_and_a_killed_process_is_told(shared_nodes: RayNodes) -> None:
    async with Cluster(ClusterOptions(shared_nodes.address)) as cluster:
        told: list[tuple[str, str]] = []
        cluster.on_node_lost.append(lambda facts: told.append(("lost", facts.id)))
        cluster.on_node_added.append(lambda facts: told.append(("added", facts.id)))
        nodes = await cluster.nodes()
        assert sorted(node.id.split("-")[0] for node in nodes) == ["n1", "n2"]
        first = nodes[0].id
        assert await cluster.call(first, "node.echo", {"a": [1, b"x", ("t",)]}) == {"a": [1, b"x", ("t",)]}
        assert [number async for number in cluster.stream(first, "node.count", 40)] == list(range(40))
        with pytest.raises(UnknownMethod):
            await cluster.call(first, "node.describe_services")
        waiting = asyncio.create_task(cluster.call(first, "node.echo", 1, 3600.0))
        process = (await cluster.call(first, "node.hello"))["pid"]
        os.kill(process, signal.SIGKILL)
        with pytest.raises(NodeLost):
            await waiting
        while told != [("lost", first), ("added", first)]:
            await cluster.wait_for_change()
        assert (await cluster.call(first, "node.hello"))["pid"] != process
    with pytest.raises(NodeLost):
        await cluster.call(first, "node.echo", 1)
