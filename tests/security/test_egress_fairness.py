"""A server cannot keep the proxy from serving other sessions: the work of each pass of its event loop is bounded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Generator

import pytest
from tests.client import Client, connected
from tests.loopback_servers import answering

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.byte_stream import Turns
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

# A server that sends chunks of one byte without end, to every client at once.
HOSTILE = """
import asyncio
async def serve(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
    while not writer.is_closing():
        writer.write(b"1\\r\\nx\\r\\n" * 50_000)
        await writer.drain()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
CONNECTIONS = 10
REQUESTS = 8
# Seconds of this thread's own processor time, so that a busy machine does not matter. Before the work was bounded, one
# read of one connection took ten times as long.
LONGEST_PASS = 0.05


@pytest.fixture
def hostile() -> Generator[int]:
    """The port of the hostile server, which runs in a process of its own."""
    server = subprocess.Popen([sys.executable, "-c", HOSTILE], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield int(server.stdout.readline())
    server.kill()
    server.wait()
    server.stdout.close()


class Passes:
    """The processor time of each pass of the event loop."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self._last = 0.0
        self._is_running = True

    def begin(self) -> None:
        now = time.thread_time()
        if self._last:
            self.times.append(now - self._last)
        self._last = now
        if self._is_running:
            asyncio.get_running_loop().call_soon(self.begin)

    def end(self) -> None:
        self._is_running = False


async def swallow(client: Client, started: set[Client]) -> None:
    while await client.reader.read(2**20):
        started.add(client)


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.readuntil(b"\r\n\r\n"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


async def test_one_byte_chunks_on_ten_connections_do_not_hold_up_another_session(hostile: int) -> None:
    turns = Turns()
    loud, calm = (EgressProxy(HostRules.of(["127.0.0.1"]), OwnPorts(), turns=turns.for_session()) for _ in range(2))
    await loud.start()
    await calm.start()
    passes = Passes()
    clients = [Client(*await asyncio.open_connection("127.0.0.1", loud.port)) for _ in range(CONNECTIONS)]
    for client in clients:
        client.send(f"GET http://127.0.0.1:{hostile}/ HTTP/1.1", f"Host: 127.0.0.1:{hostile}")
    started: set[Client] = set()
    reading = [asyncio.ensure_future(swallow(client, started)) for client in clients]
    async with answering(ok) as port, connected(calm.port) as client:
        while len(started) < CONNECTIONS:
            await asyncio.sleep(0.01)
        passes.begin()
        for _ in range(REQUESTS):
            assert (await client.get(f"http://127.0.0.1:{port}/")).body == b"ok"
        passes.end()
    for task, client in zip(reading, clients, strict=True):
        task.cancel()
        client.writer.transport.abort()
    await asyncio.gather(*reading, return_exceptions=True)
    await loud.close()
    await calm.close()
    # A request and its response take few passes, so the other session waits a few times as long at most.
    assert max(passes.times) < LONGEST_PASS
    assert len(passes.times) < REQUESTS * 40


def test_sessions_are_served_in_turn_and_one_pass_is_bounded() -> None:
    served: list[str] = []

    async def run() -> None:
        turns = Turns()
        loud, calm = turns.for_session(), turns.for_session()

        def work(name: str) -> None:
            served.append(name)
            end = time.perf_counter() + 0.001
            while time.perf_counter() < end:
                pass

        for _ in range(50):
            loud.wait(lambda: work("loud"))
        calm.wait(lambda: work("calm"))
        await asyncio.sleep(0)
        assert 1 <= len(served) <= 3, "one pass does not do all of it"
        while len(served) < 51:
            await asyncio.sleep(0)

    asyncio.run(run())
    assert "calm" in served[:2]
