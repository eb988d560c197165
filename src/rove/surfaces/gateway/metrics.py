"""Numbers about the server for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


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

    def watch_each(self, name: str, meaning: str, label: str, values: Callable[[], Mapping[str, float]]) -> None:
        """Add a number for each of several things, which are read when Prometheus asks."""
        self._registry.register(_Each(name, meaning, label, values))

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


class _Each(Collector):
    """Numbers of things that come and go."""

    def __init__(self, name: str, meaning: str, label: str, values: Callable[[], Mapping[str, float]]) -> None:
        self._name = name
        self._meaning = meaning
        self._label = label
        self._values = values

    def collect(self) -> Iterator[Metric]:
        gauge = GaugeMetricFamily(self._name, self._meaning, labels=[self._label])
        for thing, value in self._values().items():
            gauge.add_metric([thing], value)
        yield gauge


__all__ = ["CONTENT_TYPE", "Metrics"]
