"""A simulated `rove serve --cluster`: the real placement and relocation, over simulated nodes."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bench.scale.assumptions import Plan
from bench.scale.costs import TOOLS, Costs, KindCost
from bench.scale.node import SimulatedNode
from bench.scale.processors import NodeGone, Processors
from bench.scale.virtual_time import now
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import Relocation
from rove.cluster.placement.state_store import WRITERS
from rove.errors import LimitReached
from rove.settings.sections import Clustering

# Of the lost node's sessions each one is logged; thousands of lines would be no help.
logging.getLogger("rove.cluster").setLevel(logging.ERROR)
IDLE_LIMIT = 1800.0
TRIALS = 20


@dataclass
class Record:
    """What happened, with the seconds of the simulation at which it did."""

    calls: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    slow_calls: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    back: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    waited: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    refused: list[float] = field(default_factory=list[float])
    gave_up: list[float] = field(default_factory=list[float])
    writes: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    moves: list[float] = field(default_factory=list[float])
    lost_for_good: int = 0


@dataclass
class AgentSession:
    """A session of an agent, as the server knows it."""

    name: str
    cost: KindCost
    last_used: float = 0.0
    saved: float = -1e9
    changed_at: float | None = None
    lost_at: float | None = None
    moves: int = 0
    # Whether it could not be opened again; and whether its node was ever lost, so that its calls had to wait.
    is_lost: bool = False
    was_lost: bool = False


class SimulatedServer:
    """One gateway with its nodes. It is what `Relocation` knows as the sessions of the cluster."""

    def __init__(self, plan: Plan, costs: Costs, nodes: Sequence[SimulatedNode], record: Record, seed: int) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.record = record
        # The event loop of the server, and the process that is connected to Ray: each can use one core.
        self.loop = Processors(1.0)
        self.driver = Processors(1.0)
        self._writers = asyncio.Semaphore(WRITERS)
        self.sessions: dict[str, AgentSession] = {}
        self._saves: set[asyncio.Future[None]] = set()
        self._plan = plan
        self._costs = costs
        self._random = random.Random(seed)
        self.settings = _settings(plan)
        self.placement = Placement(self.settings, IDLE_LIMIT, now)
        self.relocation = Relocation(self.placement, self)
        self.poll_seconds = plan.poll_seconds or 1.0
        for node in nodes:
            self.placement.update(node.report(1.0))
        self.choice_seconds = 0.0
        # The shares of a core that they took while they were watched.
        self.loop_share = self.driver_share = 0.0

    async def prepare(self) -> None:
        """Measure how long a choice of the real placement takes, with all nodes there."""
        began = time.process_time()
        for number in range(TRIALS):
            await self.placement.place(f"trial{number}")
        self.choice_seconds = (time.process_time() - began) / TRIALS
        for number in range(TRIALS):
            self.placement.release(f"trial{number}")

    async def poll(self) -> None:
        """Ask every node how it is, again and again."""
        while True:
            began = now()
            alive = [node for node in self.nodes.values() if node.is_alive]
            await self.driver.work(self._costs.gateway.driver_node * self.poll_seconds * len(alive))
            await self.loop.work(self._costs.gateway.server_node * self.poll_seconds * len(alive))
            await asyncio.sleep(max(self.poll_seconds - (now() - began), 0.001))
            self.placement.update(*(node.report(now() - began) for node in alive if node.is_alive))

    async def use(self, name: str, kind: KindCost, seconds: float, node: SimulatedNode | None = None) -> None:
        """Be an agent: open a session, call with pauses to think, and close it after so many seconds.

        `node`: the session is there already, on this node.
        """
        session = AgentSession(name, kind)
        if node is not None:
            self.sessions[name] = session
            self.placement.put_back(name, node.id)
            node.add(name, kind)
        elif not await self._open(session):
            return
        ends = now() + seconds
        while now() < ends and not session.is_lost:
            await asyncio.sleep(self._random.expovariate(1 / self._plan.work.thinking))
            tool = self._random.choices(TOOLS, [self._plan.work.calls[tool] for tool in TOOLS])[0]
            await self._call(session, kind.calls[tool])
        self.close(name)

    def close(self, name: str) -> None:
        self.sessions.pop(name, None)
        node = self.placement.node_of(name)
        if node in self.nodes:
            self.nodes[node].remove(name)
        self.relocation.forget(name)

    async def _open(self, session: AgentSession) -> bool:
        """Open a session; return whether there was a place for it."""
        began = now()
        for _ in range(self._plan.work.tries):
            await self._handle(self.choice_seconds)
            try:
                node = await self.placement.place(session.name)
            except LimitReached as refusal:
                self.record.refused.append(now())
                # Agents that were refused together must not all come back in the same instant.
                await asyncio.sleep((refusal.retry_after or 1.0) * self._random.uniform(1.0, 1.3))
                continue
            self.record.waited.append((now(), now() - began))
            self.sessions[session.name] = session
            try:
                self.nodes[node].add(session.name, session.cost)
                await self.nodes[node].work(session.cost.opening)
            except NodeGone:
                await self.relocation.wait_for(session.name)
            return True
        self.record.gave_up.append(now())
        return False

    async def _call(self, session: AgentSession, seconds: float) -> None:
        began = session.last_used = now()
        await self._handle()
        while not session.is_lost:
            await self.relocation.wait_for(session.name)
            identity = self.placement.node_of(session.name)
            if identity is None:  # it is being moved by a drain, which calls wait for
                await asyncio.sleep(0.05)
                continue
            node = self.nodes[identity]
            try:
                await asyncio.sleep(2 * self._plan.surroundings.network)
                await node.work(seconds)
            except NodeGone:
                continue
            if not session.was_lost:
                calls = self.record.slow_calls if node.processors.speed < 1 else self.record.calls
                calls.append((began, now() - began))
            self._save(session)
            return

    async def _handle(self, more: float = 0.0) -> None:
        """Spend what a call takes of the server, and of its connection to Ray."""
        await self.loop.work(self._costs.gateway.server_call + more)
        await self.driver.work(self._costs.gateway.driver_call)

    def _save(self, session: AgentSession) -> None:
        """Save a state as `StateSaver` does: the newest one, not too often, a few files at once."""
        if session.changed_at is None:
            session.changed_at = now()
            saving = asyncio.ensure_future(self._write(session))
            self._saves.add(saving)
            saving.add_done_callback(self._saves.discard)

    async def _write(self, session: AgentSession) -> None:
        await asyncio.sleep(max(session.saved + self.settings.save_seconds - now(), 0.0))
        async with self._writers:
            changed_at, session.changed_at, session.saved = session.changed_at or now(), None, now()
            await asyncio.sleep(self._plan.surroundings.store_seconds)
        self.record.writes.append((now(), now() - changed_at))

    # What `Relocation` needs

    def last_used(self, session: str, /) -> float:
        return self.sessions[session].last_used if session in self.sessions else 0.0

    async def open_again(self, session: str, node: str, /) -> None:
        known = self.sessions.get(session)
        if known is None:
            return
        await self._handle(self.choice_seconds)
        await asyncio.sleep(self._plan.surroundings.store_seconds + 2 * self._plan.surroundings.network)
        self.nodes[node].add(session, known.cost)
        try:
            await self.nodes[node].work(known.cost.restoring)
        except BaseException:
            self.nodes[node].remove(session)
            raise
        if known.lost_at is not None:
            self.record.back.append((now(), now() - known.lost_at))
            known.lost_at = None

    async def move(self, session: str, node: str, /) -> None:
        known = self.sessions.get(session)
        if known is None:
            return
        old = next((each for each in self.nodes.values() if session in each.sessions), None)
        await asyncio.sleep(self._plan.surroundings.store_seconds)
        await self.open_again(session, node)
        if old is not None:
            old.remove(session)
        known.moves += 1
        self.record.moves.append(now())

    def cannot_open(self, session: str, reason: str, /) -> None:
        self.record.lost_for_good += 1
        if session in self.sessions:
            self.sessions[session].is_lost = True

    async def close_strays(self, node: str, /) -> None:
        """Do nothing: a simulated node that comes back is empty."""

    # What befalls nodes

    async def lose(self, nodes: Sequence[SimulatedNode]) -> None:
        """Let nodes die at once; the server knows some seconds later."""
        for node in nodes:
            for name in node.sessions:
                self.sessions[name].lost_at = now()
                self.sessions[name].was_lost = True
            node.fail()
        await asyncio.sleep(self._plan.detection)
        for node in nodes:
            node.sessions.clear()
            self.relocation.lose(node.id)
            node.noticed.set()

    async def replace(self, node: SimulatedNode) -> None:
        """Drain a node, restart it, and use it again."""
        self.relocation.drain(node.id)
        while self.placement.sessions_on(node.id):  # noqa: ASYNC110 - as `rove cluster drain` asks, too
            await asyncio.sleep(0.5)
        self.placement.lose(node.id)
        await asyncio.sleep(self._plan.surroundings.restart)
        node.return_empty()
        self.placement.update(node.report(1.0))
        self.relocation.end_draining(node.id)


def _settings(plan: Plan) -> Clustering:
    settings = Clustering()
    given = {"moves_per_node": plan.moves_per_node, "save_seconds": plan.save_seconds}
    return replace(settings, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
