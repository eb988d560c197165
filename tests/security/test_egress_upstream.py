"""G1: A proxy beyond ours: it is given only addresses that were checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from tests.client import Client, connected
from tests.listening import answering
from tests.nameserver import Nameserver, nameserver
from tests.proxies import World, http_proxy, socks_proxy

from rove.errors import InvalidSettings
from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.hosts.resolver import DnsResolver
from rove.guard.hosts.urls import Endpoint
from rove.guard.proxy import dialer
from rove.guard.proxy.egress import EgressProxy
from rove.guard.proxy.upstream import Upstream

PUBLIC, PUBLIC_6 = "93.184.216.34", "2606:2800:220:1::1"
KINDS = [("socks5", socks_proxy), ("http", http_proxy)]
Proxy = Callable[..., AbstractAsyncContextManager[World]]


async def _public(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while head := await reader.readuntil(b"\r\n\r\n"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(head), head))


@asynccontextmanager
async def through(
    upstream: str, rules: HostRules | None = None
) -> AsyncGenerator[tuple[Client, Nameserver, EgressProxy]]:
    async with nameserver() as names:
        egress = EgressProxy(rules or HostRules(), OwnPorts(), DnsResolver(names.address), Upstream.of(upstream))
        await egress.start()
        async with connected(egress.port) as client:
            yield client, names, egress
        await egress.close()


@pytest.mark.parametrize(("kind", "proxy"), KINDS)
@pytest.mark.parametrize("address", [PUBLIC, PUBLIC_6])
async def test_it_is_asked_for_the_address_and_the_server_for_the_name(kind: str, proxy: Proxy, address: str) -> None:
    async with (
        proxy() as world,
        answering(_public) as port,
        through(f"{kind}://127.0.0.1:{world.port}") as (client, names, _),
    ):
        names.set("fine.example", [address])
        world.lead(address, port)
        for _ in range(2):
            assert b"Host: fine.example\r\n" in (await client.get("http://fine.example/")).body
        assert (await client.connect("fine.example:443")).status == 200
        assert world.asked == [(address, 80), (address, 443)]


@pytest.mark.parametrize(("kind", "proxy"), KINDS)
async def test_what_is_forbidden_is_not_even_asked_for(kind: str, proxy: Proxy) -> None:
    async with proxy() as world, through(f"{kind}://127.0.0.1:{world.port}") as (client, names, _):
        names.set("inside.example", ["10.0.0.1"])
        names.set("mixed.example", [PUBLIC, "127.0.0.1"])
        for host in ("inside.example", "mixed.example", "10.0.0.1", "localhost", "169.254.169.254", "[::1]"):
            assert (await client.get(f"http://{host}/")).status == 403
        assert world.asked == []


@pytest.mark.parametrize(("kind", "proxy"), KINDS)
async def test_it_may_want_a_name_and_a_word(kind: str, proxy: Proxy) -> None:
    async with proxy(login=("me", "p@ss word")) as world, answering(_public) as port:
        world.lead(PUBLIC, port)
        for login, status in (("me:p%40ss%20word@", 200), ("me:wrong@", 502), ("", 502)):
            async with through(f"{kind}://{login}127.0.0.1:{world.port}") as (client, _, egress):
                reply = await client.get(f"http://{PUBLIC}/")
                assert reply.status == status
                assert [failed.kind for failed in egress.failures] == ([] if status == 200 else ["credentials"])


async def test_what_it_cannot_reach_is_told_apart() -> None:
    async with socks_proxy() as world, through(f"socks5://127.0.0.1:{world.port}") as (client, _, _):
        assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == "refused"
    for status, kind in (("504 Late", "timeout"), ("502 Gone", "unreachable"), ("403 No", "upstream")):
        async with http_proxy(status=status) as world, through(f"http://127.0.0.1:{world.port}") as (client, _, _):
            assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == kind


@pytest.mark.parametrize("kind", ["socks5", "http"])
async def test_a_dead_one_is_told_apart(kind: str, unused_port: int) -> None:
    async with through(f"{kind}://127.0.0.1:{unused_port}") as (client, _, _):
        assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == "upstream"


@pytest.mark.parametrize("kind", ["socks5", "http"])
async def test_one_that_talks_nonsense_or_nothing_is_not_waited_for(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialer, "CONNECT_TIMEOUT", 0.5)

    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"220 smtp.example ESMTP\r\n\r\n")

    async def nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    for handler, failure in ((nonsense, "upstream"), (nothing, "timeout")):
        async with answering(handler) as port, through(f"{kind}://127.0.0.1:{port}") as (client, _, _):
            start = time.monotonic()
            assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == failure
            assert time.monotonic() - start < 4


async def test_this_machine_is_reached_directly() -> None:
    async with socks_proxy() as world, answering(_public) as port:
        rules = HostRules.of(allow_hosts=[f"127.0.0.1:{port}", f"localhost:{port}"])
        async with through(f"socks5://127.0.0.1:{world.port}", rules) as (client, _, _):
            for host in ("127.0.0.1", "localhost"):
                assert (await client.get(f"http://{host}:{port}/")).status == 200
        assert world.asked == [], "its loopback is not ours"


@pytest.mark.parametrize(
    ("url", "kind", "endpoint", "login"),
    [
        ("http://proxy.example:3128", "http", Endpoint("proxy.example", 3128), ("", "")),
        ("http://proxy.example", "http", Endpoint("proxy.example", 80), ("", "")),
        ("socks5://10.0.0.1", "socks5", Endpoint("10.0.0.1", 1080), ("", "")),
        ("socks5://a:b%3A@[::1]:9050/", "socks5", Endpoint("::1", 9050), ("a", "b:")),
    ],
)
def test_its_address_is_read(url: str, kind: str, endpoint: Endpoint, login: tuple[str, str]) -> None:
    upstream = Upstream.of(url)
    assert (upstream.kind, upstream.endpoint) == (kind, endpoint)
    assert (upstream.username, upstream.password) == login
    assert "b:" not in repr(upstream)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "proxy:3128",
        "https://proxy.example",
        "socks4://x:1",
        "http://x/path",
        "http://x?y",
        "socks5://",
        "http://x:0",
    ],
)
def test_an_address_that_cannot_be_read_is_an_error(url: Any) -> None:
    with pytest.raises(InvalidSettings):
        Upstream.of(url)
