"""One simulated cluster, from its start to the end of a scenario."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from bench.scale.assumptions import Plan
from bench.scale.costs import Costs, KindCost
from bench.scale.node import SimulatedNode
from bench.scale.processors import Processors
from bench.scale.server import Record, SimulatedServer
from bench.scale.virtual_time import now, run

# Seconds until calls are spread as agents make them; what happens until then is no part of the results.
SETTLING = 20.0


class Simulation:
    """Gateways, nodes and agents. Sessions arrive at the rate that keeps their number."""

    def __init__(self, plan: Plan, costs: Costs) -> None:
        self.plan = plan
        self.costs = costs
        self.record = Record()
        self._random = random.Random(plan.seed)
        self._tasks: set[asyncio.Task[None]] = set()
        self._names = 0
        self.ended_at = 0.0
        machines = plan.machines
        self.nodes = [
            SimulatedNode(
                number,
                number // machines.nodes_per_rack,
                Processors(machines.cores),
                machines.memory,
                costs.node_memory,
            )
            for number in range(machines.nodes)
        ]
        # Each rack is shared by all gateways, so that none loses all of its nodes with one.
        self.servers = [
            SimulatedServer(plan, costs, self.nodes[first :: machines.gateways], self.record, plan.seed + first)
            for first in range(machines.gateways)
        ]

    def server_of(self, node: SimulatedNode) -> SimulatedServer:
        return next(server for server in self.servers if node.id in server.nodes)

    @property
    def open(self) -> int:
        """How many sessions are open."""
        return sum(len(server.sessions) for server in self.servers)

    def start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def fill(self) -> None:
        """Begin with as many open sessions as the plan wants, evenly spread, and let the polls and arrivals start."""
        for server in self.servers:
            await server.prepare()
            self.start(server.poll())
        for number in range(self.plan.work.sessions):
            server = self.servers[number % len(self.servers)]
            nodes = [*server.nodes.values()]
            name, kind, seconds = self._next()
            # Lives are exponential, so a session that is there already has as long to go as a new one.
            self.start(server.use(name, kind, seconds, nodes[number // len(self.servers) % len(nodes)]))
        self.start(self._arrivals())
        await asyncio.sleep(SETTLING)
        self.forget_records()

    def forget_records(self) -> None:
        """Begin the results anew."""
        fresh = Record()
        vars(self.record).update(vars(fresh))

    async def lose(self, nodes: list[SimulatedNode]) -> None:
        """Let nodes of all gateways die at once."""
        by_server: dict[int, list[SimulatedNode]] = {}
        for node in nodes:
            by_server.setdefault(id(self.server_of(node)), []).append(node)
        await asyncio.gather(*(self.server_of(group[0]).lose(group) for group in by_server.values()))

    async def _arrivals(self) -> None:
        each = self.plan.work.minutes * 60 / self.plan.work.sessions
        while True:
            await asyncio.sleep(self._random.expovariate(1 / each))
            self.start(self._agent())

    async def _agent(self) -> None:
        name, kind, seconds = self._next()
        await self.servers[self._names % len(self.servers)].use(name, kind, seconds)

    def _next(self) -> tuple[str, KindCost, float]:
        """Return the name of the next session, what it shows and how many seconds it lasts."""
        self._names += 1
        kinds = self.plan.work.kinds
        kind = self._random.choices([*kinds], [*kinds.values()])[0]
        return f"s{self._names}", self.costs.kinds[kind], self._random.expovariate(1 / (self.plan.work.minutes * 60))

    async def end(self) -> None:
        self.ended_at = now()
        for task in self._tasks:
            task.cancel()
        for server in self.servers:
            await server.relocation.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def simulate(plan: Plan, costs: Costs, scenario: Callable[[Simulation], Awaitable[None]]) -> tuple[Simulation, float]:
    """Fill a cluster, run a scenario in it, and return what happened and when the scenario began."""

    async def whole() -> tuple[Simulation, float]:
        simulation = Simulation(plan, costs)
        await simulation.fill()
        began = now()
        await scenario(simulation)
        await simulation.end()
        return simulation, began

    return run(whole())
