"""How a cluster is: its nodes, the sessions on them, those that wait, and the store of states, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from rove.cluster.connection.node_facts import NodeFacts
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.state_saver import StoreFacts
from rove.errors import InvalidArguments
from rove.validation.record import dataclass

# `draining`: its sessions are moved away; `drained`: none is left; `silent`: it does not answer; `refused`: it must not
# be used, and `reason` says why.
ShownState = Literal["ready", "draining", "drained", "silent", "refused"]


@dataclass(frozen=True)
class NodeStatus:
    """One node. Memory is in bytes; `session_bytes` is what the sessions of this server hold there."""

    id: str
    address: str
    state: ShownState
    reason: str
    version: str
    cores: float
    load: float
    memory_total: int
    memory_free: int
    sessions: int
    session_bytes: int
    answer_seconds: float


def node_status(facts: NodeFacts, placement: Placement | None = None) -> NodeStatus:
    """Return the status of a node. Without a placement, as any process sees it that is connected to the cluster."""
    held = placement.count_on(facts.id) if placement is not None else facts.sessions
    return NodeStatus(
        id=facts.id,
        address=facts.address,
        state=_state(facts, placement),
        reason=facts.reason,
        version=facts.version,
        cores=facts.cores,
        load=round(facts.load, 2),
        memory_total=facts.memory_total,
        memory_free=facts.memory_free,
        sessions=held,
        session_bytes=int(facts.services.get("sessions", {}).get("bytes", 0)),
        answer_seconds=round(facts.latency, 4),
    )


def _state(facts: NodeFacts, placement: Placement | None) -> ShownState:
    if facts.state == "refused":
        return "refused"
    if placement is None:
        return "draining" if facts.state == "draining" else "ready"
    if placement.is_silent(facts.id) or not placement.has_node(facts.id):
        return "silent"
    if not placement.is_draining(facts.id):
        return "ready"
    return "drained" if placement.is_empty(facts.id) else "draining"


@dataclass(frozen=True)
class ClusterStatus:
    """The whole. `source`: what tells it, a server or Ray itself, which knows nothing of sessions, line and store.

    `moving`: sessions of lost nodes that are not open again yet. `problems`: why sessions of draining nodes are still
    there, by session. `session_bytes`: what one more session is expected to hold.
    """

    address: str
    source: Literal["server", "ray"]
    is_connected: bool
    nodes: tuple[NodeStatus, ...]
    sessions: int = 0
    free_places: int | None = None
    session_bytes: int | None = None
    waiting: int = 0
    queue: int = 0
    moving: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    store: StoreFacts | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {**asdict(self), "nodes": [asdict(node) for node in self.nodes], "problems": dict(self.problems)}


def find_node(given: str, nodes: list[str]) -> str:
    """Return the node that a person means: by its id, or by a beginning that no other has. Raises InvalidArguments."""
    meant = [node for node in nodes if node == given] or [node for node in nodes if given and node.startswith(given)]
    if len(meant) == 1:
        return meant[0]
    what = f"{given} may be each of {', '.join(meant)}." if meant else f"There is no node {given}."
    raise InvalidArguments(what, hint=f"Name one of the nodes: {', '.join(nodes) or 'there is none'}.")
