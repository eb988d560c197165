"""The console of a target that is read as text: messages of the page, and reports of rove's own script."""

from __future__ import annotations

from typing import Any, Literal

from rove.browser.page_data import ConsoleSource
from rove.chromium.events.console import REPORT_PREFIX, ConsoleLog, ExecutionContexts, FindSource
from rove.chromium.events.network_log import NetworkLog
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.protocol.connection import CdpSession
from rove.page.frames.frame_origins import MAX_FRAMES


class FrameLogs:
    """Logs the console and the requests of a page, and of its frames in other processes."""

    def __init__(self, console: ConsoleLog, network: NetworkLog, origins: FrameOrigins, stealth: bool) -> None:
        self._console = console
        self._network = network
        self._origins = origins
        self._stealth = stealth

    def listen(self, cdp: CdpSession, frame: str, context: Literal["page", "frame"]) -> None:
        """Log what a CDP session reports, whose root is a frame."""
        find_source = console_source(cdp, frame, context, self._origins, stealth=self._stealth)
        self._console.listen(cdp, find_source, self._author)
        self._network.listen(cdp, context)

    def _author(self, entry: dict[str, Any]) -> str:
        return self._origins.of_entry(entry, self._network.sender(entry))


def console_source(
    cdp: CdpSession, frame: str, context: Literal["page", "frame"], origins: FrameOrigins, *, stealth: bool
) -> FindSource:
    """Return what tells the source of messages in a CDP session, whose root is a frame; listen for what it needs."""
    if not stealth:
        return ExecutionContexts(cdp, frame if context == "page" else None, origins)
    listen_for_reports(cdp)
    return FramesSource(cdp, frame, context, origins)


def listen_for_reports(cdp: CdpSession) -> None:
    """Pass on what rove's script reports through the console of its world, as if through its binding."""
    cdp.on("Console.messageAdded", lambda event: _pass_on(cdp, event["message"]["text"]))


def _pass_on(cdp: CdpSession, text: str) -> None:
    if text.startswith(REPORT_PREFIX):
        world, name, payload = text.removeprefix(REPORT_PREFIX).split(" ", 2)
        cdp.emit("Runtime.bindingCalled", {"name": name, "payload": payload, "executionContextId": world})


class FramesSource:
    """The frames that the messages of a CDP session may be from: the browser does not tell which of them wrote one."""

    def __init__(self, cdp: CdpSession, frame: str, context: str, origins: FrameOrigins) -> None:
        self._context = context
        self._origins = origins
        self._frames = {frame: None}
        cdp.on("Page.frameNavigated", lambda event: self._add(event["frame"]["id"]))

    def __call__(self, context_id: int | None) -> ConsoleSource:
        found = {self._origins.of(frame) for frame in self._frames}
        return ConsoleSource(self._context, found.pop() if len(found) == 1 else self._origins.of_any)

    def _add(self, frame: str) -> None:
        self._frames[frame] = None
        if len(self._frames) > MAX_FRAMES:
            del self._frames[next(iter(self._frames))]
