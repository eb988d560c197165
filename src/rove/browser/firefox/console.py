"""The console log of a tab, as Firefox reports messages, and for how long it sends them.

Each event passes Firefox's main thread, which all sessions share. To drop them here would not relieve it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from rove.browser.firefox.connection import BidiConnection, PageChannel
from rove.browser.firefox.workers import WorkerScripts
from rove.browser.page_data import ConsoleSource
from rove.browser.page_state import PageEvents
from rove.browser.shared import logs
from rove.browser.shared.frames import FrameOrigins
from rove.browser.shared.logs import MAX_LENGTH, REPORT_PREFIX, fill_placeholders, source_location, truncate
from rove.patterns import pattern
from rove.tasks import BackgroundTasks

RemoteValue = dict[str, Any]
# The most characters of one text.
MAX_STRING = 1_000_000
# Of these, only Firefox's own text of the message tells more than their kind.
_OPAQUE = frozenset({"error", "symbol", "function", "promise", "proxy", "weakmap", "weakset", "window"})
# Calls whose arguments do not tell what a console shows: a number, or a time.
_TOLD_BY_FIREFOX = frozenset({"count", "countReset", "time", "timeEnd", "timeLog"})
_NESTED = frozenset({"array", "object", "map", "set", "htmlcollection", "nodelist"})

# Calls that only change how a console is displayed.
_IGNORED_KINDS = frozenset({"clear", "groupEnd"})
# What Firefox says of a rule of a page or of an origin begins so; it names no category.
_SECURITY = ("Content-Security-Policy", "Content Security Policy", "Cross-Origin")
MAX_STACK_LINES = 5
# The function of rove's script (main_world/natives.js) that calls built-in ones. A trap of that script called it.
OWN_FUNCTION = "callNative"
# How the text of an exception begins; what Firefox itself says begins otherwise.
_EXCEPTION = pattern(r"uncaught exception|[A-Za-z.]*(Error|Exception)\b")

# A session whose pages write so many messages more than are read, in so many seconds, is not listened to.
MAX_DROPPED = 5000
COUNTING_SECONDS = 5.0
PAUSE_SECONDS = 3.0


def message_text(entry: dict[str, Any]) -> str:
    """Return the arguments of one console call as text."""
    arguments: list[RemoteValue] = entry.get("args") or []
    kinds = {argument["type"] for argument in arguments}
    is_told = entry.get("method") in _TOLD_BY_FIREFOX or (kinds & _OPAQUE and not kinds & _NESTED)
    if not arguments or is_told:
        return str(entry.get("text") or "")
    first = arguments[0]
    if first["type"] == "string" and "%" in first["value"][:MAX_LENGTH]:
        return fill_placeholders(first["value"][:MAX_LENGTH], map(argument_text, arguments[1:]))
    return " ".join(map(argument_text, arguments))


def argument_text(value: RemoteValue) -> str:
    """Return one argument as text: an object as `{a: 1}`, a list as `[1, 2]`."""
    return str(value["value"]) if value["type"] == "string" else _inner_text(value)


def _inner_text(value: RemoteValue) -> str:
    kind, data = value["type"], value.get("value")
    if kind == "string":
        return json.dumps(data, ensure_ascii=False)
    if kind in ("array", "nodelist", "htmlcollection") and isinstance(data, list):
        return f"[{', '.join(map(_inner_text, data))}]"
    if kind == "object" and isinstance(data, list):
        return "{" + ", ".join(f"{_key_text(key)}: {_inner_text(item)}" for key, item in data) + "}"
    if kind == "map" and isinstance(data, list):
        inside = ", ".join(f"{_map_key(key)} => {_inner_text(item)}" for key, item in data)
        return f"Map({len(data)}) {{{inside}}}"
    if kind == "set" and isinstance(data, list):
        return f"Set({len(data)}) {{{', '.join(map(_inner_text, data))}}}"
    if kind == "regexp" and isinstance(data, dict):
        return f"/{data['pattern']}/{data.get('flags') or ''}"
    if kind == "boolean":
        return "true" if data else "false"
    if kind == "bigint":
        return f"{data}n"
    if kind == "node" and isinstance(data, dict):
        return str(data.get("localName") or f"#{data.get('nodeType')}")
    if kind in ("number", "date"):
        return str(data)
    names = {"object": "Object", "array": "Array"}
    return names.get(kind) or str(kind)


def _key_text(key: str | RemoteValue) -> str:
    return key if isinstance(key, str) else _inner_text(key)


def _map_key(key: str | RemoteValue) -> str:
    return json.dumps(key, ensure_ascii=False) if isinstance(key, str) else _inner_text(key)


def json_values(entry: dict[str, Any]) -> list[Any]:
    """Return the arguments of a call as JSON data."""
    arguments: list[RemoteValue] = entry.get("args") or []
    if len(arguments) == 1 and arguments[0]["type"] in _OPAQUE:
        return [truncate(message_text(entry))]
    return [json_value(argument) for argument in arguments]


def json_value(value: RemoteValue) -> Any:
    """Return a value as JSON data; as text where JSON cannot hold it."""
    kind, data = value["type"], value.get("value")
    if kind in ("null", "undefined"):
        return None
    if kind == "string":
        return truncate(str(data), MAX_STRING)
    if kind in ("number", "boolean"):
        return data
    if kind in ("array", "htmlcollection", "nodelist") and isinstance(data, list):
        return [json_value(item) for item in data]
    if kind == "object" and isinstance(data, list):
        return {_key_text(key): json_value(item) for key, item in data if item["type"] not in ("undefined", "function")}
    return truncate(_inner_text(value))


class ConsoleLog(logs.ConsoleLog):
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
        self.add_call(kind, text, location, source, entry["timestamp"], json_values(entry))

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


class ConsoleSubscription:
    """Asks Firefox for the console events of one user context. `on_paused` is called when it stops to."""

    def __init__(
        self, connection: BidiConnection, context: str, tasks: BackgroundTasks, on_paused: Callable[[], object]
    ) -> None:
        self._connection = connection
        self._context = context
        self._tasks = tasks
        self._on_paused = on_paused
        self._subscription = ""
        self._dropped = 0
        self._since = 0.0
        # When the last pause began: what is older was told before it, and Firefox tells it once more.
        self.paused_at = 0.0

    async def open(self) -> None:
        """Ask for the events, from the first page of the context on."""
        params = {"events": ["log.entryAdded"], "userContexts": [self._context]}
        self._subscription = (await self._connection.send("session.subscribe", params))["subscription"]

    def note_dropped(self, event: dict[str, Any]) -> None:
        """Count an event of a page that was dropped; listen no more for a while after too many."""
        if event["method"] != "log.entryAdded" or not self._subscription:
            return
        now = time.monotonic()
        if now - self._since > COUNTING_SECONDS:
            self._since, self._dropped = now, 0
        self._dropped += 1
        if self._dropped > MAX_DROPPED:
            subscription, self._subscription = self._subscription, ""
            self._tasks.start(self._pause(subscription))

    def is_repeated(self, entry: dict[str, Any]) -> bool:
        """Return whether an entry was there before the last pause."""
        return bool(entry["timestamp"] / 1000 < self.paused_at)

    async def _pause(self, subscription: str) -> None:
        self._on_paused()
        await self._connection.send("session.unsubscribe", {"subscriptions": [subscription]})
        self.paused_at, self._since = time.time(), 0.0
        await asyncio.sleep(PAUSE_SECONDS)
        await self.open()
