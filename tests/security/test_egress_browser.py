"""G1: A page that sends every known kind of request to a forbidden server, in a real browser behind the proxy."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.loopback_servers import Canary, answering, canary
from tests.nameserver import Nameserver, nameserver
from tests.proxies import UpstreamProxy, socks_proxy
from tests.security.egress_browsers import TIMEOUT, DrivenBrowser, running_browser

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.dialer import DnsResolver, Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

MAIN_PAGE = (Path(__file__).parent / "pages" / "every_request.html").read_text(encoding="utf-8")
PUBLIC = "93.184.216.34"
# Long enough for a beacon that a page sends when it is left, on a busy machine.
QUIET_SECONDS = 1.5
NAME_SERVER = "127.0.0.153"

# Other resources of the site; TARGET is the server that they send requests to.
OTHER_RESOURCES = {
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
CONTENT_TYPES = {".js": "text/javascript", ".xml": "application/xml", ".svg": "image/svg+xml"}

# Kinds of requests that request interception in the browser is known to miss.
OFTEN_MISSED = {
    "beacon", "csp-report", "css-import", "fetch-keepalive", "fetch-later", "font", "link-header", "meta-refresh",
    "ping", "popup-noopener", "prefetch", "redirected-fetch", "redirected-iframe", "service-fetch",
    "service-import-scripts", "shared-worker-fetch", "top-level", "track", "unload-beacon", "unload-keepalive",
    "websocket", "worker-websocket",
}  # fmt: skip
# Kinds that a browser does not send, as it does not have them or rove has switched them off, and how many it sends.
NOT_SENT = {"chromium": frozenset[str](), "firefox": frozenset({"fetch-later", "ping", "prefetch", "worker-websocket"})}
SENT_AT_LEAST = {"chromium": 90, "firefox": 80}


@dataclass
class RecordingSite:
    """A web site that records the paths of its requests, and answers all of them."""

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
        headers = {
            "Content-Type": CONTENT_TYPES.get(Path(parts.path).suffix, "text/html"),
            "Access-Control-Allow-Origin": "*",
        }
        headers["Access-Control-Allow-Headers"] = headers["Access-Control-Allow-Methods"] = "*"
        if parts.path == "/reporting":
            headers["Content-Security-Policy"] = f"default-src 'none'; report-uri {self.target}/csp-report"
        if parts.path == "/":
            headers["Link"] = f"<{self.target}/link-header>; rel=preload; as=image"
            headers["Reporting-Endpoints"] = f'default="{self.target}/reporting-endpoint"'
        page = MAIN_PAGE if parts.path == "/" else OTHER_RESOURCES.get(parts.path, "")
        return headers, page.replace("TARGET", self.target).replace(
            "SOCKET", self.target.replace("http", "ws")
        ).encode()


@dataclass
class EgressSetup:
    """An allowed site, a forbidden server, and a browser that can use only the proxy."""

    site: RecordingSite
    port: int
    forbidden: Canary
    names: Nameserver
    upstream_proxy: UpstreamProxy
    egress: EgressProxy
    browser: DrivenBrowser
    sites: list[RecordingSite]

    async def send_requests_to(self, target: str) -> None:
        """Open the page, let it send its requests, navigate to the target itself, and wait until all is quiet."""
        self.site.target = target
        page = await self.browser.open_page(self.egress.port)
        await page.load(f"http://localhost:{self.port}/")
        await wait_until_quiet(self)
        await page.go(f"{target}/top-level")
        await wait_until_quiet(self)
        await page.go("about:blank")
        await wait_until_quiet(self)


async def wait_until_quiet(setup: EgressSetup) -> None:
    """Wait until no site has received a request, and the proxy has refused none, for a while."""

    def latest() -> float:
        logged = [log[-1].at for log in (setup.egress.refusals, setup.egress.failures) if log]
        return max(*(site.latest for site in setup.sites), *logged, 0.0)

    await eventually(lambda: time.monotonic() - latest() > QUIET_SECONDS)


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT):
        while not holds():
            await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory, engine_name: str) -> AsyncGenerator[DrivenBrowser]:
    async with running_browser(engine_name, tmp_path_factory.mktemp("profile")) as connection:
        yield connection


@pytest.fixture
async def setup(browser: DrivenBrowser) -> AsyncGenerator[EgressSetup]:
    async with AsyncExitStack() as stack:
        site = RecordingSite()
        port = await stack.enter_async_context(answering(site.handle))
        forbidden = await stack.enter_async_context(canary())
        names = await stack.enter_async_context(nameserver())
        upstream_proxy = await stack.enter_async_context(socks_proxy())
        rules = HostRules.of(allow_hosts=[f"localhost:{port}"])
        upstream = Upstream.of(f"socks5://127.0.0.1:{upstream_proxy.port}")
        egress = EgressProxy(rules, OwnPorts(), DnsResolver(names.address), upstream)
        await egress.start()
        yield EgressSetup(site, port, forbidden, names, upstream_proxy, egress, browser, [site])
        await egress.close()


# Every run tries two hosts; the others are slow tests.
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "inside.example",
        *(pytest.param(host, marks=pytest.mark.slow) for host in ("localhost", "[::1]", "mixed.example")),
    ],
)
async def test_no_kind_of_request_reaches_a_forbidden_server(setup: EgressSetup, host: str) -> None:
    setup.names.set("inside.example", ["127.0.0.1"])
    setup.names.set("mixed.example", [PUBLIC], [PUBLIC, "127.0.0.1"], ["::1"])
    await setup.send_requests_to(f"http://{host}:{setup.forbidden.port}")
    assert setup.forbidden.calls == []
    assert "/redirect" in setup.site.paths, "the page itself was reached"
    assert {port for _, port in setup.upstream_proxy.requested} <= {setup.forbidden.port}
    refused = {each.refusal.host for each in setup.egress.refusals}
    assert host.strip("[]") in refused


async def test_the_same_requests_reach_an_allowed_server(setup: EgressSetup, engine_name: str) -> None:
    """Shows that the page sends all these kinds of requests, so that the previous test is meaningful."""
    allowed_site = RecordingSite()
    setup.sites.append(allowed_site)
    async with answering(allowed_site.handle) as port:
        setup.egress.rules = HostRules.of(allow_hosts=[f"localhost:{setup.port}", f"127.0.0.1:{port}"])
        await setup.send_requests_to(f"http://127.0.0.1:{port}")
    kinds = {path.strip("/") for path in allowed_site.paths}
    assert kinds >= OFTEN_MISSED - NOT_SENT[engine_name]
    assert len(kinds) >= SENT_AT_LEAST[engine_name], sorted(kinds)


async def status_of(setup: EgressSetup, egress: EgressProxy) -> int:
    """Return the status that a page gets through this proxy."""
    page = await setup.browser.open_page(egress.port)
    return await page.status_of(f"http://localhost:{setup.port}/blank.svg")


async def test_two_proxies_have_separate_rules(setup: EgressSetup) -> None:
    other = EgressProxy(HostRules.of(only_hosts=[]), OwnPorts())
    await other.start()
    try:
        assert await status_of(setup, setup.egress) == 200
        assert await status_of(setup, other) == 403
    finally:
        await other.close()


def can_replace_the_name_server() -> bool:
    """Return whether we can give a process its own resolv.conf, and bind port 53 for its questions."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((NAME_SERVER, 53))
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_replace_the_name_server(), reason="needs a mount namespace and port 53")
async def test_the_browser_does_not_query_a_name_server_itself(
    setup: EgressSetup, tmp_path: Path, engine_name: str
) -> None:
    """A DNS query of the browser would tell the owner of the domain about the request."""
    (tmp_path / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n")
    mount = f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "$@"'
    async with nameserver(NAME_SERVER, 53) as asked:
        async with running_browser(
            engine_name, tmp_path / "profile", "unshare", "--mount", "sh", "-c", mount, "sh"
        ) as browser:
            setup.browser = browser
            await setup.send_requests_to("http://leak.example:3478")
        assert asked.questions == []
    assert "leak.example" in setup.names.questions, "the proxy resolves the name"
