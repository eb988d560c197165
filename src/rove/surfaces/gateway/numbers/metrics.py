"""Numbers about the server for Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client.exposition import generate_latest

from rove.surfaces.gateway.numbers.cluster_metrics import ClusterCollector


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
