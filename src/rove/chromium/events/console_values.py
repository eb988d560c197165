"""The arguments of console calls as JSON data."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from rove.chromium.events.console_format import RemoteObject, argument_text
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.logs.console_text import MAX_LENGTH, truncate
from rove.tasks import BackgroundTasks

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
