"""What is known of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from rove.validation.record import dataclass

NodeState = Literal["ready", "draining", "refused", "lost"]


@dataclass(frozen=True)
class NodeFacts:
    """A node as it was when it was last asked.

    `id`: its name and the beginning of Ray's id, such as `10.0.0.7-3f2a1b9c`. Memory is in bytes, within the tightest
    limit of the node. `machine`: the same for nodes that share one machine, and so its memory. `key`: its public key,
    which secrets are encrypted to. `services`: what each service says of itself. `reason`: why it is not used.
    """

    id: str
    address: str
    cores: float = 0.0
    memory_total: int = 0
    memory_free: int = 0
    version: str = ""
    state: NodeState = "ready"
    reason: str = ""
    machine: str = ""
    key: bytes = b""
    # Seconds that the node took to answer, and processes that wait for a core of it.
    latency: float = 0.0
    load: float = 0.0
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @property
    def sessions(self) -> int:
        """How many sessions are open there."""
        return int(self.services.get("sessions", {}).get("open", 0))
