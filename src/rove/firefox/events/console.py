"""The console log of a tab, as Firefox reports messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.browser.page_data import ConsoleSource
from rove.browser.page_events import PageEvents
from rove.browser.scripts import NONCE
from rove.firefox.events.console_values import json_values, message_text
from rove.firefox.events.worker_scripts import WorkerScripts
from rove.firefox.protocol.connection import PageChannel
from rove.page.frames.frame_origins import FrameOrigins
from rove.page.logs import console_log
from rove.page.logs.console_text import source_location
from rove.validation.pattern import pattern

# How messages begin by which rove's own script reports.
REPORT_PREFIX = f"{NONCE} "
# Calls that only change how a console is displayed.
_IGNORED_KINDS = frozenset({"clear", "groupEnd"})
_KIND_NAMES = {"warn": "warning", "groupCollapsed": "group", "timeEnd": "time", "timeLog": "time"}
# What Firefox says of a rule of a page or of an origin begins so; it names no category.
_SECURITY = ("Content-Security-Policy", "Content Security Policy", "Cross-Origin")
MAX_STACK_LINES = 5
# The function of rove's script (main_world/natives.js) that calls built-in ones. A trap of that script called it.
OWN_FUNCTION = "callNative"
# How the text of an exception begins; what Firefox itself says begins otherwise.
_EXCEPTION = pattern(r"uncaught exception|[A-Za-z.]*(Error|Exception)\b")


class ConsoleLog(console_log.ConsoleLog):
    """The latest console messages of a page, its frames and dedicated workers."""

    def __init__(
        self, events: PageEvents | None = None, is_repeated: Callable[[dict[str, Any]], bool] = lambda entry: False
    ) -> None:
        """`is_repeated` returns whether Firefox has told of an entry before."""
        super().__init__(events)
        self._is_repeated = is_repeated
        # Firefox names the page as the source of what its workers write.
        self._workers = WorkerScripts()
        self._channel: PageChannel | None = None

    async def catch_up(self) -> None:
        if self._channel is not None:
            self._channel.connection.read_held(self._channel)

    def listen(self, channel: PageChannel, origins: FrameOrigins) -> None:
        self._channel = channel
        channel.on("log.entryAdded", lambda entry: self._on_entry(entry, channel, origins))
        self._workers.listen(channel)
        channel.on("dropped", self._on_dropped)

    def _on_entry(self, entry: dict[str, Any], channel: PageChannel, origins: FrameOrigins) -> None:
        if self._is_repeated(entry):
            return
        frames = _frames_of_page(entry) or [{}]
        source = self._source(entry["source"].get("context"), frames[0].get("url", ""), channel, origins)
        location = source_location(frames[0])
        if entry["type"] == "console":
            self._on_call(entry, location, source)
        else:
            self._on_error(entry, location, source)

    def _source(self, context: str | None, script: str, channel: PageChannel, origins: FrameOrigins) -> ConsoleSource:
        if script in self._workers:
            return ConsoleSource("worker", origins.of_document(script, context))
        return ConsoleSource("page" if context == channel.context else "frame", origins.of(context))

    def _on_call(self, entry: dict[str, Any], location: str, source: ConsoleSource) -> None:
        kind: str = entry["method"]
        text = message_text(entry)
        if kind in _IGNORED_KINDS or text.startswith(REPORT_PREFIX):
            return
        if kind == "assert":
            text = f"Assertion failed: {text}"
        self.add(_KIND_NAMES.get(kind, kind), text, location, source, entry["timestamp"], json_values(entry))
        if kind == "error" and self._events is not None:
            self._events.add("console error", source.quote(text))

    def _on_error(self, entry: dict[str, Any], location: str, source: ConsoleSource) -> None:
        """Log an exception that no script caught, or an error of Firefox itself, such as a refused request."""
        text: str = entry["text"]
        if not location and _EXCEPTION.match(text) is None:
            kind = "security" if text.startswith(_SECURITY) else "other"
            self.add(kind, text, location, source, entry["timestamp"], level="error")
            return
        stack = "".join(map(_stack_line, _frames_of_page(entry)[:MAX_STACK_LINES]))
        self.add("exception", f"Uncaught {text}{stack}", location, source, entry["timestamp"])
        if self._events is not None:
            self._events.add("page error", source.quote(text.splitlines()[0] if text else ""))

    def _on_dropped(self, event: dict[str, Any]) -> None:
        self.unrecorded += event["method"] == "log.entryAdded"


def _frames_of_page(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the stack of an entry without rove's script, through which pages call some built-in functions."""
    frames: list[dict[str, Any]] = (entry.get("stackTrace") or {}).get("callFrames") or []
    names = [frame.get("functionName") for frame in frames]
    if OWN_FUNCTION not in names:
        return frames
    own = names.index(OWN_FUNCTION)
    first = own - 1 if own and frames[own - 1].get("url") == "self-hosted" else own
    return frames[:first] + frames[own + 2 :]


def _stack_line(frame: dict[str, Any]) -> str:
    place = source_location(frame)
    return f"\n    at {frame['functionName']} ({place})" if frame.get("functionName") else f"\n    at {place}"
