"""G1: The proxy as a proxy: what is allowed passes whole, at the receiver's pace, and ends when it ends."""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client import Client, connected
from tests.listening import Handler, answering

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.proxy.egress import EgressProxy

MEGABYTE = 2**20
OPEN = HostRules.of(allow_hosts=["127.0.0.1", "localhost"])


@asynccontextmanager
async def proxied(handler: Handler) -> AsyncGenerator[tuple[Client, str, EgressProxy]]:
    """A client of a proxy before a server; and where the server is."""
    egress = EgressProxy(OPEN, OwnPorts())
    await egress.start()
    try:
        async with answering(handler) as port, connected(egress.port) as client:
            yield client, f"127.0.0.1:{port}", egress
    finally:
        await egress.close()


def saying(*answers: bytes) -> Handler:
    """A server that gives these answers in turn, whatever it is asked."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
        await reader.read()

    return handle


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers with the request's own bytes: the head, and a body of a declared length."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0)
        whole = head + await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(whole) + whole)


async def test_many_requests_share_one_connection() -> None:
    connections = []

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await echo(reader, writer)

    async with proxied(counted) as (client, place, _):
        for number in range(20):
            reply = await client.get(f"http://{place}/{number}", "X-Mine: yes")
            assert reply.body.startswith(f"GET /{number} HTTP/1.1\r\nHost: {place}\r\n".encode())
    assert len(connections) == 1


async def test_another_host_gets_a_connection_of_its_own() -> None:
    seen = []

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(writer)
        await echo(reader, writer)

    async with proxied(counted) as (client, place, _):
        other = place.replace("127.0.0.1", "localhost")
        for host in (place, other, other, place):
            assert f"Host: {host}\r\n".encode() in (await client.get(f"http://{host}/")).body
    assert len(seen) == 3, "an old connection is not kept for later"


async def test_requests_sent_ahead_are_answered_in_order() -> None:
    async with proxied(echo) as (client, place, _):
        for number in range(5):
            client.send(f"GET http://{place}/{number} HTTP/1.1", f"Host: {place}")
        for number in range(5):
            assert (await client.reply()).body.startswith(b"GET /%d " % number)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 204 No\r\n\r\n", b"HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n"])
async def test_answers_without_a_body_do_not_hold_up_the_next(answer: bytes) -> None:
    last = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(saying(answer, last)) as (client, place, _):
        assert (await client.get(f"http://{place}/")).status in (204, 304)
        assert (await client.get(f"http://{place}/")).body == b"ok"


async def test_an_answer_to_head_has_no_body_even_when_it_is_ours() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
    async with proxied(saying(head, head)) as (client, place, _):
        assert (await client.get(f"http://{place}/", method="HEAD")).headers["content-length"] == "99"
        assert (await client.get("http://10.0.0.1/", method="HEAD")).status == 403
        assert (await client.get(f"http://{place}/", method="HEAD")).status == 200


async def test_chunks_pass_with_their_trailers() -> None:
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nEnd: yes\r\n\r\n"
    )
    async with proxied(saying(chunked, chunked)) as (client, place, _):
        for _ in range(2):
            assert (await client.get(f"http://{place}/")).body == b"hello, world"


async def test_an_answer_that_ends_with_its_connection_ends_with_ours() -> None:
    async def old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nold and ")
        await writer.drain()
        writer.write(b"simple")

    async with proxied(old) as (client, place, _):
        reply = await client.get(f"http://{place}/")
    assert reply.body == b"old and simple"
    assert reply.headers["connection"] == "close"


async def test_interim_answers_are_passed_on() -> None:
    both = b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(saying(both)) as (client, place, _):
        client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}")
        early = await client.head()
        assert (early.status, early.headers["link"]) == (103, "</x.css>")
        assert (await client.reply()).body == b"ok"


async def test_a_client_that_waits_to_be_told_to_send_is_told() -> None:
    async def willing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert b"Expect: 100-continue" in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(5)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body)
        await reader.read()

    async with proxied(willing) as (client, place, _):
        client.send(f"POST http://{place}/ HTTP/1.1", f"Host: {place}", "Expect: 100-continue", "Content-Length: 5")
        assert (await client.head()).status == 100
        client.writer.write(b"hello")
        assert (await client.reply()).body == b"hello"


async def test_an_answer_before_the_request_has_ended_arrives() -> None:
    async def impatient(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await writer.drain()

    async with proxied(impatient) as (client, place, _):
        client.send(f"POST http://{place}/ HTTP/1.1", f"Host: {place}", f"Content-Length: {50 * MEGABYTE}")
        client.writer.write(bytes(MEGABYTE))
        reply = await client.reply()
        assert (reply.status, reply.body) == (413, b"no")


async def test_a_server_that_has_answered_for_good_is_sent_no_more() -> None:
    async def closing_soon(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await reader.read()  # it listens on, to be polite

    async with proxied(closing_soon) as (client, place, _):
        client.send(f"POST http://{place}/ HTTP/1.1", f"Host: {place}", "Transfer-Encoding: chunked")
        client.writer.write(b"5\r\nhello\r\n")
        assert (await client.reply()).body == b"no"
        client.writer.write(b"5\r\nworld\r\n")
        assert await client.reader.read() == b"", "and the client is told so"


async def test_interim_answers_without_number_are_no_trouble() -> None:
    flood = b"HTTP/1.1 100 Go on\r\n\r\n" * 20000 + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with proxied(saying(flood)) as (client, place, _):
        client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}")
        for _ in range(20000):
            assert (await client.head()).status == 100
        assert (await client.reply()).body == b"ok"


async def test_refusals_without_number_are_no_trouble() -> None:
    async with proxied(echo) as (client, place, egress):
        client.writer.write(b"GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n" * 5000)
        client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}")
        for _ in range(5000):
            assert (await client.reply()).status == 403
        assert (await client.reply()).status == 200
        assert len(egress.refusals) == 256


async def test_bodies_sent_ahead_stay_with_their_requests() -> None:
    async with proxied(echo) as (client, place, _):
        for number in range(4):
            head = (f"POST http://{place}/{number} HTTP/1.1", f"Host: {place}", "Content-Length: 7")
            client.send(*head, body=b"body %d;" % number)
        for number in range(4):
            body = (await client.reply()).body
            assert body.startswith(b"POST /%d " % number)
            assert body.endswith(b"body %d;" % number)


async def test_a_fault_of_our_own_leaves_nobody_waiting() -> None:
    class Faulty:
        async def addresses(self, host: str) -> list[Any]:
            raise RuntimeError("a fault")

    egress = EgressProxy(OPEN, OwnPorts(), Faulty())
    await egress.start()
    async with connected(egress.port) as client:
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get("http://any.example/")
    await egress.close()


async def test_a_large_upload_arrives_whole() -> None:
    digest, block = hashlib.sha256(), os.urandom(MEGABYTE)

    async def hashing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        left, seen = 30 * MEGABYTE, hashlib.sha256()
        while left:
            data = await reader.read(min(left, 65536))
            seen.update(data)
            left -= len(data)
        answer = seen.hexdigest().encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
        await reader.read()

    async with proxied(hashing) as (client, place, _):
        client.send(f"POST http://{place}/ HTTP/1.1", f"Host: {place}", f"Content-Length: {30 * MEGABYTE}")
        for _ in range(30):
            client.writer.write(block)
            digest.update(block)
            await client.writer.drain()
        assert (await client.reply()).body == digest.hexdigest().encode()


async def test_a_slow_reader_slows_the_server_and_not_the_machine() -> None:
    """Both ways to a body: what nobody reads is not read from the server either."""
    sent = 0

    async def gushing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (200 * MEGABYTE))
        for _ in range(200):
            writer.write(bytes(MEGABYTE))
            await writer.drain()
            sent += 1

    for tunnel in (False, True):
        sent = 0
        async with proxied(gushing) as (client, place, _):
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]  # a client that does not read
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if tunnel:
                client.send(f"CONNECT {place} HTTP/1.1", f"Host: {place}", "", body=b"GET / HTTP/1.1\r\n\r\n")
            else:
                client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}")
            last = -1
            while sent != last:  # until the server is stuck
                last = sent
                await asyncio.sleep(0.3)
            assert 0 < sent < 40, "the kernel's buffers and ours hold a few megabytes, not the whole"
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 * 1024


async def test_a_tunnel_carries_bytes_both_ways_and_half_a_farewell() -> None:
    async def listening(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard = await reader.read()  # until the client has finished
        writer.write(b"heard " + heard)

    async with proxied(listening) as (client, place, _):
        assert (await client.connect(place)).status == 200
        client.writer.write(b"over ")
        await client.writer.drain()
        client.writer.write(b"and out")
        client.writer.write_eof()
        assert await client.reader.read() == b"heard over and out"


async def test_bytes_sent_before_a_tunnel_stands_are_not_lost() -> None:
    async def parrot(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        await writer.drain()

    async with proxied(parrot) as (client, place, _):
        client.send(f"CONNECT {place} HTTP/1.1", f"Host: {place}", body=b"early")
        assert (await client.head()).status == 200
        assert await client.reader.read() == b"early"


async def test_a_server_that_breaks_off_breaks_off_a_tunnel() -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    async with proxied(rude) as (client, place, _):
        await client.connect(place)
        client.writer.write(b"x")
        with pytest.raises(ConnectionResetError):
            await client.reader.readexactly(1)


async def test_a_websocket_is_upgraded_and_then_left_alone() -> None:
    async def upgrading(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" in head
        writer.write(b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi")
        writer.write(await reader.readexactly(4))
        await writer.drain()

    async with proxied(upgrading) as (client, place, _):
        client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}", "Connection: Upgrade", "Upgrade: websocket")
        reply = await client.head()
        assert (reply.status, reply.headers["upgrade"]) == (101, "websocket")
        client.writer.write(b"ping")
        assert await client.reader.read() == b"\x81\x02hiping"


async def test_an_upgrade_that_nobody_asked_for_is_a_fault() -> None:
    async with proxied(saying(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nanything")) as (client, place, _):
        reply = await client.get(f"http://{place}/")
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
async def test_a_server_that_makes_no_sense_is_told_apart(answer: bytes, kind: str) -> None:
    async def odd(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async with proxied(odd) as (client, place, egress):
        reply = await client.get(f"http://{place}/")
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, kind)
        assert [failed.kind for failed in egress.failures] == [kind]
        assert (await client.get(f"http://{place}/")).status == 502, "the client may ask again"


@pytest.mark.parametrize("body", [b"Content-Length: 9\r\n\r\nhalf", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel"])
async def test_an_answer_that_breaks_off_does_not_look_whole(body: bytes) -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + body)

    async with proxied(broken) as (client, place, _):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get(f"http://{place}/")


async def test_bad_chunks_from_a_server_are_not_passed_for_good_ones() -> None:
    bad = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\nworld\r\n0\r\n\r\n"
    async with proxied(saying(bad)) as (client, place, _):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client.get(f"http://{place}/")


async def test_nobody_listening_is_told_apart(unused_port: int) -> None:
    async with proxied(echo) as (client, _, egress):
        reply = await client.get(f"http://127.0.0.1:{unused_port}/")
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, "refused")
        assert (await client.connect(f"localhost:{unused_port}")).headers["x-rove-failure"] == "refused"
        assert {failed.kind for failed in egress.failures} == {"refused"}


async def test_a_server_on_one_kind_of_loopback_alone_is_found() -> None:
    egress = EgressProxy(OPEN, OwnPorts())
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
        assert await reader.read() == b""  # the proxy has noticed, and closes too
        closed.set()

    async with proxied(once) as (client, place, _):
        for _ in range(3):
            closed.clear()
            assert (await client.get(f"http://{place}/")).body == b"ok"
            await asyncio.wait_for(closed.wait(), 5)


async def test_words_that_nobody_asked_for_are_not_taken_for_the_next_answer() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    async with proxied(saying(answer + forged, answer)) as (client, place, _):
        assert (await client.get(f"http://{place}/")).body == b"ok"
        assert (await client.get(f"http://{place}/")).body == b"ok"


async def test_a_client_that_leaves_is_left() -> None:
    came, left = asyncio.Event(), asyncio.Event()

    async def waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came.set()
        await reader.read()
        left.set()

    async with proxied(waiting) as (client, place, egress):
        client.send(f"GET http://{place}/ HTTP/1.1", f"Host: {place}")
        await asyncio.wait_for(came.wait(), 5)
        client.writer.close()
        await asyncio.wait_for(left.wait(), 5)
    assert not egress.failures, "that was the client's choice, not the server's fault"


async def test_new_rules_cut_what_they_forbid_and_nothing_else() -> None:
    async with proxied(echo) as (client, place, egress), connected(egress.port) as other:
        assert (await client.get(f"http://{place}/")).status == 200
        assert (await other.connect(place.replace("127.0.0.1", "localhost"))).status == 200
        egress.rules = HostRules.of(allow_hosts=["localhost"])
        with pytest.raises(ConnectionResetError):
            await client.reader.read()
        other.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await other.reply()).status == 200
        async with connected(egress.port) as third:
            assert (await third.get(f"http://{place}/")).status == 403


async def test_a_socket_bound_beforehand_serves_those_who_came_early() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    async with connected(listener.getsockname()[1]) as client:
        client.send("GET http://10.0.0.1/ HTTP/1.1", "Host: 10.0.0.1")
        egress = EgressProxy(HostRules(), OwnPorts())
        await egress.start(listener)
        assert egress.port == listener.getsockname()[1]
        assert (await client.reply()).status == 403
    await egress.close()


async def test_closing_ends_everything() -> None:
    own = OwnPorts()
    egress = EgressProxy(OPEN, own)
    await egress.start()
    port = egress.port
    async with answering(echo) as there, connected(port) as client, connected(port) as tunnel:
        await client.get(f"http://127.0.0.1:{there}/")
        await tunnel.connect(f"127.0.0.1:{there}")
        await egress.close()
        for each in (client, tunnel):
            with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
                await each.reader.readexactly(1)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
