"""G1: Names that lead where they must not: nobody is ever called there, whatever the name server says and when."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from tests.client import Reply, connected
from tests.listening import Canary, answering, canary
from tests.nameserver import Nameserver, nameserver
from tests.proxies import World, socks_proxy

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.hosts.resolver import DnsResolver, SystemResolver
from rove.guard.hosts.urls import Endpoint
from rove.guard.proxy.egress import EgressProxy
from rove.guard.proxy.upstream import Upstream

PUBLIC, PUBLIC_6 = "93.184.216.34", "2606:2800:220:1::1"
FORBIDDEN = ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "0.0.0.0", "fd00::1"]


@dataclass
class Net:
    """A name server, a world beyond a proxy in which one public server lives, and a canary on loopback."""

    names: Nameserver
    world: World
    bird: Canary
    egress: EgressProxy

    async def get(self, host: str) -> Reply:
        async with connected(self.egress.port) as client:
            return await client.get(f"http://{host}:{self.bird.port}/")

    async def tunnel(self, host: str) -> Reply:
        async with connected(self.egress.port) as client:
            return await client.connect(f"{host}:{self.bird.port}")


async def _say_public(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.readuntil(b"\r\n\r\n"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npublic")


@pytest.fixture
async def net() -> AsyncGenerator[Net]:
    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(nameserver())
        world = await stack.enter_async_context(socks_proxy())
        bird = await stack.enter_async_context(canary())
        public = await stack.enter_async_context(answering(_say_public))
        world.lead(PUBLIC, public)
        world.lead(PUBLIC_6, public)
        upstream = Upstream.of(f"socks5://127.0.0.1:{world.port}")
        egress = EgressProxy(HostRules(), OwnPorts(), DnsResolver(names.address, timeout=1.0), upstream)
        await egress.start()
        yield Net(names, world, bird, egress)
        await egress.close()


def called(net: Net) -> set[str]:
    return {address for address, _ in net.world.asked}


async def test_a_public_name_is_reached_at_the_address_that_was_checked(net: Net) -> None:
    net.names.set("fine.example", [PUBLIC])
    reply = await net.get("fine.example")
    assert (reply.status, reply.body) == (200, b"public")
    assert net.world.asked == [(PUBLIC, net.bird.port)]
    assert (await net.tunnel("fine.example")).status == 200


@pytest.mark.parametrize("address", FORBIDDEN)
async def test_a_name_that_leads_inside_is_refused(net: Net, address: str) -> None:
    net.names.set("inside.example", [address])
    for reply in (await net.get("inside.example"), await net.tunnel("inside.example")):
        assert reply.status == 403
        assert reply.headers["x-rove-refused"]
        assert b"--allow-host inside.example" in reply.body or reply.headers["x-rove-refused"] == "metadata"
    assert net.bird.calls == []
    assert net.world.asked == []
    assert [refused.refusal.host for refused in net.egress.refusals] == ["inside.example"] * 2


@pytest.mark.parametrize(
    "answer",
    [
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        [PUBLIC, "::1"],
        [PUBLIC_6, "127.0.0.1"],
        [PUBLIC, PUBLIC_6, "10.0.0.1"],
        ["cname:localhost", "127.0.0.1"],
        ["cname:other.example", "cname:localhost", "127.0.0.1", "::1"],
        ["cname:fine.example", "10.0.0.1"],
        [f"8.8.{index}.8" for index in range(60)] + ["127.0.0.1"],
    ],
)
async def test_one_forbidden_address_among_others_forbids_the_name(net: Net, answer: list[str]) -> None:
    net.names.set("mixed.example", answer)
    assert (await net.get("mixed.example")).status == 403
    assert (await net.tunnel("mixed.example")).status == 403
    assert net.bird.calls == []
    assert net.world.asked == []


@pytest.mark.parametrize("order", list(itertools.product([PUBLIC, "127.0.0.1"], repeat=4)))
async def test_no_order_of_answers_rebinds_a_name(net: Net, order: tuple[str, ...]) -> None:
    net.names.set("rebind.example", *[[address] for address in order])
    for index, address in enumerate(order):
        ask = net.get if index % 2 else net.tunnel
        reply = await ask("rebind.example")
        assert reply.status == (200 if address == PUBLIC else 403)
    assert net.bird.calls == []
    assert called(net) <= {PUBLIC}


async def test_a_kept_connection_stays_with_its_address(net: Net) -> None:
    net.names.set("rebind.example", [PUBLIC], ["127.0.0.1"])
    async with connected(net.egress.port) as client:
        for _ in range(5):
            assert (await client.get(f"http://rebind.example:{net.bird.port}/")).body == b"public"
        other = await client.get(f"http://rebind.example:{net.bird.port + 1}/")
    assert other.status == 403
    assert net.bird.calls == []
    assert len(net.world.asked) == 1


async def test_many_at_once_share_one_question_but_no_answer_is_kept(net: Net) -> None:
    net.names.set("rebind.example", [PUBLIC], ["127.0.0.1"])
    replies = await asyncio.gather(*(net.get("rebind.example") for _ in range(8)))
    assert {reply.status for reply in replies} <= {200, 403}
    assert (await net.get("rebind.example")).status == 403
    assert net.bird.calls == []
    assert called(net) <= {PUBLIC}


async def test_more_answers_than_are_checked_are_refused(net: Net) -> None:
    net.names.set("many.example", [f"8.{index}.8.8" for index in range(65)])
    reply = await net.get("many.example")
    assert (reply.status, reply.headers["x-rove-refused"]) == (403, "too-many-addresses")
    assert net.world.asked == []


async def test_a_name_that_is_not_known_fails_as_such(net: Net) -> None:
    for reply in (await net.get("nobody.example"), await net.tunnel("nobody.example")):
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, "dns")
    assert [failed.kind for failed in net.egress.failures] == ["dns", "dns"]
    endpoint = Endpoint("nobody.example", net.bird.port)
    assert net.egress.refusal_log.latest(endpoint, 0) == "dns"
    assert net.egress.refusal_log.latest(endpoint, time.monotonic()) is None


async def test_a_silent_name_server_is_not_waited_for_without_end(net: Net) -> None:
    net.names.set("slow.example", silent=True)
    start = time.monotonic()
    reply = await net.get("slow.example")
    assert (reply.status, reply.headers["x-rove-failure"]) == (504, "timeout")
    assert time.monotonic() - start < 4


async def test_a_dead_name_server_is_told_apart_from_a_refusal(unused_port: int) -> None:
    egress = EgressProxy(HostRules(), OwnPorts(), DnsResolver(("127.0.0.1", unused_port), timeout=1.0))
    await egress.start()
    async with connected(egress.port) as client:
        reply = await client.get("http://any.example/")
    await egress.close()
    assert reply.status in (502, 504)
    assert reply.headers["x-rove-failure"] in ("dns", "timeout")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "127.0.0.1.", "0", "0.0.0.0",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "localhost", "LOCALHOST", "localhost.", "a.localhost", "ip6-localhost",
        "127.127.127.127",
    ],
)  # fmt: skip
async def test_this_machine_is_not_reached_in_any_spelling(net: Net, host: str) -> None:
    for reply in (await net.get(host), await net.tunnel(host)):
        assert reply.status == 403
    assert net.bird.calls == []
    assert net.names.questions == []
    assert net.world.asked == []


async def test_an_opened_name_is_reached_where_it_leads(net: Net) -> None:
    net.egress.rules = HostRules.of(allow_hosts=[f"app.example:{net.bird.port}", "localhost"])
    net.names.set("app.example", ["127.0.0.1"])
    net.names.set("localhost", [PUBLIC])
    assert (await net.tunnel("app.example")).status == 200
    assert len(net.bird.calls) == 1
    assert (await net.tunnel("localhost")).status == 200
    assert len(net.bird.calls) == 2, "that name is this machine's own, whatever a name server says"
    assert net.world.asked == [], "another machine's loopback would be another machine"


async def test_an_opened_name_does_not_lead_to_metadata_or_to_ourselves(net: Net) -> None:
    net.egress.rules = HostRules.of(allow_hosts=["app.example", "0.0.0.0/0"])
    net.names.set("app.example", ["169.254.169.254"], ["127.0.0.1"])
    assert (await net.get("app.example")).headers["x-rove-refused"] == "metadata"
    async with connected(net.egress.port) as client:
        reply = await client.get(f"http://app.example:{net.egress.port}/")
        assert reply.headers["x-rove-refused"] == "own-port"
        assert (await client.get(f"http://127.0.0.1:{net.egress.port}/")).headers["x-rove-refused"] == "own-port"
        upstream = await client.get(f"http://127.0.0.1:{net.world.port}/")
        assert upstream.headers["x-rove-refused"] == "own-port", "whoever could ask the upstream could ask for anything"


async def test_the_system_resolver_reads_what_this_machine_is_set_up_to_read() -> None:
    found = await SystemResolver().addresses("localhost")
    assert {str(address) for address in found} & {"127.0.0.1", "::1"}
