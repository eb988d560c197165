"""The console log of a tab: the latest messages of its page, frames and workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rove.browser.page_data import ConsoleSource
from rove.browser.page_events import PageEvents
from rove.browser.scripts import NONCE
from rove.chromium.events.console_format import (
    exception_location,
    exception_text,
    message_text,
)
from rove.chromium.events.console_values import ConsoleValues
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.protocol.connection import CdpSession
from rove.page.logs import console_log
from rove.page.logs.console_text import source_location
from rove.tasks import BackgroundTasks

# How messages begin by which rove's own script reports.
REPORT_PREFIX = f"{NONCE} "
# The browser keeps every logged object alive for DevTools to inspect, until it is told to release them.
MAX_RETAINED_OBJECTS = 1000
# The oldest execution contexts of a page that has more than this are forgotten.
MAX_CONTEXTS = 2000

# Calls that only change how a console is displayed.
_IGNORED_KINDS = frozenset({"clear", "endGroup"})
_METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Console.messageAdded", "Log.entryAdded"})
_KIND_NAMES = {"startGroup": "group", "startGroupCollapsed": "group", "timeEnd": "time"}


FindSource = Callable[["int | None"], ConsoleSource]
# Returns the origin that an entry of the browser itself is about.
FindAuthor = Callable[[dict[str, Any]], str]


class ConsoleLog(console_log.ConsoleLog):
    """The latest console messages of a page, its frames and workers."""

    def __init__(self, tasks: BackgroundTasks, events: PageEvents | None = None) -> None:
        super().__init__(events)
        self._tasks = tasks
        self._values = ConsoleValues(tasks)
        self._targets: dict[CdpSession, None] = {}

    async def catch_up(self) -> None:
        for cdp in {cdp.group: cdp for cdp in self._targets}.values():
            await cdp.catch_up()

    def listen(self, cdp: CdpSession, find_source: FindSource, find_author: FindAuthor | None = None) -> None:
        """Log the messages of a CDP session; `find_source` maps an execution context id to its source."""
        retained = _RetainedObjects()

        def on_call(event: dict[str, Any]) -> None:
            self._on_api_call(event, find_source(event.get("executionContextId")), cdp)
            if retained.is_limit_reached(event["args"]):
                self._release(cdp)

        cdp.on("Runtime.consoleAPICalled", on_call)
        cdp.on("Runtime.exceptionThrown", lambda event: self._on_exception(event, find_source))
        cdp.on("Console.messageAdded", lambda event: self._on_message(event["message"], find_source(None)))
        cdp.on("Log.entryAdded", lambda event: self._on_entry(event["entry"], find_source(None), find_author))
        cdp.on("dropped", self._on_dropped)
        self._targets[cdp] = None
        cdp.on("closed", lambda _: self._targets.pop(cdp, None))

    def _on_api_call(self, event: dict[str, Any], source: ConsoleSource, cdp: CdpSession) -> None:
        kind = event["type"]
        if kind in _IGNORED_KINDS:
            return
        text = message_text(event["args"])
        if text.startswith(REPORT_PREFIX):
            return
        if kind == "assert":
            text = f"Assertion failed: {text}"
        frames = event.get("stackTrace", {}).get("callFrames") or [{}]
        values = self._values.convert(cdp, event["args"])
        self.add(_KIND_NAMES.get(kind, kind), text, source_location(frames[0]), source, event["timestamp"], values)
        if kind == "error" and self._events is not None:
            self._events.add("console error", source.quote(text))

    def _on_message(self, message: dict[str, Any], source: ConsoleSource) -> None:
        """Log a message of a target whose console is read as text."""
        if message["text"].startswith(REPORT_PREFIX):
            return
        kind = message["level"]
        place = {**message, "lineNumber": message.get("line", 1) - 1, "columnNumber": message.get("column", 1) - 1}
        self.add(kind, message["text"], source_location(place), source, time.time() * 1000)
        if kind == "error" and self._events is not None:
            self._events.add("console error", source.quote(message["text"]))

    def _on_exception(self, event: dict[str, Any], find_source: FindSource) -> None:
        details = event["exceptionDetails"]
        text = exception_text(details)
        source = find_source(details.get("executionContextId"))
        self.add("exception", text, exception_location(details), source, event["timestamp"])
        if self._events is not None:
            first, *_ = text.splitlines()
            said = first.removeprefix("Uncaught ").removeprefix("(in promise) ")
            self._events.add("page error", source.quote(said))

    def _on_entry(self, entry: dict[str, Any], source: ConsoleSource, find_author: FindAuthor | None) -> None:
        """Log an entry of the browser itself: a refused script, a failed request, a deprecation."""
        if entry["source"] == "worker":
            return  # the worker's own CDP session reports it too
        if find_author is not None:
            source = replace(source, origin=find_author(entry))
        location = source_location(entry)
        self.add(entry["source"], entry["text"], location, source, entry["timestamp"], level=entry["level"])

    def _on_dropped(self, event: dict[str, Any]) -> None:
        self.unrecorded += event["method"] in _METHODS

    def _release(self, cdp: CdpSession) -> None:
        self._tasks.start(cdp.send("Runtime.releaseObjectGroup", {"objectGroup": "console"}))


class ExecutionContexts:
    """Maps the execution contexts of a CDP session to the page or frame that they belong to."""

    def __init__(self, cdp: CdpSession, main_frame: str | None, origins: FrameOrigins) -> None:
        self._main_frame = main_frame
        self._origins = origins
        self._sources: dict[int, ConsoleSource] = {}
        cdp.on("Runtime.executionContextCreated", self._on_created)
        cdp.on("Runtime.executionContextDestroyed", lambda event: self._sources.pop(event["executionContextId"], None))
        cdp.on("Runtime.executionContextsCleared", lambda _: self._sources.clear())

    def __call__(self, context_id: int | None) -> ConsoleSource:
        kind = "page" if self._main_frame else "frame"
        return self._sources.get(context_id or 0) or ConsoleSource(kind, self._origins.of_any)

    def _on_created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        frame = context.get("auxData", {}).get("frameId")
        is_main = frame == self._main_frame
        origin = self._origins.of_document(context["origin"], frame)
        self._sources[context["id"]] = ConsoleSource("page" if is_main else "frame", origin)
        if len(self._sources) > MAX_CONTEXTS:
            del self._sources[next(iter(self._sources))]


class _RetainedObjects:
    """Counts the logged objects that the browser keeps alive."""

    def __init__(self) -> None:
        self._count = 0

    def is_limit_reached(self, arguments: list[dict[str, Any]]) -> bool:
        """Count the objects among the arguments of a call; True, and start anew, at the limit."""
        self._count += sum("objectId" in argument for argument in arguments)
        if self._count < MAX_RETAINED_OBJECTS:
            return False
        self._count = 0
        return True
