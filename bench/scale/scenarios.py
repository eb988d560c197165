"""What is tried with a simulated cluster, and what comes out of it, as plain data."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bench.scale.assumptions import Machines, Plan, Work
from bench.scale.costs import Costs
from bench.scale.server import SimulatedServer
from bench.scale.simulation import Simulation, simulate

Json = dict[str, Any]
WATCHED = 20.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the values does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


def gateways(plan: Plan, costs: Costs, counts: Sequence[int], numbers: Sequence[int]) -> list[Json]:
    """More and more sessions at one, two, … gateways: how long do calls take, and what breaks first?"""
    found: list[Json] = []
    for number in numbers:
        for sessions in counts:
            scaled = replace(
                plan,
                machines=replace(plan.machines, gateways=number),
                work=replace(plan.work, sessions=sessions),
            )
            simulation, began = simulate(scaled, costs, _watch)
            found.append({"gateways": number, "sessions": sessions} | _summary(simulation, began))
    return found


async def _watch(simulation: Simulation) -> None:
    before = [(server.loop.work_done, server.driver.work_done) for server in simulation.servers]
    await asyncio.sleep(WATCHED)
    for server, (loop, driver) in zip(simulation.servers, before, strict=True):
        server.loop_share = (server.loop.work_done - loop) / WATCHED
        server.driver_share = (server.driver.work_done - driver) / WATCHED


def _summary(simulation: Simulation, began: float) -> Json:
    record = simulation.record
    took = [seconds for _, seconds in record.calls]
    return {
        "open": simulation.open,
        "calls_per_second": round(len(took) / WATCHED, 1),
        "median": round(percentile(took, 0.5), 4),
        "p95": round(percentile(took, 0.95), 4),
        "writes_per_second": round(len(record.writes) / WATCHED, 1),
        "megabytes_written_per_second": round(len(record.writes) * _state_bytes(simulation) / WATCHED / 2**20, 2),
        "saved_after_p95": round(percentile([age for _, age in record.writes], 0.95), 2),
        "server_busy": round(max(server.loop_share for server in simulation.servers), 3),
        "driver_busy": round(max(server.driver_share for server in simulation.servers), 3),
        "choice_milliseconds": round(simulation.servers[0].choice_seconds * 1000, 3),
        "node_busy": round(_node_busy(simulation), 3),
        "node_memory": round(_node_memory(simulation) / 2**30, 2),
    }


def _state_bytes(simulation: Simulation) -> float:
    kinds = simulation.plan.work.kinds
    return sum(share * simulation.costs.kinds[kind].state_bytes for kind, share in kinds.items())


def _node_busy(simulation: Simulation) -> float:
    """Return the share of the nodes' cores that is in use, on average since the simulation began."""
    work = sum(
        node.processors.work_done / simulation.ended_at + node.processors.background for node in simulation.nodes
    )
    return work / sum(node.processors.cores for node in simulation.nodes)


def _node_memory(simulation: Simulation) -> float:
    return statistics.mean(
        simulation.costs.node_memory + sum(cost.memory for cost in node.sessions.values()) for node in simulation.nodes
    )


def queueing(plan: Plan, costs: Costs, loads: Sequence[float]) -> list[Json]:
    """More sessions than there is room for: how many are refused at once, how many wait, how many give up?"""
    found: list[Json] = []
    for load in loads:
        part = one_gateway(plan)
        room = _room(part, costs)
        # Short sessions, so that many come and go while it is watched.
        work = replace(part.work, sessions=round(room * load), minutes=4.0)
        simulation, _ = simulate(replace(part, work=work), costs, _long_watch)
        record = simulation.record
        asked = len(record.waited) + len(record.gave_up)
        found.append(
            {
                "load": load,
                "room": room,
                "opened": len(record.waited),
                "refused_per_session": round(len(record.refused) / max(asked, 1), 3),
                "gave_up_share": round(len(record.gave_up) / max(asked, 1), 4),
                "waited_median": round(percentile([seconds for _, seconds in record.waited], 0.5), 3),
                "waited_p95": round(percentile([seconds for _, seconds in record.waited], 0.95), 3),
                "call_p95": round(percentile([seconds for _, seconds in record.calls], 0.95), 3),
            }
        )
    return found


async def _long_watch(simulation: Simulation) -> None:
    await asyncio.sleep(240.0)


