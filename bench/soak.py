"""`python -m bench.soak`: one server, many sessions and navigations, random kills: checks that it does not grow.

Drives a real `rove mcp` process as a client does. Fails if its memory grows by more than 5 % after the warm-up, if its
handles or threads grow, if a call fails with an internal or unknown error, if a session does not work again
after a kill, or if a process or a folder is left at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.client import Client, Json, Reply, ServerFailed
from bench.resource_usage import ResourceUsage, faults, groups, processes_in, run_folders
from bench.site import Site, serving

SAMPLES = 20
OPEN_SESSIONS = 4
LIMIT = 60.0
# After a kill: the call during which it happens, and those that may fail during the restart.
TRIES = 4
# Error codes that mean a defect of rove, even after a kill.
UNKNOWN = ("internal", "unknown")
CLEANUP_SECONDS = 10.0
CLEANUP_CHECKS = 50
PAGES = ("/small", "/stories", "/article", "/form", "/small", "/payment")
COMMAND = ("-m", "rove", "mcp", "--allow-host", "127.0.0.1,localhost", "--limits-idle", "20", "--limits-sessions", "12")


@dataclass(frozen=True)
class Plan:
    """How many navigations, sessions and kills, and the seed of their order."""

    navigations: int
    sessions: int
    kills: int
    seed: int


@dataclass
class SoakResult:
    """Counts, samples and faults of one soak."""

    navigations: int = 0
    sessions: int = 0
    kills: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    samples: list[ResourceUsage] = field(default_factory=list[ResourceUsage])
    process_groups: set[int] = field(default_factory=set[int])
    faults: list[str] = field(default_factory=list[str])
    seconds: float = 0.0


class Soak:
    """One server, driven until the plan is carried out."""

    def __init__(self, plan: Plan, site: Site, folder: Path) -> None:
        self._plan = plan
        self._site = site
        self._folder = folder
        self._home = folder / "home"
        self._temporary = folder / "tmp"
        self._random = random.Random(plan.seed)
        self._open: list[str] = []
        self._client: Client | None = None
        self.result = SoakResult()

    async def run(self) -> SoakResult:
        began = time.monotonic()
        self._temporary.mkdir()
        environment = {**os.environ, "ROVE_HOME": str(self._home), "TMPDIR": str(self._temporary)}
        self._client = client = await Client.start([sys.executable, *COMMAND], environment, self._folder)
        try:
            await client.initialize(LIMIT)
            while self.result.navigations < self._plan.navigations:
                await self._one_step()
        except ServerFailed as failure:
            self.result.faults.append(str(failure))
        finally:
            await client.close(patience=CLEANUP_SECONDS)
        unknown = [f"{count} errors of unknown kind" for code, count in self.result.errors.items() if code in UNKNOWN]
        self.result.faults += [*unknown, *faults(self.result.samples), *await self._wait_for_cleanup(client)]
        self.result.seconds = time.monotonic() - began
        return self.result

    async def _one_step(self) -> None:
        """Make one navigation in one of several sessions, and the calls that go with it."""
        per_session = self._plan.navigations / self._plan.sessions
        if self.result.sessions < min(self.result.navigations / per_session + OPEN_SESSIONS, self._plan.sessions):
            await self._open_session()
        await self._maybe_kill()
        session = self._random.choice(self._open)
        path = f"{self._random.choice(PAGES)}?{self.result.navigations}"
        await self._call_until_success("browser_navigate", {"url": self._site.url(path), "session": session})
        self.result.navigations += 1
        await self._use(session)
        if self.result.navigations % max(self._plan.navigations // SAMPLES, 1) == 0:
            self._sample()

    async def _use(self, session: str) -> None:
        """Make some of the calls that agents make between two pages."""
        step = self.result.navigations
        if step % 3 == 0:
            await self._call_until_success("browser_snapshot", {"session": session})
        if step % 7 == 0:
            tab = {"operation": "new", "url": self._site.url("/small"), "session": session}
            await self._call_until_success("browser_tabs", tab)
            await self._call_until_success("browser_tabs", {"operation": "close", "session": session})
        if step % 11 == 0:
            await self._call_until_success("browser_screenshot", {"session": session})

    async def _open_session(self) -> None:
        if len(self._open) >= OPEN_SESSIONS:
            oldest = self._open.pop(0)
            # Some clients do not close their sessions; those are closed when they have been idle long enough.
            if self._random.random() > 0.1:
                await self._call("browser_close_session", {"name": oldest})
        name = f"soak{self.result.sessions}"
        await self._call_until_success("browser_open_session", {"name": name})
        self._open.append(name)
        self.result.sessions += 1

    async def _call_until_success(self, tool: str, arguments: Json) -> None:
        """Repeat a call until it succeeds, because it may fail when a process is killed."""
        said = ""
        for _ in range(TRIES):
            reply = await self._call(tool, arguments)
            if not reply.is_error:
                return
            said = reply.text
            if _code(reply) == "not_open":  # on a slow machine the session may have been idle for too long
                await self._call("browser_open_session", {"name": arguments["session"]})
        raise ServerFailed(f"{tool} failed {TRIES} times in a row: {said[:200]}")

    async def _call(self, tool: str, arguments: Json) -> Reply:
        assert self._client is not None
        reply = await self._client.request("tools/call", {"name": tool, "arguments": arguments}, LIMIT)
        if reply.is_error:
            self.result.errors[_code(reply)] += 1
        return reply

    async def _maybe_kill(self) -> None:
        """Kill a process of the browser at a random moment, as often as planned."""
        due = self._plan.kills * self.result.navigations / self._plan.navigations
        if sum(self.result.kills.values()) >= due or not (processes := _browser_processes(self._home)):
            return
        self.result.process_groups |= groups(self._home)
        kind = self._random.choice(sorted(processes))
        pid = self._random.choice(processes[kind])
        # Half of the kills happen during a call.
        delay = self._random.choice((0, self._random.random() * 0.1))
        asyncio.get_running_loop().call_later(delay, _kill, pid)
        self.result.kills[kind] += 1

    def _sample(self) -> None:
        assert self._client is not None
        self.result.process_groups |= groups(self._home)
        self.result.samples.append(
            ResourceUsage.of(self._client.pid, self._home, self._temporary, self.result.navigations)
        )

    async def _wait_for_cleanup(self, client: Client) -> list[str]:
        """Return what is left a short time after the server has ended."""
        for _ in range(CLEANUP_CHECKS):
            if not self._left(client):
                break
            await asyncio.sleep(CLEANUP_SECONDS / CLEANUP_CHECKS)
        return self._left(client)

    def _left(self, client: Client) -> list[str]:
        found = [] if client.exit_code == 0 else [f"the server ended with {client.exit_code}"]
        found += [f"process {pid} was left" for pid in processes_in(self.result.process_groups)]
        return found + [f"{path.name} was left" for path in (*run_folders(self._home), *self._temporary.iterdir())]


def _code(reply: Reply) -> str:
    error: Json = reply.result.get("structuredContent", {}).get("error", {})
    return str(error.get("code", "unknown"))


def _browser_processes(home: Path) -> dict[str, list[int]]:
    """Return the processes of browsers by their type."""
    processes: dict[str, list[int]] = {}
    for pid in processes_in(groups(home)):
        with contextlib.suppress(OSError):  # it has ended
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            kind = words.partition("--type=")[2].partition(" ")[0] or "browser"
            processes.setdefault(kind, []).append(pid)
    processes.pop("zygote", None)
    return processes


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def soak(plan: Plan) -> SoakResult:
    """Carry out a plan in a temporary folder."""
    # A short path: a profile's socket has to fit into 108 characters.
    with tempfile.TemporaryDirectory(prefix="rv") as folder, serving() as site:
        return asyncio.run(Soak(plan, site, Path(folder)).run())


def report(result: SoakResult) -> str:
    """Return the samples as a table, and the faults."""
    heads = ("navigations", "memory MB", "handles", "threads", "children", "zombies", "browser", "folders", "temporary")
    rows: list[Sequence[object]] = [heads]
    for sample in result.samples:
        _, rss, *others = vars(sample).values()
        rows.append((sample.done, f"{rss / 1e6:.1f}", *others))
    lines = ["  ".join(f"{value!s:>11}" for value in row) for row in rows]
    lines.append(f"\n{result.navigations} navigations and {result.sessions} sessions in {result.seconds:.0f} s")
    lines.append(f"killed: {_counted(result.kills)}; errors: {_counted(result.errors)}")
    return "\n".join([*lines, *(f"FAULT: {fault}" for fault in result.faults or ())])


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counter.most_common()) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--navigations", type=int, default=2000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=40, help="processes of the browser to kill on the way")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="to repeat a run that failed")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    result = soak(Plan(given.navigations, given.sessions, given.kills, given.seed))
    print(report(result))
    sys.exit(1 if result.faults else 0)


if __name__ == "__main__":
    main()
