"""Which session is on which node, and the lines of those that wait for room."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection

from rove.cluster.placement.choice import (
    MEGABYTE,
    Limits,
    NodeLoad,
    NodeReport,
    Wish,
    choose,
    free_places,
    session_cost,
)
from rove.engine.admission import WaitingLine
from rove.errors import InvalidArguments, LimitReached, RoveError
from rove.records import dataclass
from rove.settings.sections import Clustering

# Names whose last node is remembered after their session was closed.
REMEMBERED = 10_000
# Closed sessions by which it is estimated when the next one is.
COUNTED_CLOSES = 20


@dataclass(frozen=True)
class Placed:
    """A session on its node. `is_moving`: it comes from another node, and is not open on this one yet.

    `origin`: the node on which it still is meanwhile, unless that is lost.
    """

    session: str
    node: str
    is_moving: bool = False
    origin: str | None = None


class Placement:
    """Places sessions on nodes, by what the nodes report. Used in one event loop; it neither asks nor tells a node.

    A session has its place from `place` to `release`, or until its node is lost.
    """

    def __init__(self, settings: Clustering, idle_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`idle_seconds`: after which an unused session is closed, the longest that a place is waited for."""
        self._settings = settings
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._limits = Limits(settings.sessions_per_node, settings.moves_per_node)
        self._reports: dict[str, NodeReport] = {}
        self._draining: set[str] = set()
        # Nodes that are not heard of, and may be there again with all that they hold.
        self._silent: set[str] = set()
        self._placed: dict[str, Placed] = {}
        # For each node, how many sessions it has, and how many of them are being moved there.
        self._held = Counter[str]()
        self._opening = Counter[str]()
        self._last_nodes: OrderedDict[str, str] = OrderedDict()
        self._moves = WaitingLine[Placed](self._take_back)
        self._new = WaitingLine[Placed](self._take_back)
        self._wishes: dict[asyncio.Future[Placed], Wish] = {}
        self._closes: deque[float] = deque(maxlen=COUNTED_CLOSES)

    @property
    def reports(self) -> list[NodeReport]:
        """What each node that is there has reported last."""
        return [*self._reports.values()]

    @property
    def count(self) -> int:
        """How many sessions have a place."""
        return len(self._placed)

    @property
    def waiting(self) -> int:
        """How many new sessions wait in line."""
        return len(self._new)

    @property
    def waiting_moves(self) -> int:
        """How many sessions of lost or draining nodes wait for room, or for their turn, on another."""
        return len(self._moves)

    @property
    def free_places(self) -> int:
        """How many more sessions the nodes have room for, as far as they have reported."""
        return free_places(self._loads(), self.session_cost, self._limits)

    @property
    def session_cost(self) -> int:
        """The bytes that one more session is likely to hold."""
        return session_cost(self._reports.values(), self._settings.session_megabytes * MEGABYTE)

    def node_of(self, session: str) -> str | None:
        """Return the node of a session; None if it has none, or has not been opened there yet after a move."""
        placed = self._placed.get(session)
        return placed.node if placed is not None and not placed.is_moving else None

    def sessions_on(self, node: str) -> list[str]:
        """Return the sessions that are on a node, or on their way there."""
        return [session for session, placed in self._placed.items() if placed.node == node]

    def count_on(self, node: str) -> int:
        """Return how many sessions are on a node, or on their way there."""
        return self._held[node]

    def is_empty(self, node: str) -> bool:
        """Return whether no session is on a node, on its way there or not quite gone from there."""
        return all(node not in (placed.node, placed.origin) for placed in self._placed.values())

    def is_draining(self, node: str) -> bool:
        """Return whether nothing is placed on a node because it is drained."""
        return node in self._draining

    def is_silent(self, node: str) -> bool:
        """Return whether a node is not heard of."""
        return node in self._silent

    def update(self, *reports: NodeReport) -> None:
        """Note what nodes have reported, or that they are there; give the room that they have to those that wait."""
        for report in reports:
            self._reports[report.id] = report
            self._silent.discard(report.id)
        self._serve()

    def silence(self, node: str) -> None:
        """Place nothing on a node that is not heard of, until it reports again; what it has stays there."""
        if node in self._reports:
            self._silent.add(node)

    def lose(self, node: str) -> list[str]:
        """Forget a node that is lost; return the sessions that it had, which have no place now."""
        self._reports.pop(node, None)
        self._draining.discard(node)
        self._silent.discard(node)
        lost = self.sessions_on(node)
        for session in lost:
            self._remove(session)
            self._last_nodes.pop(session, None)
        return lost

    def drain(self, node: str) -> None:
        """Place nothing on a node any more. Raises InvalidArguments if there is no such node."""
        self.refuse_unknown(node)
        self._draining.add(node)

    def end_draining(self, node: str) -> None:
        """Place sessions on a node again."""
        self.refuse_unknown(node)
        self._draining.discard(node)
        self._serve()

    def refuse_unknown(self, node: str) -> None:
        """Raise InvalidArguments if there is no such node."""
        if node not in self._reports:
            known = ", ".join(sorted(self._reports)) or "none"
            raise InvalidArguments(f"There is no node {node}.", hint=f"Nodes of the cluster: {known}.")

    async def place(self, session: str) -> str:
        """Return the node for a new session: the one that the name was on before, if it is there and has room.

        Raises LimitReached at once if every node is full and the line too, or if there is no room in time.
        """
        wish = Wish(session, self._last_nodes.get(session))
        self._new.refuse_if_closed()
        placed = None if self._new else self._take(wish)
        if placed is None:
            if not self._has_line:
                raise self._full_error(len(self._new))
            placed = await self._wait(self._new, wish, self._settings.queue_seconds)
        if placed is None:
            raise self._full_error(0)
        return placed.node

    def refuse_if_full(self) -> None:
        """Raise LimitReached if there is no room for a new session, and none could be waited for."""
        if not self._has_line and not self.free_places:
            raise self._full_error(len(self._new))

    @property
    def _has_line(self) -> bool:
        """Whether one more new session could wait."""
        return self._settings.queue_seconds > 0 and len(self._new) < self._settings.queue

    async def place_move(self, session: str, excluded: Collection[str] = ()) -> str:
        """Return another node for a session that loses its own, and wait for room as long as it takes.

        These come before new sessions. Each node gets only a few at once: call `opened` when the session is open there.
        """
        wish = Wish(session, excluded=frozenset(excluded), is_move=True)
        self._moves.refuse_if_closed()
        placed = self._take(wish) or await self._wait(self._moves, wish, None)
        assert placed is not None, "a move waits without a limit"
        return placed.node

    def opened(self, session: str) -> None:
        """Note that a session that was moved is open on its node, which may open the next one."""
        if (placed := self._placed.get(session)) is not None and placed.is_moving:
            self._put(Placed(session, placed.node))
            self._serve()

    def put_back(self, session: str, node: str) -> None:
        """Note that a session that was to be moved is still on its node."""
        self._put(Placed(session, node))
        self._serve()

    def has_node(self, node: str) -> bool:
        """Return whether a node is there."""
        return node in self._reports

    def has_place(self, session: str) -> bool:
        """Return whether a session has a place, also one that it is still on its way to."""
        return session in self._placed

    def withdraw(self, session: str) -> None:
        """Free the place of a session that could not be opened there, and is placed anew."""
        if self._remove(session):
            self._serve()

    def release(self, session: str) -> None:
        """Note that a session was closed; its place goes to those that wait."""
        if self._remove(session):
            self._closes.append(self._clock())
            self._serve()

    def close(self, error: RoveError) -> None:
        """Raise `error` in every caller that waits."""
        self._new.close(error)
        self._moves.close(error)

    async def _wait(self, line: WaitingLine[Placed], wish: Wish, seconds: float | None) -> Placed | None:
        place = line.join()
        self._wishes[place] = wish
        try:
            return await line.wait(place, seconds)
        finally:
            del self._wishes[place]

    def _serve(self) -> None:
        """Give room to those that wait: first to sessions that were moved, then to new ones in their order."""
        full: set[frozenset[str]] = set()
        for place in self._moves:
            wish = self._wishes[place]
            # What there was no room for once, there is none for now: hundreds may wait when a rack was lost.
            if wish.excluded in full:
                continue
            if (placed := self._take(wish)) is not None:
                self._moves.give(placed, place)
            else:
                full.add(wish.excluded)
        for place in self._new:
            if (placed := self._take(self._wishes[place])) is None:
                return
            self._new.give(placed, place)

    def _take(self, wish: Wish) -> Placed | None:
        """Take a place for a session, if there is one. New sessions leave room for those that wait to be moved."""
        loads, cost = self._loads(), self.session_cost
        if not wish.is_move and self._moves and free_places(loads, cost, self._limits) <= len(self._moves):
            return None
        node = choose(wish, loads, cost, self._limits)
        if node is None:
            return None
        before = self._placed.get(wish.session)
        return self._put(Placed(wish.session, node, wish.is_move, before.node if before else None))

    def _put(self, placed: Placed) -> Placed:
        self._remove(placed.session)
        self._placed[placed.session] = placed
        self._held[placed.node] += 1
        self._opening[placed.node] += placed.is_moving
        self._last_nodes[placed.session] = placed.node
        self._last_nodes.move_to_end(placed.session)
        if len(self._last_nodes) > REMEMBERED:
            self._last_nodes.popitem(last=False)
        return placed

    def _take_back(self, placed: Placed) -> None:
        """Free a place that was given to a caller when it had just stopped waiting."""
        if self._placed.get(placed.session) == placed:
            self.withdraw(placed.session)

    def _remove(self, session: str) -> bool:
        """Forget where a session is; return whether it had a place."""
        placed = self._placed.pop(session, None)
        if placed is None:
            return False
        self._held[placed.node] -= 1
        self._opening[placed.node] -= placed.is_moving
        return True

    def _loads(self) -> list[NodeLoad]:
        return [
            NodeLoad(report, self._held[node], self._opening[node], node not in self._draining | self._silent)
            for node, report in self._reports.items()
        ]

    def _full_error(self, ahead: int) -> LimitReached:
        if self._reports.keys() <= self._silent:
            wait = max(self._settings.queue_seconds, 1.0)
            hint = f"Try again in {wait:g} s. The owner can see why with `rove cluster status`."
            return LimitReached("No node of the cluster answers.", hint=hint, retry_after=wait)
        wait = self._seconds_until_place(ahead)
        return LimitReached(
            f"Every node of the cluster is full: {len(self._placed)} sessions are open.",
            hint=f"Try again in {wait:g} s. Or close a session with {{close_session}}.",
            retry_after=wait,
        )

    def _seconds_until_place(self, ahead: int) -> float:
        """Return the seconds in which as many sessions are closed as wait before a caller, and one more.

        It is judged by the last ones that were closed. Without any, it is as long as one waits in line.
        """
        if len(self._closes) < 2:
            return max(self._settings.queue_seconds, 1.0)
        each = (self._clock() - self._closes[0]) / len(self._closes)
        return round(min(max(each * (ahead + 1), 1.0), self._idle_seconds), 1)