def one_gateway(plan: Plan) -> Plan:
    """Return the part of a cluster that one gateway has: gateways do not share nodes, so each behaves the same."""
    machines, number = plan.machines, plan.machines.gateways
    part = replace(machines, nodes=machines.nodes // number, gateways=1, nodes_per_rack=1)
    return replace(plan, machines=part, work=replace(plan.work, sessions=plan.work.sessions // number))


def stores(plan: Plan, costs: Costs, seconds: Sequence[float]) -> list[Json]:
    """A store that answers more and more slowly: how old is what is saved?"""
    found: list[Json] = []
    for latency in seconds:
        surroundings = replace(plan.surroundings, store_seconds=latency)
        simulation, began = simulate(replace(one_gateway(plan), surroundings=surroundings), costs, _watch)
        found.append({"store_seconds": latency} | _summary(simulation, began))
    return found


def _room(plan: Plan, costs: Costs) -> int:
    """Return how many sessions the real placement says that the empty cluster has room for."""
    from bench.scale.virtual_time import run

    async def places() -> int:
        simulation = Simulation(plan, costs)
        server: SimulatedServer = simulation.servers[0]
        for node in simulation.nodes:
            # With a session of each kind, in their shares, the server knows what one costs.
            for number in range(20):
                kinds = plan.work.kinds
                kind = [*kinds][_pick([*kinds.values()], (number + 0.5) / 20)]
                node.add(f"{node.id}-{number}", costs.kinds[kind])
            server.placement.update(node.report(1.0))
            for name in [*node.sessions]:
                node.remove(name)
        cost = server.placement.session_cost
        free = plan.machines.memory - costs.node_memory - min(plan.machines.memory * 0.1, 512 * 2**20)
        return plan.machines.nodes * min(int(free // cost), server.settings.sessions_per_node)

    return run(places())


def _pick(weights: Sequence[float], share: float) -> int:
    for index, weight in enumerate(weights):
        share -= weight
        if share <= 0:
            return index
    return len(weights) - 1


def losses(plan: Plan, costs: Costs, nodes: int, moves: Sequence[int], detection: float) -> list[Json]:
    """Nodes that die at once: how soon is each of their sessions back, and do others notice?"""
    found: list[Json] = []
    for number in moves:
        changed = replace(plan, moves_per_node=number, detection=detection)

        async def lose(simulation: Simulation) -> None:
            await asyncio.sleep(30.0)
            simulation.start(simulation.lose(simulation.nodes[:nodes]))
            await asyncio.sleep(150.0)

        simulation, began = simulate(changed, costs, lose)
        record, died = simulation.record, began + 30.0
        back = [seconds for _, seconds in record.back]
        window = [took for at, took in record.calls if died <= at < died + detection + 30]
        before = [took for at, took in record.calls if at < died]
        found.append(
            {
                "nodes": nodes,
                "moves_per_node": number,
                "detection": detection,
                "lost": len(back) + record.lost_for_good,
                "lost_for_good": record.lost_for_good,
                "back_median": round(percentile(back, 0.5), 2),
                "back_p95": round(percentile(back, 0.95), 2),
                "back_longest": round(max(back, default=0.0), 2),
                "others_p95_before": round(percentile(before, 0.95), 3),
                "others_p95_after": round(percentile(window, 0.95), 3),
                "back": [round(seconds, 2) for seconds in sorted(back)],
            }
        )
    return found


def upgrades(plan: Plan, costs: Costs, together: Sequence[int]) -> list[Json]:
    """A rolling upgrade, some nodes at a time: how long does it take, and how often is a session moved?"""
    found: list[Json] = []
    for number in together:
        took: list[float] = []

        async def upgrade(simulation: Simulation, number: int = number, took: list[float] = took) -> None:
            loop = asyncio.get_running_loop()
            began, waiting = loop.time(), [*simulation.nodes]

            async def one_after_the_other() -> None:
                while waiting:
                    node = waiting.pop(0)
                    await simulation.server_of(node).replace(node)

            await asyncio.gather(*(one_after_the_other() for _ in range(number)))
            took.append(loop.time() - began)

        simulation, _ = simulate(one_gateway(plan), costs, upgrade)
        record = simulation.record
        found.append(
            {
                "together": number,
                "minutes": round(took[0] / 60, 1),
                "moves": len(record.moves),
                "sessions_opened": len(record.waited),
                "moves_per_session": round(
                    len(record.moves) / (len(record.waited) + one_gateway(plan).work.sessions), 2
                ),
                "refused": len(record.refused),
                "p95": round(percentile([seconds for _, seconds in record.calls], 0.95), 3),
            }
        )
    return found


def slow_node(plan: Plan, costs: Costs, speed: float) -> Json:
    """A node that becomes slow: does it get less, and what do its sessions notice?"""
    counts: list[tuple[float, int, float]] = []

    async def slow(simulation: Simulation) -> None:
        node, *others = simulation.nodes
        node.processors.speed = speed
        for _ in range(30):
            counts.append(
                (
                    asyncio.get_running_loop().time(),
                    len(node.sessions),
                    statistics.mean(len(other.sessions) for other in others),
                )
            )
            await asyncio.sleep(30.0)

    simulation, began = simulate(one_gateway(plan), costs, slow)
    record = simulation.record
    return {
        "speed": speed,
        "sessions": [[round(at - began), slow, round(mean, 1)] for at, slow, mean in counts],
        "slow_p95": round(percentile([took for _, took in record.slow_calls], 0.95), 3),
        "others_p95": round(percentile([took for _, took in record.calls], 0.95), 3),
    }


def three_nodes(costs: Costs, moves: Sequence[int], detection: float) -> list[Json]:
    """30 sessions on three nodes, of which one dies: the others have to open five more each at once."""
    machines = Machines(nodes=3, nodes_per_rack=1)
    return losses(Plan(machines, Work(sessions=30)), costs, 1, moves, detection)
