"""Attaching to a browser that a person runs, which rove never closes."""

from __future__ import annotations

import asyncio
import http.client
import json
from typing import TYPE_CHECKING, Any

from rove.chromium.attached_context import AttachedContext, resume_target
from rove.chromium.browser import AUTO_ATTACH, Browser, check_version, opened
from rove.chromium.protocol.connection import CdpConnection, CdpError
from rove.errors import BrowserUnavailable, unwritable
from rove.process.leftovers import sweep_leftovers
from rove.process.run_folder import RunFolder
from rove.protocol.websocket import HandshakeFailed, WebSocketTransport
from rove.settings.debug_port import BROWSER_PATH, DebugPort

if TYPE_CHECKING:
    from pathlib import Path

    from rove.browser.context import SavedContext
    from rove.settings.tree import Settings

# Seconds in which `/json/version` has to answer; a working browser needs milliseconds.
VERSION_TIMEOUT = 5.0
MAX_VERSION_BYTES = 100_000


class AttachedProcess:
    """A folder for temporary files. Rove knows nothing of the process of an attached browser."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    @property
    def scratch(self) -> Path:
        return self._folder.path

    @property
    def is_running(self) -> bool:
        return True  # the connection tells whether the browser is alive

    @property
    def process_group(self) -> None:
        return None

    def wait(self) -> None:
        """Return at once: rove does not end the process of an attached browser."""

    def release(self) -> None:
        self._folder.close()


class AttachedBrowser(Browser):
    """A browser that a person runs. Rove disconnects from it and never closes it."""

    def __init__(self, process: AttachedProcess, connection: CdpConnection, version: str, own: str) -> None:
        super().__init__(process, connection, version)
        self._default_id = own
        self._default_context: AttachedContext | None = None
        root = connection.root
        for event in ("Target.targetCreated", "Target.targetInfoChanged"):
            root.on(event, self._on_target)
        root.on("Target.targetDestroyed", self._on_destroyed)

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> AttachedContext:
        """Open the context that the person works in; its requests do not go through rove's proxy."""
        context = AttachedContext(self._connection, self._default_id, settings, self._process.scratch)
        self._default_context = self._contexts[self._default_id] = context
        context.on_closed = self._forget_default_context
        return await opened(context, saved)

    async def close(self) -> None:
        """Close the pages that rove opened, and disconnect."""
        await asyncio.gather(*(context.close() for context in list(self._contexts.values())))
        await self.kill()

    def _forget_default_context(self) -> None:
        self._default_context = None
        self._contexts.pop(self._default_id, None)

    def _on_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target.get("browserContextId") in self._contexts.keys() - {self._default_id}:
            super()._on_attached(event)
        elif self._default_context is not None and self._default_context.is_attaching(target["targetId"]):
            return  # the context sets it up itself
        elif (
            self._default_context is not None
            and target["type"] == "page"
            and target.get("browserContextId") == self._default_id
        ):
            self._default_context.on_page_attached(self._connection.cdp_session(event["sessionId"]), target)
        else:
            self._tasks.start(resume_target(self._connection.cdp_session(event["sessionId"])))

    def _on_target(self, event: dict[str, Any]) -> None:
        if self._default_context is not None:
            self._default_context.update_page(event["targetInfo"])

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        if self._default_context is not None:
            self._default_context.forget_page(event["targetId"])


async def attach(settings: Settings) -> AttachedBrowser:
    """Connect to the browser that the settings name; if that fails, remove the temporary files."""
    assert settings.attach is not None
    port = DebugPort.of(settings.attach)
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            if not port.path:
                port = await asyncio.to_thread(_find_socket, port)
            return await _connect(settings, port)
    except (OSError, TimeoutError, CdpError, HandshakeFailed, ValueError, http.client.HTTPException) as error:
        raise BrowserUnavailable(
            f"No browser can be attached to at {settings.attach}: {_reason(error)}.", hint=_hint(port)
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return "it does not answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__


def _hint(port: DebugPort) -> str:
    if port.path == BROWSER_PATH:
        return (
            "If it is Chrome with remote debugging switched on in chrome://inspect, its window asks its user: allow "
            "it there, then call again."
        )
    return (
        f"Start one with `chromium --remote-debugging-port={port.port} --user-data-dir=FOLDER`, then call again. "
        "FOLDER is a profile of its own: browsers open no such port on their default one. In Chrome 144 and newer, "
        "remote debugging can be switched on in chrome://inspect instead."
    )


def _find_socket(port: DebugPort) -> DebugPort:
    """Return the port with the path of the browser's WebSocket, which changes whenever it is started.

    Chrome 144 and newer, enabled in chrome://inspect, answers 404 and uses a path without an id.
    """
    connection = http.client.HTTPConnection(port.host, port.port, timeout=VERSION_TIMEOUT)
    try:
        connection.request("GET", "/json/version")
        answer = connection.getresponse()
        if answer.status == http.client.NOT_FOUND:
            return port.without_id()
        version = json.loads(answer.read(MAX_VERSION_BYTES)) if answer.status == http.client.OK else None
    finally:
        connection.close()
    if not isinstance(version, dict):
        raise ValueError("what listens there is no browser")
    return port.at(str(version.get("webSocketDebuggerUrl")))


async def _connect(settings: Settings, port: DebugPort) -> AttachedBrowser:
    runs = settings.home_folder / "run"
    await sweep_leftovers(runs)
    try:
        process = AttachedProcess(await asyncio.to_thread(RunFolder.create, runs, has_browser=False))
    except OSError as error:
        raise unwritable(settings.home_folder, error) from error
    connection = CdpConnection(WebSocketTransport(port))
    try:
        return await _open_browser(process, connection, str(port))
    except BaseException:
        connection.close()
        await asyncio.to_thread(process.release)
        raise


async def _open_browser(process: AttachedProcess, connection: CdpConnection, where: str) -> AttachedBrowser:
    await connection.open()
    root = connection.root
    version = await root.send("Browser.getVersion")
    check_version(where, version["product"])
    contexts = await root.send("Target.getBrowserContexts")
    if "defaultBrowserContextId" not in contexts:
        raise CdpError("it does not report its default context, as newer versions of Chromium do")
    browser = AttachedBrowser(process, connection, version["product"], contexts["defaultBrowserContextId"])
    await root.send("Target.setDiscoverTargets", {"discover": True, "filter": [{"type": "page"}]})
    await root.send("Target.setAutoAttach", AUTO_ATTACH)
    return browser
