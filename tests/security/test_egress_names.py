"""G1: Names that resolve to forbidden addresses are refused, whatever the name server answers and when."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from tests.client import Reply, connected
from tests.loopback_servers import Canary, answering, canary
from tests.nameserver import Nameserver, nameserver
from tests.proxies import UpstreamProxy, socks_proxy

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.dialer import DnsResolver, SystemResolver, Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy
from rove.guard.network.urls import Endpoint

PUBLIC, PUBLIC_6 = "93.184.216.34", "2606:2800:220:1::1"
FORBIDDEN = ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "0.0.0.0", "fd00::1"]


@dataclass
class Network:
    """A name server, an upstream proxy with a route to one public server, and a canary on loopback."""

    names: Nameserver
    upstream_proxy: UpstreamProxy
    canary_server: Canary
    egress: EgressProxy

    async def get(self, host: str) -> Reply:
        async with connected(self.egress.port) as client:
            return await client.get(f"http://{host}:{self.canary_server.port}/")

    async def tunnel(self, host: str) -> Reply:
        async with connected(self.egress.port) as client:
            return await client.connect(f"{host}:{self.canary_server.port}")


async def _public_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.readuntil(b"\r\n\r\n"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npublic")


@pytest.fixture
async def network() -> AsyncGenerator[Network]:
    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(nameserver())
        upstream_proxy = await stack.enter_async_context(socks_proxy())
        canary_server = await stack.enter_async_context(canary())
        public = await stack.enter_async_context(answering(_public_server))
        upstream_proxy.add_route(PUBLIC, public)
        upstream_proxy.add_route(PUBLIC_6, public)
        upstream = Upstream.of(f"socks5://127.0.0.1:{upstream_proxy.port}")
        egress = EgressProxy(HostRules(), OwnPorts(), DnsResolver(names.address, timeout=1.0), upstream)
        await egress.start()
        yield Network(names, upstream_proxy, canary_server, egress)
        await egress.close()


def connected_addresses(network: Network) -> set[str]:
    return {address for address, _ in network.upstream_proxy.requested}


async def test_a_public_name_is_reached_at_the_address_that_was_checked(network: Network) -> None:
    network.names.set("fine.example", [PUBLIC])
    reply = await network.get("fine.example")
    assert (reply.status, reply.body) == (200, b"public")
    assert network.upstream_proxy.requested == [(PUBLIC, network.canary_server.port)]
    assert (await network.tunnel("fine.example")).status == 200


@pytest.mark.parametrize("address", FORBIDDEN)
async def test_a_name_that_resolves_to_a_forbidden_address_is_refused(network: Network, address: str) -> None:
    network.names.set("internal.example", [address])
    for reply in (await network.get("internal.example"), await network.tunnel("internal.example")):
        assert reply.status == 403
        assert reply.headers["x-rove-refused"]
        assert b"--allow-host internal.example" in reply.body or reply.headers["x-rove-refused"] == "metadata"
    assert network.canary_server.calls == []
    assert network.upstream_proxy.requested == []
    assert [refused.refusal.host for refused in network.egress.refusals] == ["internal.example"] * 2


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
async def test_one_forbidden_address_among_others_refuses_the_name(network: Network, answer: list[str]) -> None:
    network.names.set("mixed.example", answer)
    assert (await network.get("mixed.example")).status == 403
    assert (await network.tunnel("mixed.example")).status == 403
    assert network.canary_server.calls == []
    assert network.upstream_proxy.requested == []


@pytest.mark.parametrize("order", list(itertools.product([PUBLIC, "127.0.0.1"], repeat=4)))
async def test_no_order_of_answers_rebinds_a_name(network: Network, order: tuple[str, ...]) -> None:
    network.names.set("rebind.example", *[[address] for address in order])
    for index, address in enumerate(order):
        ask = network.get if index % 2 else network.tunnel
        reply = await ask("rebind.example")
        assert reply.status == (200 if address == PUBLIC else 403)
    assert network.canary_server.calls == []
    assert connected_addresses(network) <= {PUBLIC}


async def test_a_kept_connection_stays_with_the_address_that_was_checked(network: Network) -> None:
    network.names.set("rebind.example", [PUBLIC], ["127.0.0.1"])
    async with connected(network.egress.port) as client:
        for _ in range(5):
            assert (await client.get(f"http://rebind.example:{network.canary_server.port}/")).body == b"public"
        other = await client.get(f"http://rebind.example:{network.canary_server.port + 1}/")
    assert other.status == 403
    assert network.canary_server.calls == []
    assert len(network.upstream_proxy.requested) == 1


async def test_concurrent_requests_share_a_lookup_and_no_answer_is_cached(network: Network) -> None:
    network.names.set("rebind.example", [PUBLIC], ["127.0.0.1"])
    replies = await asyncio.gather(*(network.get("rebind.example") for _ in range(8)))
    assert {reply.status for reply in replies} <= {200, 403}
    assert (await network.get("rebind.example")).status == 403
    assert network.canary_server.calls == []
    assert connected_addresses(network) <= {PUBLIC}


async def test_a_name_with_too_many_addresses_is_refused(network: Network) -> None:
    network.names.set("many.example", [f"8.{index}.8.8" for index in range(65)])
    reply = await network.get("many.example")
    assert (reply.status, reply.headers["x-rove-refused"]) == (403, "too-many-addresses")
    assert network.upstream_proxy.requested == []


async def test_an_unknown_name_fails_with_a_dns_error(network: Network) -> None:
    for reply in (await network.get("unknown.example"), await network.tunnel("unknown.example")):
        assert (reply.status, reply.headers["x-rove-failure"]) == (502, "dns")
    assert [failed.kind for failed in network.egress.failures] == ["dns", "dns"]
    endpoint = Endpoint("unknown.example", network.canary_server.port)
    assert network.egress.refusal_log.latest(endpoint, 0) == "dns"
    assert network.egress.refusal_log.latest(endpoint, time.monotonic()) is None


async def test_a_silent_name_server_is_a_timeout(network: Network) -> None:
    network.names.set("slow.example", silent=True)
    start = time.monotonic()
    reply = await network.get("slow.example")
    assert (reply.status, reply.headers["x-rove-failure"]) == (504, "timeout")
    assert time.monotonic() - start < 4


async def test_a_dead_name_server_is_a_failure_and_not_a_refusal(unused_port: int) -> None:
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
async def test_this_machine_is_not_reached_in_any_notation(network: Network, host: str) -> None:
    for reply in (await network.get(host), await network.tunnel(host)):
        assert reply.status == 403
    assert network.canary_server.calls == []
    assert network.names.questions == []
    assert network.upstream_proxy.requested == []


async def test_an_allowed_name_is_reached_at_its_address(network: Network) -> None:
    network.egress.rules = HostRules.of(allow_hosts=[f"app.example:{network.canary_server.port}", "localhost"])
    network.names.set("app.example", ["127.0.0.1"])
    network.names.set("localhost", [PUBLIC])
    assert (await network.tunnel("app.example")).status == 200
    assert len(network.canary_server.calls) == 1
    assert (await network.tunnel("localhost")).status == 200
    assert len(network.canary_server.calls) == 2, "localhost is this machine, whatever a name server says"
    assert network.upstream_proxy.requested == [], "the loopback address of an upstream proxy would be another machine"


async def test_an_allowed_name_does_not_open_metadata_services_or_own_ports(network: Network) -> None:
    network.egress.rules = HostRules.of(allow_hosts=["app.example", "0.0.0.0/0"])
    network.names.set("app.example", ["169.254.169.254"], ["127.0.0.1"])
    assert (await network.get("app.example")).headers["x-rove-refused"] == "metadata"
    async with connected(network.egress.port) as client:
        reply = await client.get(f"http://app.example:{network.egress.port}/")
        assert reply.headers["x-rove-refused"] == "own-port"
        assert (await client.get(f"http://127.0.0.1:{network.egress.port}/")).headers["x-rove-refused"] == "own-port"
        upstream = await client.get(f"http://127.0.0.1:{network.upstream_proxy.port}/")
        assert upstream.headers["x-rove-refused"] == "own-port", "the upstream proxy would connect to any host"


async def test_the_system_resolver_resolves_localhost() -> None:
    found = await SystemResolver().addresses("localhost")
    assert {str(address) for address in found} & {"127.0.0.1", "::1"}
