"""Assumptions of the simulation that no measurement on one machine can give: machines, work, network, failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

GIGABYTE = 2**30


@dataclass(frozen=True)
class Machines:
    """The cluster. A core is as fast as one of the machine that was measured."""

    nodes: int = 400
    nodes_per_rack: int = 20
    cores: float = 2.0
    memory: int = 4 * GIGABYTE
    # Servers (`rove serve --cluster`), each with nodes of its own.
    gateways: int = 1


@dataclass(frozen=True)
class Work:
    """What agents do. A model takes seconds between two calls; most sessions read, and some fill in forms."""

    sessions: int = 10_000
    thinking: float = 8.0
    minutes: float = 20.0
    kinds: Mapping[str, float] = field(
        default_factory=lambda: {
            "article": 0.40,
            "form": 0.25,
            "table": 0.12,
            "images": 0.10,
            "blank": 0.05,
            "animation": 0.06,
            "canvas": 0.02,
        }
    )
    calls: Mapping[str, float] = field(default_factory=lambda: {"navigate": 0.25, "snapshot": 0.25, "click": 0.5})
    # A refused agent comes back after `retry_after`, so often; then it gives up.
    tries: int = 5


@dataclass(frozen=True)
class Surroundings:
    """The network and the store: an S3-like one answers in tens of milliseconds, and takes thousands of writes."""

    network: float = 0.001
    store_seconds: float = 0.03
    # Seconds that a node is away when it is replaced or restarted with another version.
    restart: float = 60.0


@dataclass(frozen=True)
class Failures:
    """How often things fail: a machine once in three months, a rack once in a year, as large operators report."""

    node_days: float = 90.0
    rack_days: float = 365.0
    browser_days: float = 7.0


@dataclass(frozen=True)
class Plan:
    """One simulated cluster."""

    machines: Machines = Machines()
    work: Work = Work()
    surroundings: Surroundings = Surroundings()
    seed: int = 1
    # Seconds between a node's last sign of life and the moment when the server knows.
    detection: float = 5.0
    moves_per_node: int | None = None
    save_seconds: float | None = None
    poll_seconds: float | None = None
