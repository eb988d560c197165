"""How long the real placement takes with many nodes: it runs in the gateway's event loop, which waits meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from rove.cluster.placement.choice import NodeReport
from rove.cluster.placement.placement import Placement
from rove.settings.sections import Clustering

Json = dict[str, Any]
GIGABYTE = 2**30
CHOICES = 30
HELD = 25
SESSION = 100 * 2**20


def placement_speed(nodes: int, waiting: int) -> Json:
    """Return the milliseconds of a choice, and of a report of a node while moved sessions wait at full nodes."""
    return asyncio.run(_measure(nodes, waiting))


async def _measure(nodes: int, waiting: int) -> Json:
    placement = Placement(Clustering(), 1800.0)
    for number in range(nodes):
        placement.update(_report(number, free=4 * GIGABYTE))
        for session in range(HELD):
            placement.put_back(f"{number}-{session}", f"node{number}")
    began = time.process_time()
    for number in range(CHOICES):
        await placement.place(f"new{number}")
    choice = (time.process_time() - began) / CHOICES
    for number in range(nodes):
        placement.update(_report(number, free=0))
    moves = [asyncio.ensure_future(placement.place_move(f"moved{number}")) for number in range(waiting)]
    await asyncio.sleep(0)
    began = time.process_time()
    placement.update(_report(0, free=0))
    update = time.process_time() - began
    for move in moves:
        move.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await move
    return {
        "nodes": nodes,
        "waiting": waiting,
        "choice_milliseconds": round(choice * 1000, 3),
        "report_milliseconds": round(update * 1000, 1),
    }


def _report(number: int, free: int) -> NodeReport:
    identity = f"node{number}"
    return NodeReport(identity, identity, 4, 8 * GIGABYTE, free, HELD, HELD * SESSION, 0.3, 0.01)
