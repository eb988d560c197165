"""What placement knows of the nodes: what they reported, and what was placed there since."""

from __future__ import annotations

from collections.abc import Iterable

from rove.validation.record import dataclass

MEGABYTE = 2**20
# What must stay free on a host for everything else: this part of its memory, but at most this many bytes.
FREE_SHARE = 0.1
MAX_FREE = 512 * MEGABYTE
# How many sessions the expected cost counts as, against those that were measured.
EXPECTED_COUNT = 5
# A session that shows no page holds next to nothing, and gets a page at any time.
LEAST_COST = 30 * MEGABYTE


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
