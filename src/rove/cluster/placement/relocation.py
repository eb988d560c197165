"""Sessions that change their node: those of a node that is lost, and those of a node that is drained."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable

from rove.cluster.placement.movable_sessions import MovableSessions
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
