"""The choice of a node for one session: what is known of the nodes, then the one with the smallest share in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from rove.records import dataclass

MEGABYTE = 2**20
# What must stay free on a host for everything else: this part of its memory, but at most this many bytes.
FREE_SHARE = 0.1
MAX_FREE = 512 * MEGABYTE
# How many sessions the expected cost counts as, against those that were measured.
EXPECTED_COUNT = 5
# A session that shows no page holds next to nothing, and gets a page at any time.
LEAST_COST = 30 * MEGABYTE

# Cores that a session is expected to keep busy, for how many a node can hold well; processors refuse nothing.
CORES_PER_SESSION = 0.1
# Room by memory below this counts as this much; else, of two full nodes, the larger one would count as lighter.
LEAST_ROOM = 2.0
# How many times lighter than an idle node one counts whose cores are all busy, whatever keeps them so.
MOST_BUSYNESS = 4.0
# Answers faster than this are as good as each other: so much they differ between nodes that are equally busy.
FAST_ANSWER = 0.1
# A node gets less from this many times the answer of the fastest on, and not ever less.
SLOW_FROM = 2.0
MOST_SLOWNESS = 10.0


@dataclass(frozen=True)
class NodeReport:
    """What a node has told of itself. Nodes of the same `host` share its memory, `memory_free` included.

    `session_bytes`: what its sessions hold together. `busy`: the part of its cores that is in use, from 0 to 1.
    `answer_seconds`: how long it took to answer, of late.
    """

    id: str
    host: str
    cores: float
    memory_total: int
    memory_free: int
    sessions: int = 0
    session_bytes: int = 0
    busy: float = 0.0
    answer_seconds: float = 0.0


@dataclass(frozen=True)
class NodeLoad:
    """A report, and what the server knows besides: the sessions that it has placed there.

    `held`: all of them. `opening`: those that are being moved there. `is_open`: whether anything may be placed there.
    """

    report: NodeReport
    held: int = 0
    opening: int = 0
    is_open: bool = True

    @property
    def id(self) -> str:
        return self.report.id


def session_cost(reports: Iterable[NodeReport], expected: int) -> int:
    """Return the bytes that one more session is likely to hold: what sessions hold on average, once there are some."""
    known = [*reports]
    count = sum(report.sessions for report in known)
    held = sum(report.session_bytes for report in known if report.sessions)
    measured = (EXPECTED_COUNT * expected + held) / (EXPECTED_COUNT + count)
    return max(round(measured), LEAST_COST)


def host_room(loads: Iterable[NodeLoad], cost: int) -> dict[str, int]:
    """Return for how many more sessions of that cost each host has memory.

    Of nodes that share a host the lowest report counts. Sessions that hold less than the cost, as those that were
    placed since the report or show no page yet, keep room for what they are still to take.
    """
    by_host: dict[str, list[NodeLoad]] = {}
    for load in loads:
        by_host.setdefault(load.report.host, []).append(load)
    return {host: _room(on_host, cost) for host, on_host in by_host.items()}


def _room(on_host: list[NodeLoad], cost: int) -> int:
    free = min(load.report.memory_free for load in on_host)
    total = min(load.report.memory_total for load in on_host)
    still_to_take = sum(max(load.held * cost - load.report.session_bytes, 0) for load in on_host)
    left = free - still_to_take - min(total * FREE_SHARE, MAX_FREE)
    return max(int(left // cost), 0)


@dataclass(frozen=True)
class Limits:
    """What a node may take: `sessions` in all, `moves` at once of sessions that another node had."""

    sessions: int
    moves: int


@dataclass(frozen=True)
class Wish:
    """A session that needs a node. `preferred`: the node that it was on. `is_move`: it comes from another node."""

    session: str
    preferred: str | None = None
    excluded: frozenset[str] = frozenset()
    is_move: bool = False


def choose(wish: Wish, loads: Sequence[NodeLoad], cost: int, limits: Limits) -> str | None:
    """Return the node for a session of that cost; None if no node has room."""
    rooms = host_room(loads, cost)
    fitting = [
        load
        for load in loads
        if _takes(load, limits, wish) and load.held < limits.sessions and rooms[load.report.host] > 0
    ]
    if not fitting:
        return None
    if any(load.id == wish.preferred for load in fitting):
        return wish.preferred
    neighbours = _count_by_host(loads)
    fastest = min(map(_answer, fitting))

    def share(load: NodeLoad) -> float:
        host = load.report.host
        capacity = _capacity(load, rooms[host] / neighbours[host], limits)
        return (load.held + 1) / capacity * _slowness(load, fastest) * _busyness(load)

    shares = [share(load) for load in fitting]
    least = min(shares)
    equal = [load.id for load, found in zip(fitting, shares, strict=True) if found == least]
    return min(equal, key=lambda node: _rank(wish.session, node))


def free_places(loads: Sequence[NodeLoad], cost: int, limits: Limits) -> int:
    """Return how many more sessions of that cost the nodes have room for."""
    rooms = host_room(loads, cost)
    below_limit: dict[str, int] = {}
    for load in loads:
        if load.is_open:
            host = load.report.host
            below_limit[host] = below_limit.get(host, 0) + max(limits.sessions - load.held, 0)
    return sum(min(rooms[host], places) for host, places in below_limit.items())


def _takes(load: NodeLoad, limits: Limits, wish: Wish) -> bool:
    has_turn = not wish.is_move or load.opening < limits.moves
    return load.is_open and load.id not in wish.excluded and has_turn


def _capacity(load: NodeLoad, memory_room: float, limits: Limits) -> float:
    """Return how many sessions a node can hold well, with those that it has: by memory, by cores, and by the limit."""
    by_memory = load.held + max(memory_room, LEAST_ROOM)
    return max(min(by_memory, load.report.cores / CORES_PER_SESSION, limits.sessions), 1.0)


def _busyness(load: NodeLoad) -> float:
    return 1 + min(max(load.report.busy, 0.0), 1.0) * (MOST_BUSYNESS - 1)


def _slowness(load: NodeLoad, fastest: float) -> float:
    return min(max(_answer(load) / (SLOW_FROM * fastest), 1.0), MOST_SLOWNESS)


def _answer(load: NodeLoad) -> float:
    return max(load.report.answer_seconds, FAST_ANSWER)


def _count_by_host(loads: Sequence[NodeLoad]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for load in loads:
        counts[load.report.host] = counts.get(load.report.host, 0) + load.is_open
    return counts


def _rank(session: str, node: str) -> bytes:
    """Return what orders nodes that are equally good, the same way each time for the same session."""
    return blake2b(f"{session}\n{node}".encode(errors="surrogatepass"), digest_size=8).digest()
