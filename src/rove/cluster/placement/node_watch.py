"""Follows the nodes of a cluster: tells placement how they are, and failover which ones are lost."""

from __future__ import annotations

import asyncio
import logging
import time

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.node_facts import NodeFacts
from rove.cluster.placement.movable_sessions import MovableSessions
from rove.cluster.placement.node_load import NodeReport
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import Relocation
from rove.errors import RoveError
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Seconds between two looks at what the nodes have told.
LOOK_SECONDS = 1.0
# A node that takes this long to answer gets nothing new, and is given up if it goes on for as long as the second.
SILENT_ANSWER = 5.0
GIVE_UP_SECONDS = 10.0
# The part that the newest answer has in how fast a node counts as.
NEWEST_SHARE = 0.3


class NodeWatch:
    """Keeps placement up to date while a cluster is connected.

    When only the connection breaks, nodes keep their sessions: they are lost if they are not there, or are other
    processes, once it is made again.
    """

    def __init__(
        self, cluster: Cluster, placement: Placement, relocation: Relocation, sessions: MovableSessions
    ) -> None:
        self._cluster = cluster
        self._placement = placement
        self._relocation = relocation
        self._sessions = sessions
        self._tasks = BackgroundTasks("the watch of the nodes", expected=(RoveError,))
        self._answers: dict[str, float] = {}
        # The process of each node, by its public key, which no other process has.
        self._keys: dict[str, bytes] = {}
        self._silent_since: dict[str, float] = {}
        # Nodes that were given up while their process went on, by that process, and those that are let in again.
        self._given_up: dict[str, bytes] = {}
        self._returning: set[str] = set()

    def start(self) -> None:
        """Begin with the nodes that are there."""
        self._cluster.on_node_added.append(self._added)
        self._cluster.on_node_lost.append(self._lost)
        self._cluster.on_connection.append(self._connection_changed)
        for facts in self._cluster.known_nodes():
            self._added(facts)
        self._tasks.start(self._look_regularly())

    async def close(self) -> None:
        """Follow the nodes no more."""
        for callbacks, callback in (
            (self._cluster.on_node_added, self._added),
            (self._cluster.on_node_lost, self._lost),
        ):
            callbacks.remove(callback)
        self._cluster.on_connection.remove(self._connection_changed)
        await self._tasks.close()

    def _added(self, facts: NodeFacts) -> None:
        if self._keys.get(facts.id, facts.key) != facts.key:
            self._give_up(facts.id)  # another process, without the sessions of the one before
        self._look_at([facts])

    def _lost(self, facts: NodeFacts) -> None:
        if self._cluster.is_connected:
            self._give_up(facts.id)
        else:
            self._placement.silence(facts.id)

    def _connection_changed(self, is_connected: bool) -> None:
        if is_connected:
            known = {facts.id for facts in self._cluster.known_nodes()}
            for node in self._keys.keys() - known:
                self._give_up(node)

    def _give_up(self, node: str) -> None:
        """Open the sessions of a node elsewhere."""
        for known in (self._keys, self._answers, self._silent_since):
            known.pop(node, None)
        if sessions := self._relocation.lose(node):
            log.warning("node %s is lost: its %d session(s) are opened elsewhere", node, len(sessions))

    async def _look_regularly(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._cluster.is_connected:
                self._look_at(self._cluster.known_nodes())

    def _look_at(self, nodes: list[NodeFacts]) -> None:
        answering = [facts for facts in nodes if not self._is_silent(facts) and not self._is_returning(facts)]
        for facts in answering:
            self._keys[facts.id] = facts.key
        self._placement.update(*map(self._report, answering))

    def _is_returning(self, facts: NodeFacts) -> bool:
        """Return whether a node that was given up still has sessions that are elsewhere now; they are closed first."""
        if facts.id not in self._returning and self._given_up.get(facts.id) == facts.key:
            self._returning.add(facts.id)
            self._tasks.start(self._let_in(facts.id))
        return facts.id in self._returning

    async def _let_in(self, node: str) -> None:
        try:
            await self._sessions.close_strays(node)
            self._given_up.pop(node, None)
            log.warning("node %s answers again", node)
        finally:
            self._returning.discard(node)

    def _is_silent(self, facts: NodeFacts) -> bool:
        """Return whether a node does not answer; one that has not for too long is given up."""
        if facts.latency < SILENT_ANSWER:
            self._silent_since.pop(facts.id, None)
            return False
        now = time.monotonic()
        if now - self._silent_since.setdefault(facts.id, now) >= GIVE_UP_SECONDS and facts.id in self._keys:
            self._given_up[facts.id] = facts.key
            self._give_up(facts.id)
        else:
            self._placement.silence(facts.id)
        return True

    def _report(self, facts: NodeFacts) -> NodeReport:
        before = self._answers.get(facts.id, facts.latency)
        answer = self._answers[facts.id] = before + (facts.latency - before) * NEWEST_SHARE
        return report_of(facts, answer)


def report_of(facts: NodeFacts, answer_seconds: float) -> NodeReport:
    """Return what placement needs of the facts of a node."""
    sessions = facts.services.get("sessions", {})
    return NodeReport(
        id=facts.id,
        host=facts.machine or facts.address,
        cores=facts.cores,
        memory_total=facts.memory_total,
        memory_free=facts.memory_free,
        sessions=facts.sessions,
        session_bytes=int(sessions.get("bytes", 0)),
        busy=min(facts.load / facts.cores, 1.0) if facts.cores else 1.0,
        answer_seconds=answer_seconds,
    )
