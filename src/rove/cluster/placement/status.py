"""How a cluster is: nodes, sessions, those that wait, the store of states; and what a person can do with nodes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import NodeFacts
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import Relocation
from rove.cluster.placement.state_store import StateSaver, StoreFacts
from rove.errors import InvalidArguments
from rove.records import dataclass

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


class NodeControl:
    """The `ClusterControl` of a server that has placed sessions on nodes. `queue`: most of them that wait in line."""

    def __init__(self, cluster: Cluster, relocation: Relocation, states: StateSaver, queue: int) -> None:
        self._cluster = cluster
        self._placement = relocation.placement
        self._relocation = relocation
        self._states = states
        self._queue = queue

    def status(self) -> dict[str, Any]:
        """Return how the nodes, the line of waiting sessions and the store of states are, as plain data."""
        placement, relocation = self._placement, self._relocation
        nodes = sorted((node_status(facts, placement) for facts in self._cluster.all_nodes()), key=lambda node: node.id)
        return ClusterStatus(
            address=self._cluster.options.address,
            source="server",
            is_connected=self._cluster.is_connected,
            nodes=tuple(nodes),
            sessions=placement.count,
            free_places=placement.free_places,
            session_bytes=placement.session_cost,
            waiting=placement.waiting,
            queue=self._queue,
            moving=tuple(relocation.moving),
            problems=tuple(relocation.problems.items()),
            store=self._states.facts,
        ).as_dict()

    def drain(self, node: str, /) -> dict[str, Any]:
        """Place nothing on a node any more, and move its sessions away; return its status. Raises InvalidArguments."""
        node = self._found(node)
        self._relocation.drain(node)
        return self._status_of(node)

    def end_draining(self, node: str, /) -> dict[str, Any]:
        """Leave on a node what is still there, and place sessions there again. Raises InvalidArguments."""
        node = self._found(node)
        self._relocation.end_draining(node)
        return self._status_of(node)

    def _found(self, node: str) -> str:
        return find_node(node, sorted(report.id for report in self._placement.reports))

    def _status_of(self, node: str) -> dict[str, Any]:
        status: dict[str, Any] = next(each for each in self.status()["nodes"] if each["id"] == node)
        return status
