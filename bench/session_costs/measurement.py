"""Measures sessions on one kind of page: opened in steps, idle, used by agents, and restored after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.session_costs.kinds import Kind
from bench.session_costs.server import CallFailed, Server
from bench.session_costs.usage import browser_process, machine_seconds, memory, processor_seconds, spent

# Seconds that open sessions are watched without a call; and between two calls of an agent, on average.
IDLE_SECONDS = 6.0
THINKING = 2.0
# A call that runs when the browser is killed fails; the next one starts another browser.
RESTORE_TRIES = 5
CALL_TRIES = 3
# An agent's calls, again and again.
ROUND = ("navigate", "snapshot", "click", "click")


@dataclass
class Stage:
    """What was measured with one number of sessions open. Seconds are those of the processor where it is said."""

    sessions: int
    opening_seconds: list[float] = field(default_factory=list[float])
    opening_processor: float = 0.0
    memory: dict[str, int] = field(default_factory=dict[str, int])
    memory_after_use: dict[str, int] = field(default_factory=dict[str, int])
    idle_processor_per_second: float = 0.0
    calls: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    call_processor: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    use_seconds: float = 0.0
    use_processor: float = 0.0
    other_busy: float = 0.0
    restore_seconds: list[float] = field(default_factory=list[float])
    restore_processor: float = 0.0


@dataclass
class KindCosts:
    """All stages of one kind of page, and the size of a session's saved state."""

    kind: str
    first_page_seconds: float = 0.0
    state_bytes: int = 0
    stages: list[Stage] = field(default_factory=list[Stage])


class Measurement:
    """One server with sessions that all show the same kind of page."""

    def __init__(self, server: Server, kind: Kind, origin: str, seed: int = 1) -> None:
        self._server = server
        self._kind = kind
        self._origin = origin
        self._url = origin + kind.path
        self._random = random.Random(seed)
        self._open = 0

    async def run(self, counts: Sequence[int], rounds: int) -> KindCosts:
        """Measure with each number of sessions in turn; the sessions of one stage stay open in the next."""
        costs = KindCosts(self._kind.key)
        began = time.perf_counter()
        # The default session starts the browser, whose cost is not that of a session.
        await self._server.call("navigate", url=f"{self._origin}/")
        costs.first_page_seconds = time.perf_counter() - began
        for count in counts:
            stage = Stage(count)
            await self._open_until(count, stage)
            await self._watch_idle(stage)
            await self._one_after_the_other(stage, rounds)
            await self._together(stage, rounds)
            stage.memory_after_use = memory(self._server.mark)
            await self._crash(stage)
            costs.stages.append(stage)
            print(f"  {self._kind.key}: {count} sessions measured", flush=True)
        await self._server.call("save_state", name="measured", session=_name(0))
        costs.state_bytes = self._server.state_bytes("measured")
        return costs

    async def _open_until(self, count: int, stage: Stage) -> None:
        before, opened = processor_seconds(self._server.mark), count - self._open
        while self._open < count:
            name = _name(self._open)
            taken = await self._server.call("open_session", name=name)
            stage.opening_seconds.append(taken + await self._call("navigate", name))
            self._open += 1
        stage.opening_processor = spent(before, processor_seconds(self._server.mark)) / opened

    async def _watch_idle(self, stage: Stage) -> None:
        readings: list[dict[str, int]] = []
        before, began = processor_seconds(self._server.mark), time.perf_counter()
        for _ in range(3):
            await asyncio.sleep(IDLE_SECONDS / 3)
            readings.append(memory(self._server.mark))
        used = spent(before, processor_seconds(self._server.mark))
        stage.idle_processor_per_second = used / (time.perf_counter() - began)
        roles = {role for reading in readings for role in reading}
        stage.memory = {role: int(statistics.median(each.get(role, 0) for each in readings)) for role in sorted(roles)}

    async def _one_after_the_other(self, stage: Stage, rounds: int) -> None:
        """Measure the processor time of each call, less what the pages take without one."""
        for number in range(rounds if self._open == 1 else 1):
            for tool in ROUND:
                before, began = processor_seconds(self._server.mark), time.perf_counter()
                await self._call(tool, _name(number % self._open))
                # What the call sets off, as painting and saving the state, ends a little after its answer.
                await asyncio.sleep(0.3)
                used = spent(before, processor_seconds(self._server.mark))
                idle = stage.idle_processor_per_second * (time.perf_counter() - began)
                stage.call_processor.setdefault(tool, []).append(max(used - idle, 0.0))

    async def _together(self, stage: Stage, rounds: int) -> None:
        """Let an agent act in each session, with pauses to think, and note how long each call takes."""
        before, (busy_before, _) = processor_seconds(self._server.mark), machine_seconds()
        began = time.perf_counter()
        await asyncio.gather(*(self._agent(_name(number), stage, rounds) for number in range(self._open)))
        stage.use_seconds = time.perf_counter() - began
        stage.use_processor = spent(before, processor_seconds(self._server.mark))
        busy, _ = machine_seconds()
        stage.other_busy = max((busy - busy_before - stage.use_processor) / stage.use_seconds, 0.0)

    async def _agent(self, session: str, stage: Stage, rounds: int) -> None:
        for _ in range(rounds):
            for tool in ROUND:
                await asyncio.sleep(self._random.expovariate(1 / THINKING))
                stage.calls.setdefault(tool, []).append(await self._call(tool, session))

    async def _call(self, tool: str, session: str) -> float:
        """Make a call and return its seconds; on a machine that others keep busy it may fail, and is made again."""
        for _ in range(CALL_TRIES):
            with contextlib.suppress(CallFailed):
                return await self._call_once(tool, session)
        return await self._call_once(tool, session)

    async def _call_once(self, tool: str, session: str) -> float:
        arguments = {"navigate": {"url": self._url}, "click": {"target": 'button "Press me"'}}.get(tool, {})
        return await self._server.call(tool, session=session, **arguments)

    async def _crash(self, stage: Stage) -> None:
        """Kill the browser; an agent of each session calls at once, and waits until its page is there again."""
        before = processor_seconds(self._server.mark)
        os.kill(browser_process(self._server.mark), signal.SIGKILL)
        restored = (self._until_restored(_name(number)) for number in range(self._open))
        stage.restore_seconds = list(await asyncio.gather(*restored))
        after = processor_seconds(self._server.mark)
        stage.restore_processor = spent({pid: seconds for pid, seconds in before.items() if pid in after}, after)

    async def _until_restored(self, session: str) -> float:
        """Call until an answer comes, as an agent does that is told to call again; return the seconds."""
        began = time.perf_counter()
        for _ in range(RESTORE_TRIES):
            with contextlib.suppress(CallFailed):
                await self._server.call("snapshot", session=session)
                return time.perf_counter() - began
        raise CallFailed(f"{session} did not answer again")


def _name(number: int) -> str:
    return f"agent{number}"
