"""The console log of a tab: the latest messages of its page, frames and workers, as text and as data."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.chromium.frames import FrameOrigins
from rove.browser.page_data import ConsoleSource
from rove.browser.page_state import PageEvents
from rove.browser.shared import logs
from rove.browser.shared.logs import MAX_LENGTH, REPORT_PREFIX, fill_placeholders, source_location, truncate
from rove.tasks import BackgroundTasks

MAX_STACK_LINES = 6
# Objects for which the browser's description says more than a preview of their properties.
_SHOWN_BY_DESCRIPTION = frozenset({"error", "node", "date", "regexp"})
RemoteObject = dict[str, Any]

# Larger objects are told by the beginning that the browser reports with each call.
MAX_BYTES = 20_000
MAX_FETCHES = 20
# The most characters of a text, and of all long texts of a log.
MAX_STRING = 1_000_000
MAX_LONG_TEXTS = 8_000_000
# The browser shortens the strings of an object's preview to this length.
PREVIEW_STRING = 100
# Fails where a getter of the page would change something. Returned by value, getters would run without that check.
_AS_JSON = {
    "functionDeclaration": "function () { return JSON.stringify(this) }",
    "returnByValue": True,
    "silent": True,
    "throwOnSideEffect": True,
}

# The browser keeps every logged object alive for DevTools to inspect, until it is told to release them.
MAX_RETAINED_OBJECTS = 1000
# The oldest execution contexts of a page that has more than this are forgotten.
MAX_CONTEXTS = 2000

# Calls that only change how a console is displayed.
_IGNORED_KINDS = frozenset({"clear", "endGroup"})
_METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Console.messageAdded", "Log.entryAdded"})

FindSource = Callable[["int | None"], ConsoleSource]
# Returns the origin that an entry of the browser itself is about.
FindAuthor = Callable[[dict[str, Any]], str]


def message_text(arguments: list[RemoteObject]) -> str:
    """Return the arguments of one console call as DevTools would show them."""
    if arguments and arguments[0].get("type") == "string" and "%" in arguments[0].get("value", "")[:MAX_LENGTH]:
        return fill_placeholders(arguments[0]["value"][:MAX_LENGTH], map(argument_text, arguments[1:]))
    return " ".join(map(argument_text, arguments))


def exception_text(details: dict[str, Any]) -> str:
    """Return an exception as text, `Uncaught TypeError: x is not a function`, with the top of its stack."""
    exception = details.get("exception", {})
    return f"{details.get('text', 'Uncaught')} {argument_text(exception) if exception else ''}".strip()


def exception_location(details: dict[str, Any]) -> str:
    """Return where an exception was thrown: its own position, or else the top of its stack."""
    frames = details.get("stackTrace", {}).get("callFrames") or [{}]
    return source_location(details) or source_location(frames[0])


def argument_text(value: RemoteObject) -> str:
    """Return one argument of a console call as text."""
    kind = value.get("type")
    if kind == "string":
        return str(value.get("value", ""))
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value:
        return json.dumps(value["value"])
    if kind == "undefined":
        return "undefined"
    if kind == "function":
        return str(value.get("description", kind)).partition("{")[0].strip()[:80]
    if "preview" in value and value.get("subtype") not in _SHOWN_BY_DESCRIPTION:
        return _preview_text(value["preview"])
    return _description(value)


def _description(value: RemoteObject) -> str:
    """Return the browser's description; for an error, its message and the top of its stack."""
    return "\n".join(str(value.get("description", value.get("type"))).splitlines()[:MAX_STACK_LINES])


def _preview_text(preview: RemoteObject) -> str:
    """Return an object preview as `{a: 1, b: "x", …}` or `[1, 2]`."""
    is_list = preview.get("subtype") in ("array", "typedarray")
    parts = [_entry_text(entry) for entry in preview.get("entries", [])]
    parts += [_property_text(item, is_list) for item in preview.get("properties", []) if _is_shown(item, preview)]
    if preview.get("overflow"):
        parts.append("…")
    name = preview.get("description", "")
    text = ", ".join(parts)
    if is_list:
        return f"[{text}]"
    return f"{{{text}}}" if name in ("Object", "") else f"{name} {{{text}}}"


def _is_shown(item: RemoteObject, preview: RemoteObject) -> bool:
    return not ("entries" in preview and item["name"] == "size")


def _property_text(item: RemoteObject, is_list: bool) -> str:
    value = _property_value_text(item)
    return value if is_list and item["name"].isdigit() else f"{item['name']}: {value}"


