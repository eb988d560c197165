"""Follows the nodes of a cluster, and moves the sessions of those that are lost or drained."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable
from typing import Protocol

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import NodeFacts
from rove.cluster.placement.choice import NodeReport
from rove.cluster.placement.placement import Placement
from rove.errors import RoveError
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Nodes that are tried for a session of a lost node, before its calls are told that it cannot be opened.
ATTEMPTS = 3
# Seconds that a node has to open a session of another.
OPEN_SECONDS = 20.0
# Seconds that a session of a draining node has to become idle and move; after that the others come first.
MOVE_SECONDS = 60.0
# Seconds until sessions of a draining node that could not be moved are tried again; it doubles up to the second.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
# Seconds between two looks at what the nodes have told.
LOOK_SECONDS = 1.0
# A node that takes this long to answer gets nothing new, and is given up if it goes on for as long as the second.
SILENT_ANSWER = 5.0
GIVE_UP_SECONDS = 10.0
# The part that the newest answer has in how fast a node counts as.
NEWEST_SHARE = 0.3


class MovableSessions(Protocol):
    """The sessions of the server, each open on one node."""

    def last_used(self, session: str, /) -> float:
        """Return when a client last called the session, by the monotonic clock; those called last are moved first."""
        ...

    async def open_again(self, session: str, node: str, /) -> None:
        """Open a session whose node is lost on another node, as it was saved last, and tell its client what was lost.

        Raises RoveError if that fails; another node is tried then.
        """
        ...

    async def move(self, session: str, node: str, /) -> None:
        """Move an open session to another node: save it, open it there, close it here. Wait for calls that run.

        Calls that come meanwhile wait. Raises RoveError if it fails; the session stays where it is then.
        """
        ...

    def cannot_open(self, session: str, reason: str, /) -> None:
        """Note that a session of a lost node could be opened on no other, so that its calls fail with that reason."""
        ...

    async def close_strays(self, node: str, /) -> None:
        """Close what a node still has of sessions that were opened elsewhere while it was not heard of."""


class Relocation:
    """Opens the sessions of lost nodes elsewhere, all at once but few per node, and empties nodes one by one."""

    def __init__(self, placement: Placement, sessions: MovableSessions) -> None:
        self.placement = placement
        self._sessions = sessions
        self._tasks = BackgroundTasks("the moves of sessions")
        self._moves: dict[str, asyncio.Task[None]] = {}
        self._drains: dict[str, asyncio.Task[None]] = {}
        # Why sessions of draining nodes could not be moved, by session.
        self.problems: dict[str, str] = {}

    @property
    def moving(self) -> list[str]:
        """The sessions of lost nodes that are not open again yet."""
        return [*self._moves]

    def lose(self, node: str) -> list[str]:
        """Open the sessions of a node that is lost on other nodes, those used last first; return their names."""
        self._stop_draining(node)
        lost = sorted(self.placement.lose(node), key=self._sessions.last_used, reverse=True)
        for session in lost:
            if session not in self._moves:  # one that was on its way there tries another node by itself
                self.open_elsewhere(session)
        return lost

    async def wait_for(self, session: str) -> None:
        """Wait until a session is open again, if its node was lost."""
        if (move := self._moves.get(session)) is not None:
            await asyncio.wait({move})

    def forget(self, session: str) -> None:
        """Move a session no more, as it is closed, and free its place."""
        if (move := self._moves.pop(session, None)) is not None:
            move.cancel()
        self.problems.pop(session, None)
        self.placement.release(session)

    def drain(self, node: str) -> None:
        """Place nothing on a node any more, and move its sessions away one by one. Raises InvalidArguments."""
        self.placement.drain(node)
        if node not in self._drains:
            self._drains[node] = self._tasks.start(self._empty(node))

    def end_draining(self, node: str) -> None:
        """Leave on a node what is still there, and place sessions there again. Raises InvalidArguments."""
        self._stop_draining(node)
        self.placement.end_draining(node)

    async def close(self) -> None:
        """Stop all moves."""
        await self._tasks.close()

    def open_elsewhere(self, session: str) -> None:
        """Open a session that has no node, in the background."""
        move = self._tasks.start(self._try_nodes(session))
        self._moves[session] = move

        def forget(done: asyncio.Task[None]) -> None:
            if self._moves.get(session) is done:
                del self._moves[session]

        move.add_done_callback(forget)

    async def _try_nodes(self, session: str) -> None:
        failed: set[str] = set()
        reason = ""
        for _ in range(ATTEMPTS):
            if all(report.id in failed for report in self.placement.reports):
                failed.clear()  # rather the same node again than none
            node = await self.placement.place_move(session, failed)
            reason = await _failure(self._sessions.open_again(session, node), OPEN_SECONDS)
            if not reason:
                self.placement.opened(session)
                return
            log.warning("session %s could not be opened on node %s: %s", session, node, reason)
            failed.add(node)
            self.placement.withdraw(session)
        self._sessions.cannot_open(session, reason)

    async def _empty(self, node: str) -> None:
        """Move the sessions of a node away, those that were unused for longest first, until none is left."""
        pause = FIRST_PAUSE
        while sessions := self.placement.sessions_on(node):
            moved = 0
            for session in sorted(sessions, key=self._sessions.last_used):
                moved += await self._move(session, node)
            if not moved:
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        log.info("node %s is drained", node)

    async def _move(self, session: str, node: str) -> bool:
        """Move a session to another node; return whether it is no longer on this one."""
        if session not in self.placement.sessions_on(node):
            return True  # it was closed meanwhile
        target = await self.placement.place_move(session, (node,))
        try:
            reason = await _failure(self._sessions.move(session, target), MOVE_SECONDS)
        except asyncio.CancelledError:
            self._return(session, node)
            raise
        if reason:
            self.problems[session] = reason
            log.warning("session %s stays on node %s for now: %s", session, node, reason)
            self._return(session, node)
            return False
        self.problems.pop(session, None)
        self.placement.opened(session)
        return True

    def _return(self, session: str, node: str) -> None:
        """Leave a session on its node. If that was lost meanwhile, open it elsewhere; if it was closed, do nothing."""
        if not self.placement.has_place(session):
            return
        if self.placement.has_node(node):
            self.placement.put_back(session, node)
        else:
            self.placement.withdraw(session)
            self.open_elsewhere(session)

    def _stop_draining(self, node: str) -> None:
        if (drain := self._drains.pop(node, None)) is not None:
            drain.cancel()


async def _failure(work: Awaitable[None], seconds: float) -> str:
    """Return why work has failed, as a sentence; an empty one if it has not."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        return f"It took longer than {seconds:g} s."
    except RoveError as error:
        return error.message
    except Exception as error:
        log.exception("a session could not be moved")
        return f"A fault in rove itself: {error!r}."
    return ""


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
