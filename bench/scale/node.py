"""A simulated node: its cores, its memory, and the sessions on it."""

from __future__ import annotations

import asyncio
import math

from bench.scale.costs import KindCost
from bench.scale.processors import NodeGone, Processors
from rove.cluster.placement.choice import NodeReport

# Seconds of processor time that answering "are you there?" takes on a node.
ANSWER = 0.002
LOAD_SECONDS = 60.0


class SimulatedNode:
    """One machine of the cluster."""

    def __init__(self, number: int, rack: int, processors: Processors, memory: int, used: int) -> None:
        self.id = f"node{number:03}"
        self.rack = rack
        self.processors = processors
        self.sessions: dict[str, KindCost] = {}
        self.is_alive = True
        # Set when the server knows that the node is gone.
        self.noticed = asyncio.Event()
        self._memory = memory
        self._own = used
        self._load = 0.0

    def add(self, session: str, cost: KindCost) -> None:
        if not self.is_alive:
            raise NodeGone
        self.sessions[session] = cost
        self.processors.change(cost.idle)

    def remove(self, session: str) -> None:
        if (cost := self.sessions.pop(session, None)) is not None:
            self.processors.change(-cost.idle)

    async def work(self, seconds: float) -> None:
        """Do what a call needs. Raises NodeGone once the server knows that the node is gone, and not before."""
        try:
            if not self.is_alive:
                raise NodeGone
            await self.processors.work(seconds)
        except NodeGone:
            await self.noticed.wait()
            raise

    def fail(self) -> None:
        """Die without a word."""
        self.is_alive = False
        self.processors.fail()

    def return_empty(self, speed: float = 1.0) -> None:
        """Come back, as a machine that was restarted."""
        self.is_alive = True
        self.noticed = asyncio.Event()
        self.sessions.clear()
        self.processors.speed = speed
        self.processors.background = 0.0

    def report(self, seconds: float) -> NodeReport:
        """Return what the node tells of itself, `seconds` after its last report."""
        processors = self.processors
        # As the system tells its load: what runs or waits for a core, over a minute.
        self._load += (processors.running + processors.background - self._load) * (
            1 - math.exp(-seconds / LOAD_SECONDS)
        )
        held = sum(cost.memory for cost in self.sessions.values())
        waiting = max(processors.running / processors.cores, 1.0)
        return NodeReport(
            self.id,
            self.id,
            processors.cores,
            self._memory,
            max(self._memory - self._own - held, 0),
            len(self.sessions),
            held,
            min(self._load / processors.cores, 1.0),
            ANSWER * waiting / processors.speed,
        )
