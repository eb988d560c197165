"""The console of a target that is read as text: messages of the page, and reports of rove's own script."""

from __future__ import annotations

from typing import Any, Literal

from rove.browser.page_data import ConsoleSource
from rove.chromium.events.console import REPORT_PREFIX, ExecutionContexts, FindSource
from rove.chromium.protocol.connection import CdpSession
from rove.outcome import origin_in


def console_source(cdp: CdpSession, frame: str, context: Literal["page", "frame"], stealth: bool) -> FindSource:
    """Return what tells the source of messages in a CDP session, whose root is a frame; listen for what it needs."""
    if not stealth:
        return ExecutionContexts(cdp, frame if context == "page" else None)
    listen_for_reports(cdp)
    return FrameSource(cdp, frame, context)


def listen_for_reports(cdp: CdpSession) -> None:
    """Pass on what rove's script reports through the console of its world, as if through its binding."""
    cdp.on("Console.messageAdded", lambda event: _pass_on(cdp, event["message"]["text"]))


def _pass_on(cdp: CdpSession, text: str) -> None:
    if text.startswith(REPORT_PREFIX):
        world, name, payload = text.removeprefix(REPORT_PREFIX).split(" ", 2)
        cdp.emit("Runtime.bindingCalled", {"name": name, "payload": payload, "executionContextId": world})


class FrameSource:
    """The page or frame that the messages of a CDP session are from: the one at the root of the session."""

    def __init__(self, cdp: CdpSession, frame: str, context: str) -> None:
        self._frame = frame
        self._source = ConsoleSource(context, "")
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))

    def __call__(self, context_id: int | None) -> ConsoleSource:
        return self._source

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        if frame["id"] == self._frame:
            self._source = ConsoleSource(self._source.context, origin_in(frame["securityOrigin"]))
