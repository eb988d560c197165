"""Many clients and sessions at one gateway: is an event lost, how long is an approval's way, how old are live frames?

    python -m bench.gateway_load [--clients 50] [--sessions 20] [--approvals 200]

Starts `rove serve` as its own process on a free port, with a home of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from typing import Any

from websockets.asyncio.client import connect

from rove.surfaces.cli.demo import tea_room

Message = dict[str, Any]
PATIENCE = 60.0
LIVE_SECONDS = 5.0


class LoadClient:
    """A client that counts the events that it is sent."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.numbers: list[int] = []
        self.arrivals: dict[tuple[str, str], float] = {}
        self.frames: list[tuple[float, float]] = []
        self.news = asyncio.Event()
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._ids = itertools.count(1)
        self.reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for text in self.socket:
            message = json.loads(text)
            if "event" in message:
                await self._note(message["event"], message["data"], message.get("eventId"))
            elif message.get("id") in self._answers:
                self._answers.pop(message["id"]).set_result(message)

    async def _note(self, event: str, data: Message, number: int | None) -> None:
        if number is not None:
            self.numbers.append(number)
        if "approvalId" in data:
            self.arrivals[event, data["approvalId"]] = time.perf_counter()
            self.news.set()
        if event == "live.frame":
            self.frames.append((time.time(), time.time() - data["at"]))
            await self.send("live.ack", sessionKey=data["sessionKey"], frameId=data["frameId"])

    async def send(self, method: str, **params: Any) -> int:
        identity = next(self._ids)
        await self.socket.send(json.dumps({"id": identity, "method": method, "params": params}))
        return identity

    async def call(self, method: str, **params: Any) -> Message:
        identity = next(self._ids)
        answer = self._answers[identity] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": identity, "method": method, "params": params}))
        return await asyncio.wait_for(answer, PATIENCE)


async def main(clients: int, sessions: int, approvals: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rv") as home, tea_room() as site:
        environment = {
            **os.environ,
            "ROVE_HOME": home,
            "ROVE_SERVE_PORT": "0",
            "ROVE_LIMITS_SESSIONS": str(sessions + 2),
            "ROVE_SERVE_REQUESTS_PER_SECOND": "1000",
            "ROVE_ALLOW_HOST": site.removeprefix("http://"),
        }
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "rove", "serve", env=environment, stdout=asyncio.subprocess.PIPE
        )
        try:
            port, token = await _announced(server)
            await _measure(f"ws://localhost:{port}", token, site, server.pid, clients, sessions, approvals)
        finally:
            began = time.perf_counter()
            server.terminate()
            await server.wait()
            print(f"stopped in {time.perf_counter() - began:.2f} s")


async def _announced(server: asyncio.subprocess.Process) -> tuple[str, str]:
    assert server.stdout is not None
    while line := (await asyncio.wait_for(server.stdout.readline(), PATIENCE)).decode():
        if found := re.search(r":(\d+)/#token=(\S+)", line):
            return found[1], found[2]
    raise SystemExit("rove serve did not start")


async def _measure(url: str, token: str, site: str, pid: int, clients: int, sessions: int, approvals: int) -> None:
    async with AsyncExitStack() as stack:
        connected = []
        for _ in range(clients):
            client = LoadClient(await stack.enter_async_context(connect(url, max_size=None)))
            await client.socket.send(json.dumps({"type": "auth", "token": token}))
            connected.append(client)
        first = connected[0]
        keys = [(await first.call("sessions.create"))["result"]["sessionKey"] for _ in range(sessions)]
        await _open_pages(first, keys, site)
        before = _memory(pid)
        await _approve(connected, keys, approvals)
        await _watch(first, keys[0], site)
        await asyncio.gather(*(client.call("sessions.list") for client in connected))
        print(f"server memory: {before} MB before, {_memory(pid)} MB after")
        _report_events(connected)


async def _open_pages(client: LoadClient, keys: list[str], site: str) -> None:
    began = time.perf_counter()
    for key in keys:
        answer = await client.call("tools.call", name="browser_navigate", sessionKey=key, arguments={"url": site})
        if not answer.get("result", {}).get("ok"):
            raise SystemExit(f"a page did not open: {answer}")
    print(f"{len(keys)} sessions with a page each: {time.perf_counter() - began:.1f} s")


async def _approve(clients: list[LoadClient], keys: list[str], count: int) -> None:
    """Deny calls one after another: from the decision of one client until all the others are told of it."""
    ways: list[float] = []
    asker, decider, others = clients[0], clients[1], clients[2:]
    for index in range(count):
        seen = set(decider.arrivals)
        await asker.send(
            "tools.call",
            name="browser",
            sessionKey=keys[index % len(keys)],
            arguments={"actions": [{"type": "screenshot"}]},
        )
        name = await _new_request(decider, seen)
        began = time.perf_counter()
        await decider.call("exec.deny", approvalId=name)
        arrived = [await _arrival(other, name) - began for other in others]
        ways.append(max(arrived) * 1000)
    ways.sort()
    p95 = ways[int(len(ways) * 0.95) - 1]
    print(f"approval, from the decision until the last of {len(others)} clients is told: "
          f"median {statistics.median(ways):.1f} ms, p95 {p95:.1f} ms, most {ways[-1]:.1f} ms")  # fmt: skip


async def _new_request(client: LoadClient, seen: set[tuple[str, str]]) -> str:
    async with asyncio.timeout(PATIENCE):
        while True:
            for event, name in client.arrivals:
                if (event, name) not in seen and event == "exec.approval_request":
                    return name
            client.news.clear()
            await client.news.wait()


async def _arrival(client: LoadClient, name: str) -> float:
    async with asyncio.timeout(PATIENCE):
        while ("exec.approval_resolved", name) not in client.arrivals:
            client.news.clear()
            await client.news.wait()
    return client.arrivals["exec.approval_resolved", name]


async def _watch(client: LoadClient, key: str, site: str) -> None:
    """Watch one session whose page moves all the time."""
    spin = "document.body.insertAdjacentHTML('beforeend', '<marquee scrollamount=20>rove</marquee>'); 1"
    await client.call("tools.call", name="browser_evaluate", sessionKey=key, arguments={"expression": spin})
    await client.call("live.start", sessionKey=key)
    until = time.monotonic() + LIVE_SECONDS
    while time.monotonic() < until:
        await client.call("sessions.get", sessionKey=key)
    await client.call("live.stop", sessionKey=key)
    ages = sorted(age * 1000 for _, age in client.frames)
    if not ages:
        print("live view: no frame came")
        return
    seconds = client.frames[-1][0] - client.frames[0][0]
    p95 = ages[int(len(ages) * 0.95) - 1]
    rate = len(ages) / max(seconds, 0.1)
    print(f"live view: {rate:.1f} frames a second, age median {statistics.median(ages):.0f} ms, p95 {p95:.0f} ms")


def _report_events(clients: list[LoadClient]) -> None:
    last = min(client.numbers[-1] for client in clients)
    expected = [number for number in clients[0].numbers if number <= last]
    lost = sum(len(set(expected) - set(client.numbers)) for client in clients)
    twice = sum(len(client.numbers) - len(set(client.numbers)) for client in clients)
    gaps = sum(later - earlier != 1 for earlier, later in itertools.pairwise(expected))
    print(f"events: {len(expected)} to each of {len(clients)} clients; lost {lost + gaps}, twice {twice}")


def _memory(pid: int) -> int:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--approvals", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(main(given.clients, given.sessions, given.approvals))
