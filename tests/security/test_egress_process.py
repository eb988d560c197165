"""G1: The proxy runs in a process of its own, serves the browser and rove alone, and fails closed when it is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.client import Client, connected
from tests.loopback_servers import answering
from tests.nameserver import nameserver
from tests.processes import eventually
from tests.proxies import socks_proxy
from tests.site import Site

from rove import Session
from rove.engine.network_access import EgressSettings, NetworkAccess
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.guard.network.dialer import Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy_messages import rules_from_json, rules_to_json, upstream_from_json, upstream_to_json
from rove.guard.network.refusal import RefusalReason
from rove.settings.tree import Deadlines, Settings

# A program that is neither rove nor its browser. It prints what the proxy at the given port sends it.
STRANGER = """
import socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
try:
    client.sendall(b"GET http://10.0.0.1/ HTTP/1.1\\r\\nHost: 10.0.0.1\\r\\n\\r\\n")
    print(len(client.recv(1000)))
except ConnectionError:
    print(0)
"""


@pytest.fixture
async def egress(tmp_path: Path) -> AsyncGenerator[EgressSettings]:
    settings = EgressSettings(Settings(home=tmp_path))
    yield settings
    settings.close()


async def opened(network: NetworkAccess) -> int:
    """Open the proxy of a session, and return its port."""
    url, ready = network.open()
    await ready
    return int(url.rpartition(":")[2])


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.readuntil(b"\r\n\r\n"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def kill(egress: EgressSettings) -> int:
    pid = egress.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


async def test_a_new_rule_holds_when_it_is_confirmed_and_only_for_its_session(egress: EgressSettings) -> None:
    one, other = egress.for_session(), egress.for_session()
    async with answering(ok) as port:
        url = f"http://127.0.0.1:{port}/"
        async with connected(await opened(one)) as client, connected(await opened(other)) as second:
            assert (await client.get(url)).status == 403
            one.allow_host(f"127.0.0.1:{port}")
            await one.applied()
            assert (await client.get(url)).body == b"ok"
            assert (await second.get(url)).headers["x-rove-refused"] == "loopback"
    for network in (one, other):
        await network.close()


async def test_ports_that_rove_uses_are_refused_in_the_process_too(egress: EgressSettings) -> None:
    network = egress.for_session()
    network.allow_host("127.0.0.1")
    proxy_port = await opened(network)
    async with answering(ok) as port, connected(proxy_port) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).body == b"ok"
        egress.own.add("127.0.0.1", port)
        network.allow_host("localhost")
        await network.applied()
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await client.reader.readexactly(1)  # it was connected to a port that is rove's own now
        for _ in range(2):
            async with connected(proxy_port) as after:
                for own in (port, proxy_port):
                    assert (await after.get(f"http://localhost:{own}/")).headers["x-rove-refused"] == "own-port"
            kill(egress)
    await network.close()


async def test_a_refusal_is_known_to_the_engine_before_the_client_is_answered(egress: EgressSettings) -> None:
    network = egress.for_session()
    seen: list[RefusalReason] = []
    network.on_refused = lambda refusal: seen.append(refusal.reason)
    async with connected(await opened(network)) as client:
        for number in range(50):
            await client.get(f"http://10.0.0.{number}/")
            with pytest.raises(Denied):
                network.raise_failure(f"http://10.0.0.{number}/", 0.0)
            assert len(network.refusals_since(0.0)) == number + 1
    assert seen == [RefusalReason.PRIVATE] * 50
    await network.close()


async def test_a_killed_process_is_replaced_on_the_same_port_with_the_same_rules(egress: EgressSettings) -> None:
    network = egress.for_session()
    async with answering(ok) as port:
        proxy_port = await opened(network)
        network.allow_host(f"127.0.0.1:{port}")
        await network.applied()
        for _ in range(2):
            async with connected(proxy_port) as client:
                assert (await client.get(f"http://127.0.0.1:{port}/")).body == b"ok"
                killed = kill(egress)
                with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                    await client.reader.readexactly(1)
            # Connections wait meanwhile: none is refused, and none goes another way.
            clients = [Client(*await asyncio.open_connection("127.0.0.1", proxy_port)) for _ in range(5)]
            for client in clients:
                assert (await client.get("http://10.0.0.1/")).status == 403
                assert (await client.get(f"http://127.0.0.1:{port}/")).body == b"ok"
                client.writer.close()
            assert egress.process.pid != killed
    await network.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", proxy_port))


async def test_a_rule_that_was_not_confirmed_when_the_process_was_killed_is_applied_by_the_next(
    egress: EgressSettings,
) -> None:
    network = egress.for_session()
    async with answering(ok) as port:
        proxy_port = await opened(network)
        assert egress.process.pid is not None
        os.kill(egress.process.pid, signal.SIGSTOP)
        network.allow_host(f"127.0.0.1:{port}")
        applied = asyncio.ensure_future(network.applied())
        await asyncio.sleep(0)
        kill(egress)
        await applied
        async with connected(proxy_port) as client:
            assert (await client.get(f"http://127.0.0.1:{port}/")).body == b"ok"
    await network.close()


def test_the_process_ends_with_the_engine(tmp_path: Path) -> None:
    program = f"""
