"""`python -m bench.stalls`: how long the calls of one session take while a page of another one floods rove.

Each flood has a server of its own. The calls of the calm session are `status`, a snapshot of a small page and a click,
in turn. The floor is a page that only keeps the processors busy: what a call takes then is not rove's doing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.client import Client, NoAnswer, ServerFailed
from bench.memory import measure
from bench.processes import MARK, end, gone
from bench.stalls.pages import FLOODS, Flood
from bench.stalls.site import CALM, SERVICE_WORKER, serving

LIMIT = 60.0
COMMAND = ("-m", "rove", "mcp", "--allow-host", "127.0.0.1,localhost", "--with", "emulation")
CALM_SESSION = {"session": "calm"}
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("browser_status", {}),
    ("browser_snapshot", CALM_SESSION),
    ("browser_click", {"target": "button", **CALM_SESSION}),
)


@dataclass(frozen=True)
class Stall:
    """What one flood did: milliseconds of calls of another session, and megabytes of the server and the browser."""

    flood: str
    group: str
    calls: int
    failed: int
    median: float
    p99: float
    longest: float
    server_cpu: float
    server_memory: int
    browser_memory: int

    @property
    def row(self) -> str:
        times = f"{self.median:8.1f} {self.p99:8.1f} {self.longest:8.1f}"
        return (
            f"{self.flood:32} {self.calls:5} {self.failed:3} {times} {self.server_cpu:6.2f} "
            f"{self.server_memory:6} {self.browser_memory:6}"
        )


HEAD = f"{'flood':32} {'calls':>5} {'bad':>3} {'median':>8} {'p99':>8} {'max':>8} {'cpu':>6} {'rove':>6} {'browser':>6}"


def percentile(times: Sequence[float], share: float) -> float:
    """Return the value that a share of the values does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


class Measurement:
    """One server with a loud and a calm session."""

    def __init__(self, client: Client, mark: str, port: int) -> None:
        self._client = client
        self._mark = mark
        self._site = f"http://127.0.0.1:{port}"
        self._times: list[float] = []
        self._failed = 0

    async def run(self, flood: Flood, number: int, seconds: float) -> Stall:
        """Open both pages, start the flood and time the calls of the calm session."""
        await self._client.initialize(LIMIT)
        await self._call("browser_open_session", name="calm")
        await self._call("browser_navigate", url=f"{self._site}/calm", **CALM_SESSION)
        await self._call("browser_navigate", url=f"{self._site}/{number}")
        if flood.before is not None:
            tool, arguments = flood.before
            await self._call(tool, **{name: value.format(site=self._site) for name, value in arguments.items()})
        await self._time_calls(1.0)
        self._times.clear()
        spent = _processor_seconds(self._client.pid)
        began = time.monotonic()
        await self._call("browser_evaluate", expression="void setTimeout(go, 300)", snapshot="none")
        await self._time_calls(seconds)
        memory = measure(self._mark)
        cpu = (_processor_seconds(self._client.pid) - spent) / (time.monotonic() - began)
        return self._stall(flood, cpu, memory.server_pss >> 20, memory.browser_pss >> 20)

    def _stall(self, flood: Flood, cpu: float, server: int, browser: int) -> Stall:
        times = [each * 1000 for each in self._times]
        return Stall(
            flood.name, flood.group, len(times), self._failed, percentile(times, 0.5), percentile(times, 0.99),
            max(times, default=0.0), cpu, server, browser,
        )  # fmt: skip

    async def _time_calls(self, seconds: float) -> None:
        until, turn = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            tool, arguments = CALLS[turn % len(CALLS)]
            turn += 1
            began = time.monotonic()
            try:
                await self._client.call(tool, arguments, LIMIT)
            except ServerFailed:
                self._failed += 1
            self._times.append(time.monotonic() - began)

    async def _call(self, tool: str, /, **arguments: object) -> None:
        await self._client.call(tool, arguments, LIMIT)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure_flood(flood: Flood, number: int, port: int, seconds: float) -> Stall:
    """Start a server for one flood, measure, and end it."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ROVE_")}
        environment |= {MARK: mark, "ROVE_HOME": f"{folder}/h"}
        client = await Client.start((sys.executable, *COMMAND), environment, Path(folder))
        try:
            return await Measurement(client, mark, port).run(flood, number, seconds)
        finally:
            await client.close()
            await gone(mark, patience=2.0)
            await end(mark)
            await client.reap()


async def measure_all(wanted: Sequence[str], seconds: float) -> list[Stall]:
    """Measure the floods whose names contain one of the words, or all; print a row for each."""
    pages = {f"/{number}": flood.page for number, flood in enumerate(FLOODS)}
    pages |= {"/calm": CALM, "/service.js": SERVICE_WORKER, "/again": "<script>location.href = '/again'</script>"}
    found: list[Stall] = []
    print(HEAD)
    with serving(pages) as port:
        for number, flood in enumerate(FLOODS):
            if wanted and not any(word in flood.name for word in wanted):
                continue
            try:
                found.append(await measure_flood(flood, number, port, seconds))
                print(found[-1].row, flush=True)
            except (NoAnswer, ServerFailed) as failure:
                print(f"{flood.name:32} {failure}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.stalls", description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="floods whose names contain this; can be repeated")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each flood is measured")
    parser.add_argument("--out", type=Path, help="write the numbers to this file as JSON")
    arguments = parser.parse_args()
    stalls = asyncio.run(measure_all(arguments.only, arguments.seconds))
    if arguments.out:
        arguments.out.write_text(json.dumps([asdict(stall) for stall in stalls], indent=1))


main()
