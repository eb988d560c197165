"""What a person sees and does of the nodes that the sessions of a server run on."""

from __future__ import annotations

from typing import Any

from rove.cluster.connection.cluster import Cluster
from rove.cluster.placement.relocation import Relocation
from rove.cluster.placement.state_saver import StateSaver
from rove.cluster.placement.status import ClusterStatus, find_node, node_status


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
