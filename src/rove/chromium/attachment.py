"""Attaching to a browser that a person runs themselves: nothing of it is ours to end."""

from __future__ import annotations

import asyncio
import http.client
import json
from typing import TYPE_CHECKING, Any

from rove.chromium.attached_context import AttachedContext, resume_target
from rove.chromium.browser import AUTO_ATTACH, Browser, check_version
from rove.chromium.process.run_folder import RunFolder, sweep
from rove.chromium.protocol.connection import CdpConnection, CdpError
from rove.chromium.protocol.websocket import WebSocketTransport
from rove.debugport import DebugPort
from rove.errors import BrowserUnavailable, unwritable

if TYPE_CHECKING:
    from pathlib import Path

    from rove.browser.context import SavedContext
    from rove.settings import Settings

# A browser that works answers at once.
VERSION_TIMEOUT = 5.0
MAX_VERSION_BYTES = 100_000


class AttachedProcess:
    """A folder for what is temporary, and no process: which one it is, and what it holds, is not our business."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    @property
    def scratch(self) -> Path:
        return self._folder.path

    @property
    def is_running(self) -> bool:
        return True  # as long as the line to it is open

    @property
    def process_group(self) -> None:
        return None

    def release(self) -> None:
        self._folder.close()


class AttachedBrowser(Browser):
    """Somebody's own browser. It is left, never closed."""

    def __init__(self, process: AttachedProcess, connection: CdpConnection, version: str, own: str) -> None:
        super().__init__(process, connection, version)
        self._default_id = own
        self._attached_context: AttachedContext | None = None
        root = connection.root
        for event in ("Target.targetCreated", "Target.targetInfoChanged"):
            root.on(event, self._on_target)
        root.on("Target.targetDestroyed", self._on_destroyed)

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> AttachedContext:
        """The one that the person works in, through no proxy of ours."""
        attached_context = AttachedContext(self._connection, self._default_id, settings, self._process.scratch)
        self._attached_context = self._contexts[self._default_id] = attached_context
        attached_context.on_closed = self._forget_default_context
        try:
            await attached_context.open(saved)
        except BaseException:
            await attached_context.close()
            raise
        return attached_context

    async def close(self) -> None:
        """Leave it as it was: what we opened is closed, and nothing else."""
        await asyncio.gather(*(context.close() for context in list(self._contexts.values())))
        await self.kill()

    def _forget_default_context(self) -> None:
        self._attached_context = None
        self._contexts.pop(self._default_id, None)

    def _on_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target.get("browserContextId") in self._contexts.keys() - {self._default_id}:
            super()._on_attached(event)
        elif self._attached_context is not None and self._attached_context.is_attaching(target["targetId"]):
            return  # who asked for it goes on by itself
        elif (
            self._attached_context is not None
            and target["type"] == "page"
            and target.get("browserContextId") == self._default_id
        ):
            self._attached_context.receive(self._connection.cdp_session(event["sessionId"]), target)
        else:
            self._tasks.start(resume_target(self._connection.cdp_session(event["sessionId"])))

    def _on_target(self, event: dict[str, Any]) -> None:
        if self._attached_context is not None:
            self._attached_context.update_page(event["targetInfo"])

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        if self._attached_context is not None:
            self._attached_context.forget_page(event["targetId"])


async def attach(settings: Settings) -> AttachedBrowser:
    """Connect to the browser that the settings name; whatever keeps us from it, nothing is left of the attempt."""
    assert settings.attach is not None
    port = DebugPort.of(settings.attach)
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            return await _connect(settings, port if port.path else await asyncio.to_thread(_find_socket, port))
    except (OSError, TimeoutError, CdpError, ValueError, http.client.HTTPException) as error:
        raise BrowserUnavailable(
            f"No browser can be attached to at {settings.attach}: {_reason(error)}.",
            hint=f"Start one with `chromium --remote-debugging-port={port.port} --user-data-dir=FOLDER`, then call "
            "again. FOLDER is a profile of its own: browsers open no port on their default one.",
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there"
    return "it does not answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__


def _find_socket(port: DebugPort) -> DebugPort:
    """Where the browser's own socket is, which changes whenever it is started."""
    connection = http.client.HTTPConnection(port.host, port.port, timeout=VERSION_TIMEOUT)
    try:
        connection.request("GET", "/json/version")
        answer = connection.getresponse()
        version = json.loads(answer.read(MAX_VERSION_BYTES)) if answer.status == http.client.OK else None
    finally:
        connection.close()
    if not isinstance(version, dict):
        raise ValueError("who listens there is no browser")
    return port.at(str(version.get("webSocketDebuggerUrl")))


async def _connect(settings: Settings, port: DebugPort) -> AttachedBrowser:
    runs = settings.home_folder / "run"
    try:
        await asyncio.to_thread(sweep, runs)
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
        raise CdpError("it does not tell which of its contexts is its own, as newer versions of Chromium do")
    browser = AttachedBrowser(process, connection, version["product"], contexts["defaultBrowserContextId"])
    await root.send("Target.setDiscoverTargets", {"discover": True, "filter": [{"type": "page"}]})
    await root.send("Target.setAutoAttach", AUTO_ATTACH)
    return browser
