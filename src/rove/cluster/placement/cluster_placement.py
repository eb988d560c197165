"""Placement on a cluster that is connected: its nodes are watched, sessions moved, and their states saved."""

from __future__ import annotations

from typing import Any

from rove.cluster.connection.cluster import Cluster
from rove.cluster.placement.movable_sessions import MovableSessions
from rove.cluster.placement.node_watch import NodeWatch
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import Relocation
from rove.cluster.placement.state_saver import StateSaver
from rove.cluster.placement.state_store import SessionStateStore
from rove.cluster.placement.status import ClusterStatus, find_node, node_status
from rove.errors import RoveError
from rove.settings.tree import Settings


class ClusterPlacement:
    """What the sessions of a server use to know where to open, and what a person sees and does of the nodes.

    A session is placed (`placement.place`), saved as it changes (`states.save`) and at the end forgotten (`forget`).
    """

    def __init__(self, cluster: Cluster, settings: Settings, sessions: MovableSessions) -> None:
        self._cluster = cluster
        self._settings = settings
        self.placement = Placement(settings.cluster, settings.limits.idle)
        self.relocation = Relocation(self.placement, sessions)
        self.states = StateSaver(SessionStateStore.of(settings), settings.cluster.save_seconds)
        self._watch = NodeWatch(cluster, self.placement, self.relocation, sessions)

    def start(self) -> None:
        """Begin, once the cluster is connected."""
        self.states.start()
        self._watch.start()

    def forget(self, session: str) -> None:
        """Free the place of a session that was closed, and delete its state."""
        self.relocation.forget(session)
        self.states.forget(session)

    async def close(self, error: RoveError) -> None:
        """End, before the cluster is closed; `error` is raised in callers that still wait for a node."""
        await self._watch.close()
        await self.relocation.close()
        self.placement.close(error)
        await self.states.close()

    def status(self) -> dict[str, Any]:
        """Return how the nodes, the line of waiting sessions and the store of states are, as plain data."""
        placement, relocation = self.placement, self.relocation
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
            queue=self._settings.cluster.queue,
            moving=tuple(relocation.moving),
            problems=tuple(relocation.problems.items()),
            store=self.states.facts,
        ).as_dict()

    def drain(self, node: str, /) -> dict[str, Any]:
        """Place nothing on a node any more, and move its sessions away; return its status. Raises InvalidArguments."""
        node = self._found(node)
        self.relocation.drain(node)
        return self._status_of(node)

    def end_draining(self, node: str, /) -> dict[str, Any]:
        """Leave on a node what is still there, and place sessions there again. Raises InvalidArguments."""
        node = self._found(node)
        self.relocation.end_draining(node)
        return self._status_of(node)

    def _found(self, node: str) -> str:
        return find_node(node, sorted(report.id for report in self.placement.reports))

    def _status_of(self, node: str) -> dict[str, Any]:
        status: dict[str, Any] = next(each for each in self.status()["nodes"] if each["id"] == node)
        return status
