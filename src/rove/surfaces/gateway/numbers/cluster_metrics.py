"""Numbers about the nodes of a cluster for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

# Of each node: the name of the number, what it means, and the field of its status.
OF_NODES = (
    ("rove_node_sessions", "Sessions of this server on the node.", "sessions"),
    ("rove_node_session_bytes", "Memory that the sessions of this server hold on the node.", "session_bytes"),
    ("rove_node_memory_bytes", "Memory of the node.", "memory_total"),
    ("rove_node_memory_free_bytes", "Memory of the node that is free.", "memory_free"),
    ("rove_node_cores", "Cores of the node.", "cores"),
    ("rove_node_load", "Processes that run or wait for a core of the node, over a minute.", "load"),
    ("rove_node_answer_seconds", "How long the node took to answer.", "answer_seconds"),
)
OF_CLUSTER = (
    ("rove_cluster_free_places", "Sessions that the nodes have room for.", "free_places"),
    ("rove_cluster_waiting", "New sessions that wait in line for a node.", "waiting"),
)
STATES = ("ready", "draining", "drained", "silent", "refused")


class ClusterCollector(Collector):
    """Reads the status of a cluster whenever Prometheus asks; without a cluster there are no numbers."""

    def __init__(self, status: Callable[[], dict[str, Any] | None]) -> None:
        self._status = status

    def describe(self) -> list[GaugeMetricFamily]:
        """Return nothing, so that the registry does not ask for a status before the server runs."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        status = self._status()
        if status is None:
            return
        for name, meaning, field in OF_CLUSTER:
            yield GaugeMetricFamily(name, meaning, value=status[field])
        store = status["store"]
        yield GaugeMetricFamily("rove_cluster_connected", "1 if the cluster answers.", value=status["is_connected"])
        yield GaugeMetricFamily(
            "rove_cluster_moving", "Sessions of lost nodes that are not open again yet.", value=len(status["moving"])
        )
        yield GaugeMetricFamily(
            "rove_cluster_unsaved", "Sessions whose last state is not in the store yet.", value=store["unsaved"]
        )
        yield GaugeMetricFamily(
            "rove_cluster_store_failing", "1 if states cannot be saved.", value=bool(store["problem"])
        )
        for name, meaning, field in OF_NODES:
            family = GaugeMetricFamily(name, meaning, labels=["node"])
            for node in status["nodes"]:
                family.add_metric([node["id"]], node[field])
            yield family
        yield _states(status["nodes"])


def _states(nodes: list[dict[str, Any]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily("rove_node_state", "1 for the state that the node is in.", labels=["node", "state"])
    for node in nodes:
        for state in STATES:
            family.add_metric([node["id"], state], node["state"] == state)
    return family
