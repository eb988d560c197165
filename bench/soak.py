"""`python -m bench.soak`: one server, many sessions and navigations, random kills. Does it grow?

Drives a real `rove mcp` process as a client does. Fails if its memory grows by more than 5 % after the warm-up, if its
handles or threads grow, if a call fails with anything but an error that rove knows, if a session does not work again
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
from bench.site import Site, serving
from bench.vitals import Vitals, faults, groups, left_of, run_folders

SAMPLES = 20
AT_ONCE = 4
LIMIT = 60.0
# After a kill: the call that meets it, and those that a restart may still cost.
TRIES = 4
# Errors that mean a fault of ours, kill or no kill.
UNKNOWN = ("internal", "unknown")
CLEARING = 10.0
CLEARING_LOOKS = 50
PAGES = ("/small", "/stories", "/article", "/form", "/small", "/payment")
COMMAND = ("-m", "rove", "mcp", "--allow-host", "127.0.0.1,localhost", "--limits-idle", "20", "--limits-sessions", "12")


@dataclass(frozen=True)
class Plan:
    """How much of what."""

    navigations: int
    sessions: int
    kills: int
    seed: int


@dataclass
class Tally:
    """What came of it."""

    navigations: int = 0
    sessions: int = 0
    kills: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    samples: list[Vitals] = field(default_factory=list[Vitals])
    led: set[int] = field(default_factory=set[int])
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
        self._dice = random.Random(plan.seed)
        self._open: list[str] = []
        self._client: Client | None = None
        self.tally = Tally()

    async def run(self) -> Tally:
        began = time.monotonic()
        self._temporary.mkdir()
        environment = {**os.environ, "ROVE_HOME": str(self._home), "TMPDIR": str(self._temporary)}
        self._client = client = await Client.start([sys.executable, *COMMAND], environment, self._folder)
        try:
            await client.initialize(LIMIT)
            while self.tally.navigations < self._plan.navigations:
                await self._one_step()
        except ServerFailed as failure:
            self.tally.faults.append(str(failure))
        finally:
            await client.close(patience=CLEARING)
        unknown = [f"{count} errors of unknown kind" for code, count in self.tally.errors.items() if code in UNKNOWN]
        self.tally.faults += [*unknown, *faults(self.tally.samples), *await self._remains(client)]
        self.tally.seconds = time.monotonic() - began
        return self.tally

    async def _one_step(self) -> None:
        """One navigation, in one of several sessions, and what belongs to it."""
        per_session = self._plan.navigations / self._plan.sessions
        if self.tally.sessions < min(self.tally.navigations / per_session + AT_ONCE, self._plan.sessions):
            await self._open_session()
        await self._maybe_kill()
        session = self._dice.choice(self._open)
        path = f"{self._dice.choice(PAGES)}?{self.tally.navigations}"
        await self._surely("browser_navigate", {"url": self._site.url(path), "session": session})
        self.tally.navigations += 1
        await self._use(session)
        if self.tally.navigations % max(self._plan.navigations // SAMPLES, 1) == 0:
            self._sample()

    async def _use(self, session: str) -> None:
        """Some of what agents do between two pages."""
        step = self.tally.navigations
        if step % 3 == 0:
            await self._surely("browser_snapshot", {"session": session})
        if step % 7 == 0:
            tab = {"operation": "new", "url": self._site.url("/small"), "session": session}
            await self._surely("browser_tabs", tab)
            await self._surely("browser_tabs", {"operation": "close", "session": session})
        if step % 11 == 0:
            await self._surely("browser_screenshot", {"session": session})

    async def _open_session(self) -> None:
        if len(self._open) >= AT_ONCE:
            oldest = self._open.pop(0)
            # Some clients forget; those sessions are closed when they have been idle for long enough.
            if self._dice.random() > 0.1:
                await self._call("browser_close_session", {"name": oldest})
        name = f"soak{self.tally.sessions}"
        await self._surely("browser_open_session", {"name": name})
        self._open.append(name)
        self.tally.sessions += 1

    async def _surely(self, tool: str, arguments: Json) -> None:
        """Call until it works, which a kill may delay but not forbid."""
        said = ""
        for _ in range(TRIES):
            reply = await self._call(tool, arguments)
            if not reply.is_error:
                return
            said = reply.text
            if _code(reply) == "not_open":  # on a slow machine it was its turn too seldom, and it expired
                await self._call("browser_open_session", {"name": arguments["session"]})
        raise ServerFailed(f"{tool} failed {TRIES} times in a row: {said[:200]}")

    async def _call(self, tool: str, arguments: Json) -> Reply:
        assert self._client is not None
        reply = await self._client.request("tools/call", {"name": tool, "arguments": arguments}, LIMIT)
        if reply.is_error:
            self.tally.errors[_code(reply)] += 1
        return reply

    async def _maybe_kill(self) -> None:
        """End a process of the browser, as often as was planned, at moments that nobody can foresee."""
        due = self._plan.kills * self.tally.navigations / self._plan.navigations
        if sum(self.tally.kills.values()) >= due or not (victims := _victims(self._home)):
            return
        self.tally.led |= groups(self._home)
        kind = self._dice.choice(sorted(victims))
        pid = self._dice.choice(victims[kind])
        # Half of them in the middle of a call.
        delay = self._dice.choice((0, self._dice.random() * 0.1))
        asyncio.get_running_loop().call_later(delay, _kill, pid)
        self.tally.kills[kind] += 1

    def _sample(self) -> None:
        assert self._client is not None
        self.tally.led |= groups(self._home)
        self.tally.samples.append(Vitals.of(self._client.pid, self._home, self._temporary, self.tally.navigations))

    async def _remains(self, client: Client) -> list[str]:
        """What is still there a moment after the server has gone."""
        for _ in range(CLEARING_LOOKS):
            if not self._left(client):
                break
            await asyncio.sleep(CLEARING / CLEARING_LOOKS)
        return self._left(client)

    def _left(self, client: Client) -> list[str]:
        found = [] if client.exit_code == 0 else [f"the server ended with {client.exit_code}"]
        found += [f"process {pid} was left" for pid in left_of(self.tally.led)]
        return found + [f"{path.name} was left" for path in (*run_folders(self._home), *self._temporary.iterdir())]


def _code(reply: Reply) -> str:
    error: Json = reply.result.get("structuredContent", {}).get("error", {})
    return str(error.get("code", "unknown"))


def _victims(home: Path) -> dict[str, list[int]]:
    """The processes of browsers by their kind."""
    victims: dict[str, list[int]] = {}
    for pid in left_of(groups(home)):
        with contextlib.suppress(OSError):  # gone meanwhile
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            kind = words.partition("--type=")[2].partition(" ")[0] or "browser"
            victims.setdefault(kind, []).append(pid)
    victims.pop("zygote", None)
    return victims


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def soak(plan: Plan) -> Tally:
    """Carry a plan out in a folder that is thrown away."""
    # A short path: a profile's socket has to fit into 108 characters.
    with tempfile.TemporaryDirectory(prefix="rv") as folder, serving() as site:
        return asyncio.run(Soak(plan, site, Path(folder)).run())


def report(tally: Tally) -> str:
    """The samples as a table, and what was wrong."""
    heads = ("navigations", "memory MB", "handles", "threads", "children", "zombies", "browser", "folders", "scraps")
    rows: list[Sequence[object]] = [heads]
    for sample in tally.samples:
        _, rss, *others = vars(sample).values()
        rows.append((sample.done, f"{rss / 1e6:.1f}", *others))
    lines = ["  ".join(f"{value!s:>11}" for value in row) for row in rows]
    lines.append(f"\n{tally.navigations} navigations and {tally.sessions} sessions in {tally.seconds:.0f} s")
    lines.append(f"killed: {_counted(tally.kills)}; errors told: {_counted(tally.errors)}")
    return "\n".join([*lines, *(f"FAULT: {fault}" for fault in tally.faults or ())])


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
    tally = soak(Plan(given.navigations, given.sessions, given.kills, given.seed))
    print(report(tally))
    sys.exit(1 if tally.faults else 0)


if __name__ == "__main__":
    main()
