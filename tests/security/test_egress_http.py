"""G1: The proxy forwards allowed requests completely, at the pace of the receiver, and ends connections correctly."""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import socket
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client import Client, connected
from tests.loopback_servers import Handler, answering

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

MEGABYTE = 2**20
ALLOW_LOOPBACK = HostRules.of(allow_hosts=["127.0.0.1", "localhost"])


@asynccontextmanager
async def proxied(handler: Handler) -> AsyncGenerator[tuple[Client, str, EgressProxy]]:
    """Yield a client of a proxy, the host and port of a server behind it, and the proxy."""
    egress = EgressProxy(ALLOW_LOOPBACK, OwnPorts())
    await egress.start()
    try:
        async with answering(handler) as port, connected(egress.port) as client:
            yield client, f"127.0.0.1:{port}", egress
    finally:
        await egress.close()


def responding(*answers: bytes) -> Handler:
    """Return a handler that sends these responses in turn, whatever the requests are."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
        await reader.read()

    return handle


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Respond with the bytes of the request: its head, and a body of a declared length."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0)
        request = head + await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(request) + request)


async def test_many_requests_share_one_connection() -> None:
    connections = []

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await echo(reader, writer)

    async with proxied(counted) as (client, authority, _):
        for number in range(20):
            reply = await client.get(f"http://{authority}/{number}", "X-Mine: yes")
            assert reply.body.startswith(f"GET /{number} HTTP/1.1\r\nHost: {authority}\r\n".encode())
    assert len(connections) == 1


async def test_another_host_gets_a_separate_connection() -> None:
    seen = []

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(writer)
        await echo(reader, writer)

    async with proxied(counted) as (client, authority, _):
        other = authority.replace("127.0.0.1", "localhost")
        for host in (authority, other, other, authority):
            assert f"Host: {host}\r\n".encode() in (await client.get(f"http://{host}/")).body
    assert len(seen) == 3, "a connection to the previous host is not kept"


async def test_pipelined_requests_are_answered_in_order() -> None:
    async with proxied(echo) as (client, authority, _):
        for number in range(5):
            client.send(f"GET http://{authority}/{number} HTTP/1.1", f"Host: {authority}")
        for number in range(5):
            assert (await client.reply()).body.startswith(b"GET /%d " % number)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 204 No\r\n\r\n", b"HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n"])
async def test_responses_without_a_body_do_not_delay_the_next(answer: bytes) -> None:
    last = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(responding(answer, last)) as (client, authority, _):
        assert (await client.get(f"http://{authority}/")).status in (204, 304)
        assert (await client.get(f"http://{authority}/")).body == b"ok"


async def test_a_response_to_head_has_no_body_even_from_the_proxy_itself() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
    async with proxied(responding(head, head)) as (client, authority, _):
        assert (await client.get(f"http://{authority}/", method="HEAD")).headers["content-length"] == "99"
        assert (await client.get("http://10.0.0.1/", method="HEAD")).status == 403
        assert (await client.get(f"http://{authority}/", method="HEAD")).status == 200


async def test_chunks_are_forwarded_with_their_trailers() -> None:
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nEnd: yes\r\n\r\n"
    )
    async with proxied(responding(chunked, chunked)) as (client, authority, _):
        for _ in range(2):
            assert (await client.get(f"http://{authority}/")).body == b"hello, world"


async def test_a_response_that_ends_with_its_connection_is_forwarded_in_chunks() -> None:
    """So the browser can tell its end from that of a proxy that died, and may use its connection again."""

    async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: identity\r\n\r\none and ")
        await writer.drain()
        writer.write(b"two")

    async with proxied(closing) as (client, authority, _):
        for _ in range(2):
            reply = await client.get(f"http://{authority}/")
            assert reply.body == b"one and two"
            assert reply.headers["transfer-encoding"] == "chunked"
            assert "connection" not in reply.headers


@pytest.mark.parametrize("body", [b"", b"half"])
async def test_a_response_that_ends_with_a_reset_has_no_last_chunk(body: bytes) -> None:
    async def resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + body)
        await forwarded.wait()
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    forwarded = asyncio.Event()
    async with proxied(resetting) as (client, authority, _):
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        await client.head()
        forwarded.set()
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await client.reader.readuntil(b"0\r\n\r\n")


async def test_interim_responses_are_forwarded() -> None:
    both = b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(responding(both)) as (client, authority, _):
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        early = await client.head()
        assert (early.status, early.headers["link"]) == (103, "</x.css>")
        assert (await client.reply()).body == b"ok"


async def test_a_client_that_waits_for_100_continue_receives_it() -> None:
    async def continuing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert b"Expect: 100-continue" in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(5)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body)
        await reader.read()

    async with proxied(continuing) as (client, authority, _):
        client.send(
            f"POST http://{authority}/ HTTP/1.1", f"Host: {authority}", "Expect: 100-continue", "Content-Length: 5"
        )
        assert (await client.head()).status == 100
        client.writer.write(b"hello")
        assert (await client.reply()).body == b"hello"


async def test_a_response_before_the_end_of_the_request_arrives() -> None:
    async def rejecting_early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await writer.drain()

    async with proxied(rejecting_early) as (client, authority, _):
        client.send(f"POST http://{authority}/ HTTP/1.1", f"Host: {authority}", f"Content-Length: {50 * MEGABYTE}")
        client.writer.write(bytes(MEGABYTE))
        reply = await client.reply()
        assert (reply.status, reply.body) == (413, b"no")


async def test_a_server_that_closes_after_its_response_is_sent_no_more() -> None:
    async def closing_soon(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await reader.read()  # it keeps reading

    async with proxied(closing_soon) as (client, authority, _):
        client.send(f"POST http://{authority}/ HTTP/1.1", f"Host: {authority}", "Transfer-Encoding: chunked")
        client.writer.write(b"5\r\nhello\r\n")
        assert (await client.reply()).body == b"no"
        client.writer.write(b"5\r\nworld\r\n")
        assert await client.reader.read() == b"", "the client's connection is closed"


@pytest.mark.parametrize(
    "interim", [b"HTTP/1.1 103 Hints\r\n\r\n" * 21, b"HTTP/1.1 103 Hints\r\nLink: %b\r\n\r\n" % (b"x" * 33000) * 2]
)
async def test_a_server_that_sends_interim_responses_without_end_is_cut_off(interim: bytes) -> None:
    async with proxied(responding(interim + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) as (
        client,
        authority,
        _,
    ):
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        while (reply := await client.head()).status == 103:
            pass
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, "malformed")


async def test_twenty_interim_responses_are_forwarded() -> None:
    answer = b"HTTP/1.1 100 Go on\r\n\r\n" * 20 + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(responding(answer)) as (client, authority, _):
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        for _ in range(20):
            assert (await client.head()).status == 100
        assert (await client.reply()).body == b"ok"


async def test_a_response_with_more_header_lines_than_the_limit_is_refused() -> None:
    flood = b"HTTP/1.1 200 OK\r\n" + b"a:b\r\n" * 1001 + b"Content-Length: 0\r\n\r\n"
    async with proxied(responding(flood)) as (client, authority, _):
        assert (await client.get(f"http://{authority}/")).headers["x-rove-failure"] == "malformed"


async def test_a_body_of_one_byte_chunks_arrives_completely() -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 20000 + b"0\r\n\r\n"
    async with proxied(responding(chunks, chunks)) as (client, authority, _):
        for _ in range(2):
            assert (await client.get(f"http://{authority}/")).body == b"x" * 20000


async def test_five_thousand_refusals_are_answered_and_the_log_stays_bounded() -> None:
    async with proxied(echo) as (client, authority, egress):
        client.writer.write(b"GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n" * 5000)
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        for _ in range(5000):
            assert (await client.reply()).status == 403
        assert (await client.reply()).status == 200
        assert len(egress.refusals) == 256


async def test_pipelined_bodies_stay_with_their_requests() -> None:
    async with proxied(echo) as (client, authority, _):
        for number in range(4):
            head = (f"POST http://{authority}/{number} HTTP/1.1", f"Host: {authority}", "Content-Length: 7")
            client.send(*head, body=b"body %d;" % number)
        for number in range(4):
            body = (await client.reply()).body
            assert body.startswith(b"POST /%d " % number)
            assert body.endswith(b"body %d;" % number)


async def test_an_error_in_the_proxy_closes_the_clients_connection() -> None:
    class Faulty:
        async def addresses(self, host: str) -> list[Any]:
            raise RuntimeError("a fault")

    egress = EgressProxy(ALLOW_LOOPBACK, OwnPorts(), Faulty())
    await egress.start()
    async with connected(egress.port) as client:
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get("http://any.example/")
    await egress.close()


async def test_a_large_upload_arrives_completely() -> None:
    digest, block = hashlib.sha256(), os.urandom(MEGABYTE)

    async def hashing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        remaining, seen = 30 * MEGABYTE, hashlib.sha256()
        while remaining:
            data = await reader.read(min(remaining, 65536))
            seen.update(data)
            remaining -= len(data)
        answer = seen.hexdigest().encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
        await reader.read()

    async with proxied(hashing) as (client, authority, _):
        client.send(f"POST http://{authority}/ HTTP/1.1", f"Host: {authority}", f"Content-Length: {30 * MEGABYTE}")
        for _ in range(30):
            client.writer.write(block)
            digest.update(block)
            await client.writer.drain()
        assert (await client.reply()).body == digest.hexdigest().encode()


async def test_a_client_that_does_not_read_pauses_the_server_and_fills_no_memory() -> None:
    """The proxy does not read from the server what the client does not read, in a response and in a tunnel."""
    sent = 0

    async def sending_200_megabytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (200 * MEGABYTE))
        for _ in range(200):
            writer.write(bytes(MEGABYTE))
            await writer.drain()
            sent += 1

    for tunnel in (False, True):
        sent = 0
        async with proxied(sending_200_megabytes) as (client, authority, _):
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]  # a client that does not read
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if tunnel:
                client.send(f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", "", body=b"GET / HTTP/1.1\r\n\r\n")
            else:
                client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
            last = -1
            while sent != last:  # until the server cannot send more
                last = sent
                await asyncio.sleep(0.3)
            assert 0 < sent < 40, "the buffers of the kernel and the proxy hold a few megabytes, not everything"
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 * 1024


async def test_a_tunnel_forwards_both_directions_and_stays_open_when_half_closed() -> None:
    async def reading_to_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = await reader.read()  # until the client has finished
        writer.write(b"received " + received)

    async with proxied(reading_to_the_end) as (client, authority, _):
        assert (await client.connect(authority)).status == 200
        client.writer.write(b"one ")
        await client.writer.drain()
        client.writer.write(b"two")
        client.writer.write_eof()
        assert await client.reader.read() == b"received one two"


async def test_bytes_sent_before_a_tunnel_is_established_are_not_lost() -> None:
    async def returning_five_bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        await writer.drain()

    async with proxied(returning_five_bytes) as (client, authority, _):
        client.send(f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", body=b"early")
        assert (await client.head()).status == 200
        assert await client.reader.read() == b"early"


async def test_a_reset_by_the_server_resets_a_tunnel() -> None:
    async def resetting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    async with proxied(resetting) as (client, authority, _):
        await client.connect(authority)
        client.writer.write(b"x")
        with pytest.raises(ConnectionResetError):
            await client.reader.readexactly(1)


async def test_a_websocket_is_upgraded_and_then_forwarded_unread() -> None:
    async def upgrading(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" in head
        writer.write(b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi")
        writer.write(await reader.readexactly(4))
        await writer.drain()

    async with proxied(upgrading) as (client, authority, _):
        client.send(
            f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}", "Connection: Upgrade", "Upgrade: websocket"
        )
        reply = await client.head()
        assert (reply.status, reply.headers["upgrade"]) == (101, "websocket")
        client.writer.write(b"ping")
        assert await client.reader.read() == b"\x81\x02hiping"


async def test_an_upgrade_without_a_request_is_an_error() -> None:
    async with proxied(responding(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nanything")) as (client, authority, _):
        reply = await client.get(f"http://{authority}/")
    assert (reply.status, reply.headers["x-rove-failure"]) == (502, "malformed")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"", "empty"),
        (b"HTTP/1.1 200 OK\r\nContent-", "short"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "malformed"),
        (b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", "malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12", "malformed"),
    ],
)
async def test_an_invalid_response_is_reported_with_its_kind(answer: bytes, kind: str) -> None:
    async def invalid(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async with proxied(invalid) as (client, authority, egress):
        reply = await client.get(f"http://{authority}/")
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, kind)
        assert [failed.kind for failed in egress.failures] == [kind]
        assert (await client.get(f"http://{authority}/")).status == 502, "the client can send another request"


@pytest.mark.parametrize("body", [b"Content-Length: 9\r\n\r\nhalf", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel"])
async def test_a_truncated_response_does_not_look_complete(body: bytes) -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + body)

    async with proxied(broken) as (client, authority, _):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get(f"http://{authority}/")


async def test_invalid_chunks_of_a_server_end_the_response_with_an_error() -> None:
    bad = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\nworld\r\n0\r\n\r\n"
    async with proxied(responding(bad)) as (client, authority, _):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get(f"http://{authority}/")


async def test_a_refused_connection_is_reported_as_such(unused_port: int) -> None:
    async with proxied(echo) as (client, _, egress):
        reply = await client.get(f"http://127.0.0.1:{unused_port}/")
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, "refused")
        assert (await client.connect(f"localhost:{unused_port}")).headers["x-rove-failure"] == "refused"
        assert {failed.kind for failed in egress.failures} == {"refused"}


async def test_a_server_on_ipv6_loopback_only_is_reached() -> None:
    egress = EgressProxy(ALLOW_LOOPBACK, OwnPorts())
    await egress.start()
    async with answering(echo, "::1") as port, connected(egress.port) as client:
        assert (await client.get(f"http://localhost:{port}/")).status == 200
    await egress.close()


async def test_a_kept_connection_that_the_server_closed_is_not_used_again() -> None:
    closed = asyncio.Event()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        writer.write_eof()
        assert await reader.read() == b""  # the proxy closes its side too
        closed.set()

    async with proxied(once) as (client, authority, _):
        for _ in range(3):
            closed.clear()
            assert (await client.get(f"http://{authority}/")).body == b"ok"
            await asyncio.wait_for(closed.wait(), 5)


async def test_unrequested_bytes_are_not_taken_for_the_next_response() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    async with proxied(responding(answer + forged, answer)) as (client, authority, _):
        assert (await client.get(f"http://{authority}/")).body == b"ok"
        assert (await client.get(f"http://{authority}/")).body == b"ok"


@pytest.mark.parametrize("late", [b"<p>The body of the 304</p>\n", b""])
async def test_a_read_over_a_kept_connection_is_repeated_if_its_response_is_none(late: bytes) -> None:
    received: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.readuntil(b"\r\n\r\n"))
        if len(received) > 1:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await reader.read()
            return
        writer.write(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 27\r\n\r\n")
        received.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(late and late + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")

    async with proxied(handle) as (client, authority, egress):
        assert (await client.get(f"http://{authority}/")).status == 304
        assert (await client.get(f"http://{authority}/next")).body == b"ok"
        assert len(received) == 3 and received[1] == received[2] and not egress.failures


@pytest.mark.parametrize(("method", "body"), [("POST", b""), ("GET", b"x")])
async def test_what_may_change_something_is_not_repeated(method: str, body: bytes) -> None:
    received: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in (b"HTTP/1.1 304 Not Modified\r\n\r\n", b"late\r\n\r\n"):
            received.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
        await reader.read()

    async with proxied(handle) as (client, authority, _):
        assert (await client.get(f"http://{authority}/")).status == 304
        client.send(
            f"{method} http://{authority}/ HTTP/1.1", f"Host: {authority}", f"Content-Length: {len(body)}", body=body
        )
        assert (await client.reply()).headers["x-rove-failure"] == "malformed"
        assert len(received) == 2


async def test_the_server_connection_closes_when_the_client_disconnects() -> None:
    received, disconnected = asyncio.Event(), asyncio.Event()

    async def waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        received.set()
        await reader.read()
        disconnected.set()

    async with proxied(waiting) as (client, authority, egress):
        client.send(f"GET http://{authority}/ HTTP/1.1", f"Host: {authority}")
        await asyncio.wait_for(received.wait(), 5)
        client.writer.close()
        await asyncio.wait_for(disconnected.wait(), 5)
    assert not egress.failures, "the client closed the connection; the server did not fail"


async def test_new_rules_reset_only_the_connections_that_they_forbid() -> None:
    async with proxied(echo) as (client, authority, egress), connected(egress.port) as other:
        assert (await client.get(f"http://{authority}/")).status == 200
        assert (await other.connect(authority.replace("127.0.0.1", "localhost"))).status == 200
        egress.rules = HostRules.of(allow_hosts=["localhost"])
        with pytest.raises(ConnectionResetError):
            await client.reader.read()
        other.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await other.reply()).status == 200
        async with connected(egress.port) as third:
            assert (await third.get(f"http://{authority}/")).status == 403


async def test_a_socket_bound_beforehand_serves_clients_that_connected_early() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    async with connected(listener.getsockname()[1]) as client:
        client.send("GET http://10.0.0.1/ HTTP/1.1", "Host: 10.0.0.1")
        egress = EgressProxy(HostRules(), OwnPorts())
        await egress.start(listener)
        assert egress.port == listener.getsockname()[1]
        assert (await client.reply()).status == 403
    await egress.close()


async def test_closing_the_proxy_closes_all_connections() -> None:
    own = OwnPorts()
    egress = EgressProxy(ALLOW_LOOPBACK, own)
    await egress.start()
    port = egress.port
    async with answering(echo) as server_port, connected(port) as client, connected(port) as tunnel:
        await client.get(f"http://127.0.0.1:{server_port}/")
        await tunnel.connect(f"127.0.0.1:{server_port}")
        await egress.close()
        for each in (client, tunnel):
            with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
                await each.reader.readexactly(1)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