def _property_value_text(item: RemoteObject) -> str:
    if "valuePreview" in item:
        return _preview_text(item["valuePreview"])
    value = item.get("value", item.get("type", ""))
    return f'"{value}"' if item.get("type") == "string" else str(value)


def _entry_text(entry: RemoteObject) -> str:
    value = _entry_part_text(entry["value"])
    return f"{_entry_part_text(entry['key'])} => {value}" if "key" in entry else value


def _entry_part_text(side: RemoteObject) -> str:
    if side.get("type") == "string":
        return f'"{side.get("description", "")}"'
    return _preview_text(side) if side.get("properties") else str(side.get("description", ""))


class ConsoleValues:
    """Converts the arguments of console calls; nested and large objects are fetched, a few at a time."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._tasks = tasks
        self._fetching = 0
        self._long: deque[list[Any]] = deque()
        self._room = MAX_LONG_TEXTS

    def convert(self, cdp: CdpSession, arguments: list[RemoteObject]) -> list[Any]:
        """Return the arguments as JSON data. Objects of which the call has only the beginning are completed later."""
        values = [_value(argument) for argument in arguments]
        for index, argument in enumerate(arguments):
            if _is_incomplete(argument) and self._fetching < MAX_FETCHES:
                self._fetching += 1
                self._tasks.start(self._complete(cdp, argument["objectId"], values, index))
        self._make_room(values)
        return values

    def _make_room(self, values: list[Any]) -> None:
        """Shorten the oldest long texts if all of them together are too long."""
        if not (size := _long_texts(values)):
            return
        self._long.append(values)
        self._room -= size
        while self._room < 0:
            oldest = self._long.popleft()
            self._room += _long_texts(oldest)
            oldest[:] = [truncate(value) if isinstance(value, str) else value for value in oldest]

    async def _complete(self, cdp: CdpSession, object_id: str, values: list[Any], index: int) -> None:
        try:
            answer = await cdp.send("Runtime.callFunctionOn", {**_AS_JSON, "objectId": object_id}, MAX_BYTES)
            if "exceptionDetails" not in answer:
                values[index] = json.loads(answer["result"]["value"])
        except (CdpError, KeyError, ValueError):
            return  # it is too large, has gone with its page, or makes no JSON of itself: its beginning stays
        finally:
            self._fetching -= 1


def _long_texts(values: list[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str) and len(value) > 2 * MAX_LENGTH)


def _value(argument: RemoteObject) -> Any:
    """Return an argument as JSON data; as text where JSON cannot hold it, or where only its beginning is known."""
    kind = argument.get("type")
    if kind == "undefined":
        return None
    if kind == "string":
        return truncate(argument["value"], MAX_STRING)
    if "value" in argument:
        return argument["value"]
    if _is_plain(argument) and not _is_incomplete(argument):
        return _preview_value(argument["preview"])
    return truncate(argument_text(argument))


def _is_plain(argument: RemoteObject) -> bool:
    """Whether it is an object of which JSON holds all that there is, or a list."""
    is_object = argument.get("type") == "object" and argument.get("subtype") in (None, "array")
    return is_object and "objectId" in argument and "preview" in argument


def _is_incomplete(argument: RemoteObject) -> bool:
    if not _is_plain(argument):
        return False
    preview = argument["preview"]
    return bool(preview.get("overflow")) or any(map(_is_cut, preview.get("properties", [])))


def _is_cut(item: RemoteObject) -> bool:
    if item["type"] in ("object", "accessor"):
        return item.get("subtype") != "null"
    return item["type"] == "string" and len(item.get("value", "")) >= PREVIEW_STRING


def _preview_value(preview: RemoteObject) -> Any:
    items = dict(_preview_items(preview))
    return list(items.values()) if preview.get("subtype") == "array" else items


def _preview_items(preview: RemoteObject) -> Iterator[tuple[str, Any]]:
    for item in preview.get("properties", []):
        if item["type"] not in ("function", "undefined", "symbol"):  # which JSON leaves out
            yield item["name"], _property_value(item)


def _property_value(item: RemoteObject) -> Any:
    text = item.get("value", "")
    if item["type"] == "string":
        return text
    try:
        return json.loads(text, parse_constant=str)
    except ValueError:
        return text


class ConsoleLog(logs.ConsoleLog):
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
        frames = event.get("stackTrace", {}).get("callFrames") or [{}]
        values = self._values.convert(cdp, event["args"])
        self.add_call(kind, text, source_location(frames[0]), source, event["timestamp"], values)

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
