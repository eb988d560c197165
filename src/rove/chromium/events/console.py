"""What pages, their frames and their workers write to the console: the latest of it, and how much was dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rove.browser.logs import ConsoleMessage, ConsoleSource, Level
from rove.browser.page_events import PageEvents
from rove.chromium.events.console_format import cut, exception_text, message_text, source_location
from rove.chromium.protocol.connection import CdpSession
from rove.outcome import origin_in
from rove.tasks import BackgroundTasks

KEPT = 500
# The browser keeps every object that was written, for whoever might unfold it, until it is told that nobody will.
OBJECTS_HELD = 1000

_LEVEL_OF: dict[str, Level] = {
    "error": "error", "assert": "error", "exception": "error", "warning": "warning", "debug": "debug",
    "verbose": "debug",
}  # fmt: skip
# What changes how a console looks, and says nothing.
_SILENT = frozenset({"clear", "endGroup"})
_PLAIN_NAMES = {"startGroup": "group", "startGroupCollapsed": "group", "timeEnd": "time"}


FindSource = Callable[["int | None"], ConsoleSource]


class ConsoleLog:
    """A bounded record: whoever floods it loses their oldest entries, and the record says how many."""

    def __init__(self, tasks: BackgroundTasks, events: PageEvents | None = None) -> None:
        self._tasks = tasks
        self._events = events
        self._kept: deque[ConsoleMessage] = deque(maxlen=KEPT)
        self.dropped = 0

    def __iter__(self) -> Iterator[ConsoleMessage]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        self._kept.clear()
        self.dropped = 0

    def listen(self, cdp: CdpSession, find_source: FindSource) -> None:
        """Keep what comes over a wire; `find_source` knows the place of each JavaScript context of it."""
        held = _Held()

        def on_call(event: dict[str, Any]) -> None:
            self._on_call(event, find_source(event.get("executionContextId")))
            if held.is_too_much(event["args"]):
                self._release(cdp)

        cdp.on("Runtime.consoleAPICalled", on_call)
        cdp.on("Runtime.exceptionThrown", lambda event: self._on_exception(event, find_source))
        cdp.on("Log.entryAdded", lambda event: self._on_entry(event["entry"], find_source(None)))
        cdp.on("dropped", lambda _: self._drop())

    def _on_call(self, event: dict[str, Any], place: ConsoleSource) -> None:
        kind = event["type"]
        if kind in _SILENT:
            return
        text = message_text(event["args"])
        if kind == "assert":
            text = f"Assertion failed: {text}"
        frames = event.get("stackTrace", {}).get("callFrames") or [{}]
        self._add(_PLAIN_NAMES.get(kind, kind), text, source_location(frames[0]), place, event["timestamp"])
        if kind == "error" and self._events is not None:
            self._events.add("console error", text)

    def _on_exception(self, event: dict[str, Any], find_source: FindSource) -> None:
        details = event["exceptionDetails"]
        text = exception_text(details)
        place = find_source(details.get("executionContextId"))
        self._add("exception", text, source_location(details), place, event["timestamp"])
        if self._events is not None:
            first, *_ = text.splitlines()
            self._events.add("page error", first.removeprefix("Uncaught ").removeprefix("(in promise) "))

    def _on_entry(self, entry: dict[str, Any], place: ConsoleSource) -> None:
        """What the browser itself has to say: a refused script, a failed request, a deprecation."""
        if entry["source"] != "worker":  # whom we hear ourselves
            self._add(entry["source"], entry["text"], source_location(entry), place, entry["timestamp"], entry["level"])

    def _add(
        self, kind: str, text: str, source: str, place: ConsoleSource, at: float, level: str | None = None
    ) -> None:
        entry = ConsoleMessage(_LEVEL_OF.get(level or kind, "info"), kind, cut(text), source, place, at / 1000)
        last = self._kept[-1] if self._kept else None
        if last is not None and replace(last, at=entry.at, count=1) == entry:
            self._kept[-1] = replace(entry, count=last.count + 1)
            return
        if len(self._kept) == KEPT:
            self._drop()
        self._kept.append(entry)

    def _drop(self) -> None:
        self.dropped += 1

    def _release(self, cdp: CdpSession) -> None:
        self._tasks.start(cdp.send("Runtime.releaseObjectGroup", {"objectGroup": "console"}))


class Contexts:
    """The places of a page's JavaScript contexts: its own, and those of the frames in it."""

    def __init__(self, cdp: CdpSession, main_frame: str | None) -> None:
        self._main_frame = main_frame
        self._known: dict[int, ConsoleSource] = {}
        self._main = ConsoleSource("page" if main_frame else "frame", "")
        cdp.on("Runtime.executionContextCreated", self._on_created)
        cdp.on("Runtime.executionContextDestroyed", lambda event: self._known.pop(event["executionContextId"], None))
        cdp.on("Runtime.executionContextsCleared", lambda _: self._known.clear())

    def __call__(self, identity: int | None) -> ConsoleSource:
        return self._known.get(identity or 0, self._main)

    def _on_created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        is_main = context.get("auxData", {}).get("frameId") == self._main_frame
        place = ConsoleSource("page" if is_main else "frame", origin_in(context["origin"]))
        self._known[context["id"]] = place
        if is_main:
            self._main = place


class _Held:
    """How many objects the browser holds for us that we never ask for."""

    def __init__(self) -> None:
        self._count = 0

    def is_too_much(self, arguments: list[dict[str, Any]]) -> bool:
        self._count += sum("objectId" in argument for argument in arguments)
        if self._count < OBJECTS_HELD:
            return False
        self._count = 0
        return True
