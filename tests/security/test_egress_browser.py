"""G1: A page that fires every kind of request we know of at a canary, in a real browser behind the proxy."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import time
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.listening import Canary, answering, canary
from tests.nameserver import Nameserver, nameserver
from tests.proxies import World, socks_proxy

from rove.chromium.process.discovery import find
from rove.chromium.process.launch_arguments import decide_sandbox, launch_arguments
from rove.chromium.protocol.connection import CdpConnection, CdpSession
from rove.chromium.protocol.pipe import PipeTransport
from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.hosts.resolver import DnsResolver
from rove.guard.proxy.egress import EgressProxy
from rove.guard.proxy.upstream import Upstream

EVERYTHING = (Path(__file__).parent / "pages" / "every_request.html").read_text(encoding="utf-8")
PUBLIC = "93.184.216.34"
# For whatever has no context of its own: the browser's own chatter. Nobody listens there.
NOWHERE = "http://127.0.0.1:9"
TRYING = [
    "--autoplay-policy=no-user-gesture-required",
    # Everything that may one day be on for everyone.
    "--enable-experimental-web-platform-features",
]
# Long enough for a beacon that a page leaves behind, on a machine that is busy.
QUIET = 1.5
PATIENCE = 60.0
NAME_SERVER = "127.0.0.153"

# Pages beside the main one; TARGET is where they aim.
ASIDES = {
    "/worker.js": """
        const name = new URL(location).searchParams.get("name"), no = () => {};
        fetch("TARGET/" + name + "-fetch", { mode: "no-cors" }).catch(no);
        try { new WebSocket("SOCKET/" + name + "-websocket"); } catch { }
        try { const x = new XMLHttpRequest(); x.open("GET", "TARGET/" + name + "-xhr"); x.send(); } catch { }
        try { new EventSource("TARGET/" + name + "-event-source"); } catch { }
        import("TARGET/" + name + "-import").catch(no);
        try { importScripts("TARGET/" + name + "-import-scripts"); } catch { }
    """,
    "/service.js": """
        try { importScripts("TARGET/service-import-scripts"); } catch { }
        oninstall = event => event.waitUntil(fetch("TARGET/service-fetch", { mode: "no-cors" }).catch(() => {}));
    """,
    "/reporting": "<!doctype html><img src=/blank.svg><script>eval('1')</script>",
    "/styled.xml": '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="TARGET/xml-css"?><a/>',
    "/blank.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
}
KINDS = {".js": "text/javascript", ".xml": "application/xml", ".svg": "image/svg+xml"}

# What other kinds of guard are known to miss.
SLIPPERY = {
    "beacon", "csp-report", "css-import", "fetch-keepalive", "fetch-later", "font", "link-header", "meta-refresh",
    "ping", "popup-noopener", "prefetch", "redirected-fetch", "redirected-iframe", "service-fetch",
    "service-import-scripts", "shared-worker-fetch", "top-level", "track", "unload-beacon", "unload-keepalive",
    "websocket", "worker-websocket",
}  # fmt: skip


@dataclass
class Visits:
    """A web site that notes what it was asked, and answers everything."""

    target: str = ""
    paths: list[str] = field(default_factory=list)
    latest: float = 0.0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            self.latest = time.monotonic()
            method, url, *_ = head.decode("latin-1").split(" ")
            length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            self.paths.append(urlsplit(url).path)
            headers, body = self._answer(url)
            lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
            status = "302 Found" if "Location" in headers else "200 OK"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{''.join(lines)}\r\n".encode())
            writer.write(b"" if method == "HEAD" else body)

    def _answer(self, url: str) -> tuple[dict[str, str], bytes]:
        parts = urlsplit(url)
        if parts.path == "/redirect":
            return {"Location": unquote(parse_qs(parts.query)["to"][0])}, b""
        headers = {"Content-Type": KINDS.get(Path(parts.path).suffix, "text/html"), "Access-Control-Allow-Origin": "*"}
        headers["Access-Control-Allow-Headers"] = headers["Access-Control-Allow-Methods"] = "*"
        if parts.path == "/reporting":
            headers["Content-Security-Policy"] = f"default-src 'none'; report-uri {self.target}/csp-report"
        if parts.path == "/":
            headers["Link"] = f"<{self.target}/link-header>; rel=preload; as=image"
            headers["Reporting-Endpoints"] = f'default="{self.target}/reporting-endpoint"'
        page = EVERYTHING if parts.path == "/" else ASIDES.get(parts.path, "")
        return headers, page.replace("TARGET", self.target).replace(
            "SOCKET", self.target.replace("http", "ws")
        ).encode()


@dataclass
class Stage:
    """A site that may be reached, a canary that may not, and a browser that knows only the proxy."""

    site: Visits
    port: int
    bird: Canary
    names: Nameserver
    world: World
    egress: EgressProxy
    browser: CdpConnection
    sites: list[Visits]

    async def fire_at(self, target: str) -> None:
        """Open the page, let it do what it does, leave it for the target itself, and wait for silence."""
        self.site.target = target
        page = await tab(self.browser, self.egress.port)
        loaded = asyncio.Event()
        page.on("Page.loadEventFired", lambda _: loaded.set())
        await page.send("Page.navigate", {"url": f"http://localhost:{self.port}/"})
        await asyncio.wait_for(loaded.wait(), PATIENCE)
        await silence(self)
        await page.send("Page.navigate", {"url": f"{target}/top-level"})
        await silence(self)
        await page.send("Page.navigate", {"url": "about:blank"})
        await silence(self)


async def tab(browser: CdpConnection, proxy: int) -> CdpSession:
    """A page in a context of its own, with a proxy of its own."""
    context = await browser.root.send(
        "Target.createBrowserContext",
        {"proxyServer": f"http://127.0.0.1:{proxy}", "proxyBypassList": "<-loopback>", "disposeOnDetach": True},
    )
    target = await browser.root.send(
        "Target.createTarget", {"url": "about:blank", "browserContextId": context["browserContextId"]}
    )
    attached = await browser.root.send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
    page = browser.cdp_session(attached["sessionId"])
    await page.send("Page.enable")
    return page


async def silence(stage: Stage) -> None:
    """Until nothing has been asked of a site, and nothing refused, for a while."""

    def latest() -> float:
        logged = [log[-1].at for log in (stage.egress.refusals, stage.egress.failures) if log]
        return max(*(site.latest for site in stage.sites), *logged, 0.0)

    await eventually(lambda: time.monotonic() - latest() > QUIET)


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.05)


@asynccontextmanager
async def started(profile: Path, *wrapper: str) -> AsyncGenerator[CdpConnection]:
    """A browser for which there is no way round a proxy; it speaks through a pipe and ends with it."""
    found = find(None, headless=True)
    assert found is not None
    flags = [*launch_arguments(profile, True, decide_sandbox("auto", found.path), NOWHERE), *TRYING]
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    moved = 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null'
    command = [*wrapper, "/bin/sh", "-c", moved, "sh", str(found.path), *flags]
    process = await asyncio.create_subprocess_exec(*command, stdin=theirs_in, stdout=theirs_out, stderr=DEVNULL)
    os.close(theirs_in)
    os.close(theirs_out)
    connection = CdpConnection(PipeTransport(ours_in, ours_out))
    await connection.open()
    try:
        yield connection
    finally:
        connection.close()
        await asyncio.wait_for(process.wait(), 30)


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[CdpConnection]:
    async with started(tmp_path_factory.mktemp("profile")) as connection:
        yield connection


@pytest.fixture
async def stage(browser: CdpConnection) -> AsyncGenerator[Stage]:
    async with AsyncExitStack() as stack:
        site = Visits()
        port = await stack.enter_async_context(answering(site.handle))
        bird = await stack.enter_async_context(canary())
        names = await stack.enter_async_context(nameserver())
        world = await stack.enter_async_context(socks_proxy())
        rules = HostRules.of(allow_hosts=[f"localhost:{port}"])
        upstream = Upstream.of(f"socks5://127.0.0.1:{world.port}")
        egress = EgressProxy(rules, OwnPorts(), DnsResolver(names.address), upstream)
        await egress.start()
        yield Stage(site, port, bird, names, world, egress, browser, [site])
        await egress.close()


# Two ways to the canary in every run, the others when there is time.
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "inside.example",
        *(pytest.param(host, marks=pytest.mark.slow) for host in ("localhost", "[::1]", "mixed.example")),
    ],
)
async def test_no_kind_of_request_reaches_the_canary(stage: Stage, host: str) -> None:
    stage.names.set("inside.example", ["127.0.0.1"])
    stage.names.set("mixed.example", [PUBLIC], [PUBLIC, "127.0.0.1"], ["::1"])
    await stage.fire_at(f"http://{host}:{stage.bird.port}")
    assert stage.bird.calls == []
    assert "/redirect" in stage.site.paths, "the page itself was reached"
    assert {port for _, port in stage.world.asked} <= {stage.bird.port}
    refused = {each.refusal.host for each in stage.egress.refusals}
    assert host.strip("[]") in refused


async def test_the_same_requests_do_arrive_where_they_are_allowed(stage: Stage) -> None:
    """What makes the test above mean something: all these kinds are fired, and only the rules keep them back."""
    there = Visits()
    stage.sites.append(there)
    async with answering(there.handle) as port:
        stage.egress.rules = HostRules.of(allow_hosts=[f"localhost:{stage.port}", f"127.0.0.1:{port}"])
        await stage.fire_at(f"http://127.0.0.1:{port}")
    kinds = {path.strip("/") for path in there.paths}
    assert kinds >= SLIPPERY
    assert len(kinds) >= 90, sorted(kinds)


async def status_of(stage: Stage, egress: EgressProxy) -> int:
    """What a page of that session is answered."""
    page = await tab(stage.browser, egress.port)
    statuses: list[int] = []
    page.on("Network.responseReceived", lambda event: statuses.append(event["response"]["status"]))
    await page.send("Network.enable")
    await page.send("Page.navigate", {"url": f"http://localhost:{stage.port}/blank.svg"})
    await eventually(lambda: bool(statuses))
    return statuses[0]


async def test_two_sessions_have_rules_of_their_own(stage: Stage) -> None:
    other = EgressProxy(HostRules.of(only_hosts=[]), OwnPorts())
    await other.start()
    try:
        assert await status_of(stage, stage.egress) == 200
        assert await status_of(stage, other) == 403
    finally:
        await other.close()


def may_replace_the_name_server() -> bool:
    """Whether a process can be given a resolv.conf of its own, and we the port that it will ask."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((NAME_SERVER, 53))
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not may_replace_the_name_server(), reason="needs a mount namespace and port 53")
async def test_the_browser_asks_no_name_server_itself(stage: Stage, tmp_path: Path) -> None:
    """A question to a name server is a message to whoever owns the name."""
    (tmp_path / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n")
    mount = f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "$@"'
    async with nameserver(NAME_SERVER, 53) as asked:
        async with started(tmp_path / "profile", "unshare", "--mount", "sh", "-c", mount, "sh") as browser:
            stage.browser = browser
            await stage.fire_at("http://leak.example:3478")
        assert asked.questions == []
    assert "leak.example" in stage.names.questions, "the proxy is the one who asks"
