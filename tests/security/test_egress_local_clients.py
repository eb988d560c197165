"""G1: Other programs on this machine cannot use up the proxy of a session: what they hold is bounded."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import resource
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest
from tests.client import connected
from tests.loopback_servers import answering

from rove.guard.network import proxy
from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

REFUSED = b"GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"


@pytest.fixture
async def egress() -> AsyncGenerator[EgressProxy]:
    """A proxy that cannot tell its clients apart, so that its limits alone hold."""
    proxy = EgressProxy(HostRules.of(["127.0.0.1"]), OwnPorts())
    await proxy.start()
    yield proxy
    await proxy.close()


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    await reader.read()


async def test_pipelined_requests_of_a_client_that_does_not_read_are_not_answered(egress: EgressProxy) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", egress.port, limit=1024)
    reader._transport.pause_reading()  # type: ignore[attr-defined]  # a client that does not read
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            for _ in range(400):  # 40 megabytes in all, were they taken
                writer.write(REFUSED * 2000)
                await writer.drain()
    (client,) = egress._parts.clients.all()
    assert client.client.unread_bytes < 600_000
    assert client.client._transport.get_write_buffer_size() < 10_000
    assert len(egress.refusals) <= 256
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 * 1024
    writer.transport.abort()


async def test_idle_clients_give_way_to_new_ones(egress: EgressProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_CLIENTS", 20)
    async with AsyncExitStack() as stack, answering(ok) as port:
        used = await stack.enter_async_context(connected(egress.port))
        assert (await used.get(f"http://127.0.0.1:{port}/")).status == 200
        idle = [await stack.enter_async_context(connected(egress.port)) for _ in range(60)]
        for _ in range(3):
            fresh = await stack.enter_async_context(connected(egress.port))
            assert (await fresh.get(f"http://127.0.0.1:{port}/")).status == 200
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await idle[0].reader.readexactly(1)
        assert (await used.get("http://10.0.0.1/")).status == 403, "a client that has sent a request is kept longest"


async def test_clients_with_requests_under_way_are_not_dropped_for_new_ones(
    egress: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "MAX_CLIENTS", 2)
    async with answering(ok) as port, connected(egress.port) as one, connected(egress.port) as two:
        for client in (one, two):
            assert (await client.connect(f"127.0.0.1:{port}")).status == 200
        async with connected(egress.port) as three:
            with contextlib.suppress(ConnectionResetError):
                assert await three.reader.read() == b""
        one.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await one.reply()).body == b"ok"


async def test_half_heads_are_bounded_in_all(egress: EgressProxy) -> None:
    half = b"GET http://10.0.0.1/ HTTP/1.1\r\nX: " + b"x" * 200_000
    async with AsyncExitStack() as stack:
        for _ in range(60):
            client = await stack.enter_async_context(connected(egress.port))
            client.writer.write(half)
            with contextlib.suppress(ConnectionError):
                await client.writer.drain()
        async with asyncio.timeout(10):
            while not 0 < len(egress._parts.clients) < 40:
                await asyncio.sleep(0.01)
        held = sum(each.client.unread_bytes for each in egress._parts.clients.all())
        assert held <= proxy.MAX_UNREAD_BYTES
        async with connected(egress.port) as fresh:
            assert (await fresh.get("http://10.0.0.1/")).status == 403


async def test_a_head_must_arrive_in_time(egress: EgressProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "HEAD_TIMEOUT", 0.1)
    async with connected(egress.port) as slow, connected(egress.port) as idle:
        slow.writer.write(b"GET http://10.0.0.1/ HTTP/1.1\r\n")
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await slow.reader.readexactly(1)
        assert (await idle.get("http://10.0.0.1/")).status == 403, "an idle client has sent no byte, and has time"
        assert (await idle.get("http://10.0.0.1/")).status == 403
