"""G1: An upstream proxy is asked only for addresses that were checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from tests.client import Client, connected
from tests.loopback_servers import answering
from tests.nameserver import Nameserver, nameserver
from tests.proxies import UpstreamProxy, http_proxy, socks_proxy

from rove.errors import InvalidSettings
from rove.guard.network import dialer
from rove.guard.network.addresses import OwnPorts
from rove.guard.network.dialer import DnsResolver, Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy
from rove.guard.network.urls import Endpoint

PUBLIC, PUBLIC_6 = "93.184.216.34", "2606:2800:220:1::1"
KINDS = [("socks5", socks_proxy), ("http", http_proxy)]
Proxy = Callable[..., AbstractAsyncContextManager[UpstreamProxy]]


async def _echo_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
async def test_the_upstream_proxy_gets_the_address_and_the_server_gets_the_name(
    kind: str, proxy: Proxy, address: str
) -> None:
    async with (
        proxy() as upstream_proxy,
        answering(_echo_head) as port,
        through(f"{kind}://127.0.0.1:{upstream_proxy.port}") as (client, names, _),
    ):
        names.set("fine.example", [address])
        upstream_proxy.add_route(address, port)
        for _ in range(2):
            assert b"Host: fine.example\r\n" in (await client.get("http://fine.example/")).body
        assert (await client.connect("fine.example:443")).status == 200
        assert upstream_proxy.requested == [(address, 80), (address, 443)]


@pytest.mark.parametrize(("kind", "proxy"), KINDS)
async def test_forbidden_addresses_are_not_requested_from_the_upstream_proxy(kind: str, proxy: Proxy) -> None:
    async with proxy() as upstream_proxy, through(f"{kind}://127.0.0.1:{upstream_proxy.port}") as (client, names, _):
        names.set("internal.example", ["10.0.0.1"])
        names.set("mixed.example", [PUBLIC, "127.0.0.1"])
        for host in ("internal.example", "mixed.example", "10.0.0.1", "localhost", "169.254.169.254", "[::1]"):
            assert (await client.get(f"http://{host}/")).status == 403
        assert upstream_proxy.requested == []


@pytest.mark.parametrize(("kind", "proxy"), KINDS)
async def test_the_upstream_proxy_can_require_a_username_and_password(kind: str, proxy: Proxy) -> None:
    async with proxy(login=("me", "p@ss word")) as upstream_proxy, answering(_echo_head) as port:
        upstream_proxy.add_route(PUBLIC, port)
        for login, status in (("me:p%40ss%20word@", 200), ("me:wrong@", 502), ("", 502)):
            async with through(f"{kind}://{login}127.0.0.1:{upstream_proxy.port}") as (client, _, egress):
                reply = await client.get(f"http://{PUBLIC}/")
                assert reply.status == status
                assert [failed.kind for failed in egress.failures] == ([] if status == 200 else ["credentials"])


async def test_failures_of_the_upstream_proxy_are_reported_with_their_kind() -> None:
    async with socks_proxy() as upstream_proxy, through(f"socks5://127.0.0.1:{upstream_proxy.port}") as (client, _, _):
        assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == "refused"
    for status, kind in (("504 Late", "timeout"), ("502 Gone", "unreachable"), ("403 No", "upstream")):
        async with (
            http_proxy(status=status) as upstream_proxy,
            through(f"http://127.0.0.1:{upstream_proxy.port}") as (client, _, _),
        ):
            assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == kind


@pytest.mark.parametrize("kind", ["socks5", "http"])
async def test_a_dead_upstream_proxy_is_reported_as_such(kind: str, unused_port: int) -> None:
    async with through(f"{kind}://127.0.0.1:{unused_port}") as (client, _, _):
        assert (await client.get(f"http://{PUBLIC}/")).headers["x-rove-failure"] == "upstream"


@pytest.mark.parametrize("kind", ["socks5", "http"])
async def test_an_invalid_or_silent_upstream_proxy_is_an_error_in_time(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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


async def test_this_machine_is_reached_without_the_upstream_proxy() -> None:
    async with socks_proxy() as upstream_proxy, answering(_echo_head) as port:
        rules = HostRules.of(allow_hosts=[f"127.0.0.1:{port}", f"localhost:{port}"])
        async with through(f"socks5://127.0.0.1:{upstream_proxy.port}", rules) as (client, _, _):
            for host in ("127.0.0.1", "localhost"):
                assert (await client.get(f"http://{host}:{port}/")).status == 200
        assert upstream_proxy.requested == [], "the upstream proxy's loopback address is not this machine"


@pytest.mark.parametrize(
    ("url", "kind", "endpoint", "login"),
    [
        ("http://proxy.example:3128", "http", Endpoint("proxy.example", 3128), ("", "")),
        ("http://proxy.example", "http", Endpoint("proxy.example", 80), ("", "")),
        ("socks5://10.0.0.1", "socks5", Endpoint("10.0.0.1", 1080), ("", "")),
        ("socks5://a:b%3A@[::1]:9050/", "socks5", Endpoint("::1", 9050), ("a", "b:")),
    ],
)
def test_the_address_of_an_upstream_proxy_is_parsed(
    url: str, kind: str, endpoint: Endpoint, login: tuple[str, str]
) -> None:
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
def test_an_invalid_address_of_an_upstream_proxy_is_an_error(url: Any) -> None:
    with pytest.raises(InvalidSettings):
        Upstream.of(url)
