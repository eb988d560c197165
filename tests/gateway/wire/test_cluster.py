"""The nodes of a cluster over the wire: their status, draining, and numbers for Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import httpx2
import pytest
from tests.gateway.clients import PATIENCE, RunningGateway, running_gateway
from tests.gateway.clustered import ClusteredSessions, clustered_gateway

Clustered = tuple[RunningGateway, ClusteredSessions]


@pytest.fixture
async def clustered() -> AsyncGenerator[Clustered]:
    async with clustered_gateway("alpha-1", "alpha-2", "beta", cluster__queue=7) as made:
        yield made


async def test_the_status_has_every_node_the_line_and_the_store(clustered: Clustered) -> None:
    running, sessions = clustered
    node = await sessions.placement.place("shop")
    async with running.client() as client:
        status = await client.call("cluster.status")
        assert (await client.event("hello"))["hasCluster"] is True
    assert [each["id"] for each in status["nodes"]] == ["alpha-1", "alpha-2", "beta"]
    assert {each["state"] for each in status["nodes"]} == {"ready"}
    assert [each["id"] for each in status["nodes"] if each["sessions"]] == [node]
    assert (status["isConnected"], status["sessions"], status["waiting"], status["queue"]) == (True, 1, 0, 7)
    assert status["freePlaces"] > 100
    assert status["store"]["problem"] == ""
    assert status["store"]["address"].endswith("cluster")


async def test_the_owner_drains_a_node_and_uses_it_again(clustered: Clustered) -> None:
    running, sessions = clustered
    async with running.client() as client:
        for number in range(6):
            await sessions.placement.place(f"s{number}")
        drained = await client.call("cluster.drain", node="beta")
        assert drained["node"]["state"] in ("draining", "drained")
        async with asyncio.timeout(PATIENCE):
            while sessions.control.status()["nodes"][2]["state"] != "drained":
                await asyncio.sleep(0)
        assert (await client.call("cluster.drain", node="beta", undo=True))["node"]["state"] == "ready"
        assert (await client.refused("cluster.drain", node="alpha"))["code"] == "invalid_arguments"
        assert (await client.refused("cluster.drain", node="gamma"))["code"] == "invalid_arguments"
        token = (await client.call("tokens.create", scopes=["act", "approve"]))["token"]
    async with running.client(token) as other:
        assert (await other.refused("cluster.status"))["code"] == "forbidden"
        assert (await other.refused("cluster.drain", node="beta"))["code"] == "forbidden"


async def test_prometheus_gets_numbers_of_each_node(clustered: Clustered) -> None:
    running, sessions = clustered
    sessions.control.drain("beta")
    async with httpx2.AsyncClient() as http:
        headers = {"Authorization": f"Bearer {running.gateway.tokens.owner}"}
        text = (await http.get(f"http://localhost:{running.port}/metrics", headers=headers)).text
    for line in (
        'rove_node_sessions{node="alpha-1"} 0.0',
        'rove_node_memory_free_bytes{node="alpha-2"} 7.516192768e+09',
        'rove_node_state{node="beta",state="drained"} 1.0',
        "rove_cluster_connected 1.0",
        "rove_cluster_waiting 0.0",
        "rove_cluster_store_failing 0.0",
    ):
        assert line in text


async def test_without_a_cluster_there_is_none_to_ask() -> None:
    async with running_gateway(browser_enabled=False) as running, running.client() as client:
        assert (await client.refused("cluster.status"))["code"] == "unsupported"
        assert (await client.event("hello"))["hasCluster"] is False
        assert b"rove_node" not in running.gateway.metrics.text()