import asyncio
from pathlib import Path
from rove.engine.network_access import EgressSettings
from rove.settings.tree import Settings
async def main():
    egress = EgressSettings(Settings(home=Path({str(tmp_path)!r})))
    _, ready = egress.for_session().open()
    await ready
    print(egress.process.pid, flush=True)
    await asyncio.sleep(100)
asyncio.run(main())
"""
    engine = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert engine.stdout is not None
    proxy = int(engine.stdout.readline())
    assert Path(f"/proc/{proxy}").exists()
    engine.kill()
    engine.wait()
    assert eventually(lambda: not Path(f"/proc/{proxy}").exists(), 5)


async def test_the_environment_of_the_process_holds_no_secrets(
    egress: EgressSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret")
    await opened(egress.for_session())
    environment = Path(f"/proc/{egress.process.pid}/environ").read_bytes()
    assert b"very-secret" not in environment
    assert b"very-secret" not in Path(f"/proc/{egress.process.pid}/cmdline").read_bytes()


async def test_the_name_server_and_the_upstream_proxy_of_the_settings_are_used(tmp_path: Path) -> None:
    public = "93.184.216.34"
    async with nameserver() as names, socks_proxy() as upstream, answering(ok) as port:
        names.set("fine.example", [public])
        names.set("evil.example", [public, "10.0.0.1"])
        upstream.add_route(public, port)
        dns, proxy = f"127.0.0.1:{names.address[1]}", f"socks5://127.0.0.1:{upstream.port}"
        egress = EgressSettings(Settings(home=tmp_path, dns=dns, proxy=proxy))
        network = egress.for_session()
        async with connected(await opened(network)) as client:
            assert (await client.get(f"http://fine.example:{port}/")).body == b"ok"
            assert (await client.get(f"http://evil.example:{port}/")).headers["x-rove-refused"] == "private"
        assert {address for address, _ in upstream.requested} == {public}
        with pytest.raises(Denied):
            network.refuse_url(f"http://127.0.0.1:{upstream.port}/")
        await network.close()
        egress.close()


def test_rules_and_the_upstream_proxy_arrive_as_they_were_sent() -> None:
    rules = HostRules.of(
        ["*.corp.example", "10.0.0.0/8", "[::1]:8080"], ["a.example:443"], ["evil.example", "fd00::/8"]
    )
    for each in (rules, HostRules(), HostRules.of([], [])):
        assert rules_from_json(rules_to_json(each)) == each
    upstream = Upstream.of("socks5://me:p%40ss@proxy.example:1080")
    assert upstream_from_json(upstream_to_json(upstream)) == upstream
    assert upstream_from_json(upstream_to_json(None)) is None


async def test_another_program_is_disconnected_unread_and_the_browser_is_served(home: Path, site: Site) -> None:
    site.page("/", "<h1>Served</h1>")
    deadlines = Deadlines(action=30, launch=60)
    settings = Settings(home=home / "owners", allow_host=(f"127.0.0.1:{site.port}",), deadlines=deadlines)
    async with Sessions(settings) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.url("/"))
        port = sessions.session(None).network.open()[0].rpartition(":")[2]
        command = [sys.executable, "-c", STRANGER, port]
        answered = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        assert answered.stdout.strip() == "0", "not a byte of an answer"
        assert sessions.session(None).network.refusals_since(0.0) == []
        # Neither a new network service nor a new proxy locks the browser out.
        pid = sessions._egress_settings.process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await session.navigate(site.url("/?again"))
        _kill_network_service()
        await session.navigate(site.url("/?third"))


def _kill_network_service() -> None:
    for pid in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if b"network.mojom.NetworkService" in command and _is_descendant(parent):
            os.kill(pid, signal.SIGKILL)


def _is_descendant(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid == os.getpid()
