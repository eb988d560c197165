"""Metrics for Prometheus, of the server and of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client.exposition import generate_latest
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


class Metrics:
    """Counts what the gateway does. Its own registry, so that several gateways can be in one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rove_requests", "Requests of clients, by method.", ["method"], registry=self._registry
        )
        self._steps = Counter(
            "rove_steps", "Actions that ran, by action and outcome.", ["action", "outcome"], registry=self._registry
        )
        self._seconds = Histogram("rove_step_seconds", "How long actions took.", ["action"], registry=self._registry)
        self._approvals = Counter(
            "rove_approvals", "Approval requests, by decision.", ["decision"], registry=self._registry
        )

    def watch(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Add a number that is read when Prometheus asks."""
        Gauge(name, meaning, registry=self._registry).set_function(value)

    def watch_cluster(self, status: Callable[[], dict[str, Any] | None]) -> None:
        """Add the numbers of a cluster and of each of its nodes, read when Prometheus asks; None for no cluster."""
        self._registry.register(ClusterCollector(status))

    def count_request(self, method: str) -> None:
        self._requests.labels(method).inc()

    def count_step(self, action: str, outcome: str, seconds: float) -> None:
        self._steps.labels(action, outcome).inc()
        self._seconds.labels(action).observe(seconds)

    def count_decision(self, decision: str) -> None:
        self._approvals.labels(decision).inc()

    def text(self) -> bytes:
        """Return all numbers in Prometheus's text format."""
        return generate_latest(self._registry)


__all__ = ["CONTENT_TYPE", "Metrics"]
