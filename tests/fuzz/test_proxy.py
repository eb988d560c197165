"""G1: what a real proxy sends to a server is nothing but requests to the host that was checked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from tests.fuzz.fuzzer import case, corpus_of
from tests.fuzz.targets import target_named
from tests.fuzz.targets.http_requests import READERS, pieces_of
from tests.loopback_servers import answering

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

SEED = 1
COUNT = 150
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
PATIENCE = 30.0


@dataclass
class Recording:
    """A proxy, and a server behind it that records the bytes of each connection."""

    egress: EgressProxy
    port: int = 0
    connections: list[bytearray] = field(default_factory=list)

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture
async def recording() -> AsyncGenerator[Recording]:
    egress = EgressProxy(HostRules.of(allow_hosts=["127.0.0.1"]), OwnPorts())
    await egress.start()
    state = Recording(egress)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received, answered = bytearray(), 0
        state.connections.append(received)
        while data := await reader.read(65536):
            received += data
            complete = sum(message.is_complete for message in READERS["h11"](bytes(received)).messages)
            writer.write(RESPONSE * (complete - answered))
            answered = complete

    async with answering(serve) as state.port:
        yield state
    await egress.close()


async def send(recording: Recording, data: bytes) -> None:
    """Send a client's bytes in pieces, and wait until the proxy has ended the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", recording.egress.port)
    try:
        for length in pieces_of(data):
            writer.write(data[:length])
            data = data[length:]
            await asyncio.sleep(0)
        with contextlib.suppress(OSError):  # the proxy has reset the connection: there is none to end (ENOTCONN)
            writer.write_eof()
        await asyncio.wait_for(reader.read(), PATIENCE)
    except (ConnectionError, BrokenPipeError):
        pass  # the proxy refuses some by closing the connection
    finally:
        writer.close()


async def test_a_server_reads_only_requests_to_the_host_that_was_checked(recording: Recording) -> None:
    target = target_named("http_requests")
    corpus = corpus_of(target)
    for number in range(COUNT):
        data = case(target, corpus, SEED, number)
        for host in (b"a.example:8080", b"a.example:80", b"a.example", b"A.EXAMPLE"):
            data = data.replace(host, recording.authority.encode())
        await send(recording, data)
    assert len(recording.connections) > COUNT / 10
    for received in map(bytes, recording.connections):
        for name, read in READERS.items():
            hosts = [message.values("host") for message in read(received).messages]
            assert all(each == [recording.authority] for each in hosts), (name, received)
