"""Compares the simulation with what was measured: agents in 1, 5, 10 and 20 sessions on one real machine."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Mapping
from typing import Any

from bench.scale.processors import Processors
from bench.scale.virtual_time import now, run
from bench.session_costs.measurement import ROUND
from bench.session_costs.table import call_processor, idle_share

Json = dict[str, Any]


def compare(sessions: Mapping[str, Any]) -> list[Json]:
    """Return for each kind of page and number of sessions the mean seconds of a call, measured and simulated."""
    facts = sessions["facts"]
    return [
        _row(kind, stage, float(facts["cores"]), facts["rounds"], facts["thinking_seconds"])
        for kind in sessions["kinds"]
        for stage in kind["stages"]
    ]


def _row(kind: Json, stage: Json, cores: float, rounds: int, thinking: float) -> Json:
    measured = statistics.mean(seconds for tool in set(ROUND) for seconds in stage["calls"][tool])
    simulated = run(_simulate(kind, stage, cores, rounds, thinking))
    return {
        "kind": kind["kind"],
        "sessions": stage["sessions"],
        "measured": round(measured, 3),
        "simulated": round(simulated, 3),
        "error": round(simulated / measured - 1, 2),
        "other_busy": round(stage["other_busy"], 2),
    }


async def _simulate(kind: Json, stage: Json, cores: float, rounds: int, thinking: float) -> float:
    machine = Processors(cores)
    machine.change(stage["other_busy"] + idle_share(kind) * stage["sessions"])
    costs = {tool: call_processor(kind, tool) for tool in set(ROUND)}
    waits = {tool: _waiting(kind, tool, costs[tool]) for tool in set(ROUND)}
    chance, took = random.Random(1), list[float]()

    async def agent() -> None:
        for tool in ROUND * rounds:
            await asyncio.sleep(chance.expovariate(1 / thinking))
            began = now()
            await asyncio.sleep(waits[tool])
            await machine.work(costs[tool])
            took.append(now() - began)

    await asyncio.gather(*(agent() for _ in range(stage["sessions"])))
    return statistics.mean(took)


def _waiting(kind: Json, tool: str, processor: float) -> float:
    """Return the seconds that a call waits without a processor: the fastest one ran while nothing else did."""
    fastest = min(seconds for stage in kind["stages"] for seconds in stage["calls"][tool])
    return float(max(fastest - processor, 0.0))
