"""Browsers of each engine that can use only a proxy, driven without rove's tabs: just pages that load addresses."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from rove.browser.chromium.connection import CdpConnection, CdpSession, PipeTransport
from rove.browser.chromium.discovery import find
from rove.browser.chromium.launch import decide_sandbox, launch_arguments
from rove.browser.firefox.connection import MAX_MESSAGE_BYTES, BidiConnection, BidiError, PageChannel
from rove.browser.firefox.install import find as find_firefox
from rove.browser.firefox.launch import ANNOUNCEMENT, preferences, user_js
from rove.browser.shared.websocket import WebSocketTransport
from rove.settings.debug_port import DebugPort

TIMEOUT = 60.0
# The proxy for requests of the browser itself, outside of any context. No server listens there.
UNUSED_PROXY = "http://127.0.0.1:9"
EXTRA_FLAGS = [
    "--autoplay-policy=no-user-gesture-required",
    # Features that are not enabled by default yet.
    "--enable-experimental-web-platform-features",
]


class DrivenPage(Protocol):
    """A page in a context of its own."""

    async def load(self, url: str) -> None:
        """Load an address, and wait until it is loaded."""

    async def go(self, url: str) -> None:
        """Begin to load an address."""

    async def status_of(self, url: str) -> int:
        """Return the status that the page gets for an address."""
        ...


class DrivenBrowser(Protocol):
    """A running browser."""

    async def open_page(self, proxy: int) -> DrivenPage:
        """Open a page in a new context with the proxy at this port."""
        ...


class ChromiumPage:
    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp

    async def load(self, url: str) -> None:
        loaded = asyncio.Event()
        self._cdp.on("Page.loadEventFired", lambda _: loaded.set())
        await self.go(url)
        await asyncio.wait_for(loaded.wait(), TIMEOUT)

    async def go(self, url: str) -> None:
        await self._cdp.send("Page.navigate", {"url": url})

    async def status_of(self, url: str) -> int:
        status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._cdp.on("Network.responseReceived", lambda event: _set(status, event["response"]["status"]))
        await self._cdp.send("Network.enable")
        await self.go(url)
        return await asyncio.wait_for(status, TIMEOUT)


class DrivenChromium:
    def __init__(self, connection: CdpConnection) -> None:
        self._root = connection.root
        self._connection = connection

    async def open_page(self, proxy: int) -> ChromiumPage:
        context = await self._root.send(
            "Target.createBrowserContext",
            {"proxyServer": f"http://127.0.0.1:{proxy}", "proxyBypassList": "<-loopback>", "disposeOnDetach": True},
        )
        blank = {"url": "about:blank", "browserContextId": context["browserContextId"]}
        target = await self._root.send("Target.createTarget", blank)
        attached = await self._root.send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        page = self._connection.cdp_session(attached["sessionId"])
        await page.send("Page.enable")
        return ChromiumPage(page)


class FirefoxPage:
    def __init__(self, channel: PageChannel) -> None:
        self._channel = channel

    async def load(self, url: str) -> None:
        # The load event of this page may never come, as some of what it asks for is never answered.
        await self._channel.send("browsingContext.navigate", {"url": url, "wait": "interactive"}, timeout=TIMEOUT)

    async def go(self, url: str) -> None:
        with contextlib.suppress(BidiError):  # an address that is refused
            await self._channel.send("browsingContext.navigate", {"url": url, "wait": "none"})

    async def status_of(self, url: str) -> int:
        status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._channel.on("network.responseStarted", lambda event: _set(status, event["response"]["status"]))
        await self.go(url)
        return await asyncio.wait_for(status, TIMEOUT)


class DrivenFirefox:
    def __init__(self, connection: BidiConnection) -> None:
        self._connection = connection

    async def open_page(self, proxy: int) -> FirefoxPage:
        manual = {"proxyType": "manual", "httpProxy": f"127.0.0.1:{proxy}"}
        context = (await self._connection.send("browser.createUserContext", {"proxy": manual}))["userContext"]
        params = {"type": "window", "userContext": context}
        return FirefoxPage(
            self._connection.page((await self._connection.send("browsingContext.create", params))["context"])
        )


def _set(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


@asynccontextmanager
async def running_browser(engine: str, profile: Path, *wrapper: str) -> AsyncGenerator[DrivenBrowser]:
    """Run a browser that cannot bypass the proxy."""
    run = _running_firefox if engine == "firefox" else _running_chromium
    async with run(profile, *wrapper) as browser:
        yield browser


@asynccontextmanager
async def _running_chromium(profile: Path, *wrapper: str) -> AsyncGenerator[DrivenBrowser]:
    """Run a Chromium. It is controlled through a pipe, and ends when the pipe closes."""
    found = find(None, headless=True)
    assert found is not None
    flags = [*launch_arguments(profile, True, decide_sandbox("auto", found.path), UNUSED_PROXY), *EXTRA_FLAGS]
    browser_input, our_output = os.pipe()
    our_input, browser_output = os.pipe()
    redirect_pipes = 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null'
    command = [*wrapper, "/bin/sh", "-c", redirect_pipes, "sh", str(found.path), *flags]
    process = await asyncio.create_subprocess_exec(*command, stdin=browser_input, stdout=browser_output, stderr=DEVNULL)
    os.close(browser_input)
    os.close(browser_output)
    connection = CdpConnection(PipeTransport(our_input, our_output))
    await connection.open()
    try:
        yield DrivenChromium(connection)
    finally:
        connection.close()
        await asyncio.wait_for(process.wait(), 30)


@asynccontextmanager
async def _running_firefox(profile: Path, *wrapper: str) -> AsyncGenerator[DrivenBrowser]:
    found = find_firefox(None, profile)
    assert found is not None
    profile.mkdir(exist_ok=True)
    (profile / "user.js").write_text(user_js(preferences("127.0.0.1", 9)))
    flags = ["--headless", "--no-remote", "--new-instance", "--profile", str(profile), "--remote-debugging-port=0"]
    process = await asyncio.create_subprocess_exec(
        *wrapper, str(found.path), *flags, stdout=DEVNULL, stderr=PIPE, start_new_session=True
    )
    try:
        connection = await asyncio.wait_for(_connected(process), TIMEOUT)
        yield DrivenFirefox(connection)
        connection.close()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _connected(process: asyncio.subprocess.Process) -> BidiConnection:
    assert process.stderr is not None
    while (match := ANNOUNCEMENT.search((await process.stderr.readline()).decode().strip())) is None:
        pass
    port = DebugPort("127.0.0.1", int(match[1]), "/session")
    connection = BidiConnection(WebSocketTransport(port, MAX_MESSAGE_BYTES))
    await connection.open()
    await connection.send("session.new", {"capabilities": {}})
    await connection.subscribe("browsingContext", "network")
    return connection
