"""What sessions cost, read from what was measured; nothing of it is typed in."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bench.session_costs.table import call_processor, idle_share, memory_line, opening_processor, restore_processor

FOLDER = Path(__file__).parents[2] / "docs/cluster_results"
TOOLS = ("navigate", "snapshot", "click")


@dataclass(frozen=True)
class KindCost:
    """One session on a kind of page: bytes; seconds of processor time; the share of a core that it takes when idle."""

    kind: str
    memory: int
    idle: float
    opening: float
    restoring: float
    calls: Mapping[str, float]
    state_bytes: int


@dataclass(frozen=True)
class HeadCost:
    """Ray's head: bytes without nodes and for each, cores for each node, seconds until it knows of a loss."""

    memory: float
    memory_per_node: float
    processor_per_node: float
    detection: Mapping[str, float]


@dataclass(frozen=True)
class GatewayCost:
    """Seconds of processor time: for a call, and in each second for each node.

    `server`: the process whose event loop all calls share. `driver`: the process that is connected to Ray.
    """

    server_call: float
    driver_call: float
    server_node: float
    driver_node: float


@dataclass(frozen=True)
class Costs:
    """All measured costs."""

    kinds: Mapping[str, KindCost]
    node_memory: int
    gateway: GatewayCost
    head: HeadCost


def read_costs(folder: Path = FOLDER) -> Costs:
    """Read the files that `bench.session_costs` and `bench.scale.measure` have written."""
    sessions = _read(folder / "session_costs.json")
    servers = _read(folder / "cluster_costs.json")
    kinds = {kind["kind"]: _kind(kind) for kind in sessions["kinds"]}
    node_memory = statistics.median(memory_line(kind)[0] for kind in sessions["kinds"])
    return Costs(
        kinds,
        int(node_memory),
        GatewayCost(**{field.name: servers["gateway"][field.name] for field in fields(GatewayCost)}),
        HeadCost(**{field.name: servers["head"][field.name] for field in fields(HeadCost)}),
    )


def _read(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return read


def _kind(kind: Mapping[str, Any]) -> KindCost:
    return KindCost(
        kind["kind"],
        int(memory_line(kind)[1]),
        idle_share(kind),
        opening_processor(kind),
        restore_processor(kind),
        {tool: call_processor(kind, tool) for tool in TOOLS},
        kind["state_bytes"],
    )
