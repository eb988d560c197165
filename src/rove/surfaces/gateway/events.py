"""The numbered log of events, every kind of event with its data, and its readers, which read on after the last seen."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from rove.owned_names import mark_in
from rove.records import dataclass

# How much is kept for clients that reconnect, for one owner and for all. What is older is in the sessions' journals.
MAX_EVENTS = 10_000
MAX_BYTES = 64 * 1024 * 1024
MISSED = "events.missed"
# The mark that ends the names of an owner's sessions; None for events of no session.
OwnerMark = str | None
Sees = Callable[[OwnerMark], bool]


def to_text(message: dict[str, Any]) -> str:
    """Return a message as JSON text.

    A lone surrogate cannot be sent as UTF-8, so it is escaped. JSON has no NaN and no infinity: they become null.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(message), ensure_ascii=False)
    return text if _is_unicode(text) else json.dumps(json.loads(text))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class EventKind:
    """One kind of event: when it is sent, and what its data has besides `sessionKey`."""

    name: str
    when: str
    data: Mapping[str, str]
    has_session: bool = True


_ATTACHMENTS = "pictures and files: `type` (image, file), `mimeType`, `data` (base64), `name`"
_FACTS = {
    "openedBy": "label of the token that opened it",
    "tabs": "`id`, `url`, `is_current`",
    "idleSeconds": "since its last call",
    "driver": "`who` (agent, person), `name`, `isPaused`",
}
_STEP = {
    "stepId": "of the step",
    "action": "its name",
    "summary": "one line",
    "arguments": "without secrets",
    "actor": "agent, or the person's name",
    "tab": "that it acts in",
    "url": "of the page",
    "decision": "allowed, approved, remembered, denied",
    "outcome": "done, or the code of an error",
    "error": "its message",
    "changes": "what the agent was told of the page, shortened",
    "began": "seconds since 1970",
    "seconds": "it took",
}
_KINDS = (
    EventKind(
        "hello",
        "After a client has authenticated, to it alone.",
        {
            "version": "of rove",
            "protocol": "of this wire: 1",
            "scopes": "what the token allows",
            "mark": "what ends the keys of sessions that were opened with the token: nothing for the owner",
            "lastEventId": "of the last event so far",
            "model": "of the chat: `name`, `isScripted`",
            "hasCluster": "whether the sessions run on the nodes of a cluster",
        },
        has_session=False,
    ),
    EventKind(
        "events.missed",
        "Before the first event, if some between the client's last one and that are not kept any more.",
        {"after": "the client's last event", "before": "the first event that is still kept"},
        has_session=False,
    ),
    EventKind(
        "exec.approval_request",
        "A call waits for a person's decision.",
        {
            "approvalId": "to decide on it",
            "toolName": "of the tool that is called",
            "summary": "one line",
            "details": "of the tool: for `browser` its `actions`, for `bash` its `command` and `workingDir`",
            "runId": "of the chat's run, if it is from one",
            "question": "the policy's, if it is the policy that asks",
            "origins": "where it would act",
            "elements": "that it would act on: `argument`, `ref`, `line`, `box` in CSS pixels of the picture",
            "consequences": "what it would send or open, and what is not known: `name`, `text`, `isNote`",
            "tab": "that it would act in",
            "createdAt": "seconds since 1970",
            "expiresAt": "seconds since 1970",
            "canRemember": "whether it can be approved for the rest of the session",
            "picture": "of the page now: `mimeType`, `data` (base64)",
        },
    ),
    EventKind(
        "exec.approval_resolved",
        "A request was decided, or is over.",
        {
            "approvalId": "of the request",
            "decision": "approved, approved_for_session, denied, expired, cancelled",
            "by": "the label of the token that decided",
            "reason": "of a denial",
        },
    ),
    EventKind(
        "chat.message",
        "A client has sent a message to the model.",
        {
            "runId": "of the run that it began",
            "role": "user",
            "text": "of the message",
            "isQueued": "whether it waits for an answer to an earlier one",
        },
    ),
    EventKind("chat.delta", "The model has written more.", {"runId": "of the run", "text": "what is new"}),
    EventKind(
        "chat.final",
        "A run is over.",
        {
            "runId": "of the run",
            "text": "all that the model wrote in this run",
            "usage": "`inputTokens`, `outputTokens`, `requests`",
            "attachments": _ATTACHMENTS,
            "attachmentsLeftOut": "how many others there were, each of them in its `tool.result`",
            "stopReason": "done, aborted, limit",
            "speaker": "`server` if rove itself has answered, without the model",
        },
    ),
    EventKind(
        "chat.error",
        "A run has failed.",
        {"runId": "of the run", "code": "stable", "message": "one sentence", "hint": "the next thing to try"},
    ),
    EventKind(
        "chat.waiting",
        "The model's server is busy; the request is made again.",
        {"runId": "of the run", "seconds": "until then"},
    ),
    EventKind(
        "chat.compacted",
        "The conversation was too long for the model, and was shortened.",
        {"runId": "of the run", "text": "what was left out"},
    ),
    EventKind(
        "tool.call",
        "A tool is called.",
        {"runId": "of the run, if any", "callId": "of the call", "tool": "its name", "arguments": "of the call"},
    ),
    EventKind(
        "tool.progress",
        "A tool is about to do something.",
        {
            "runId": "of the run, if any",
            "callId": "of the call",
            "tool": "its name",
            "message": "such as `Taking screenshot...`",
        },
    ),
    EventKind(
        "tool.result",
        "A call is over.",
        {
            "runId": "of the run, if any",
            "callId": "of the call",
            "tool": "its name",
            "ok": "whether it succeeded",
            "code": "of the error, if it did not",
            "text": "what the model is told",
            "attachments": _ATTACHMENTS,
            "structured": "the answer as data, if the tool has it: of `browser`, its `sessionId`",
        },
    ),
    EventKind("session.opened", "A session was opened.", _FACTS),
    EventKind("session.changed", "Its tabs, or who drives it, have changed.", _FACTS),
    EventKind("session.closed", "A session was closed.", {}),
    EventKind("step.began", "An action of the agent, or acts of a person, have begun.", _STEP),
    EventKind("step.ended", "They are over.", _STEP),
    EventKind(
        "step.picture",
        "What the page shows after a step.",
        {"stepId": "of the step", "picture": "`mimeType`, `data` (base64)"},
    ),
    EventKind(
        "guard.refused",
        "A page, or the agent, asked for an address that the guard refuses.",
        {
            "host": "and port",
            "reason": "a stable word",
            "message": "one sentence",
            "flag": "that would allow it, if any",
        },
    ),
    EventKind(
        "handoff.requested",
        "An agent asks a person to do something in its tab.",
        {
            "handoffId": "of the hand-off",
            "reason": "what to do",
            "tab": "of it",
            "url": "of the page",
            "expiresAt": "seconds since 1970",
        },
    ),
    EventKind(
        "handoff.ended",
        "A hand-off is over.",
        {"handoffId": "of the hand-off", "outcome": "done, declined, expired, cancelled"},
    ),
    EventKind(
        "live.frame",
        "A frame of a live view, to the client that started it. It has no `eventId`.",
        {
            "tab": "that it shows",
            "url": "of the page",
            "frameId": "to acknowledge it",
            "at": "when it was taken: seconds since 1970",
            "width": "of the viewport, in CSS pixels",
            "height": "of the viewport, in CSS pixels",
            "mimeType": "image/jpeg",
            "data": "base64",
        },
    ),
    EventKind("live.stopped", "A live view has ended.", {"reason": "why"}),
    EventKind(
        "settings.changed",
        "A setting was written to the config file.",
        {"key": "of the setting", "value": "of the setting"},
        has_session=False,
    ),
)
EVENTS: Mapping[str, EventKind] = {kind.name: kind for kind in _KINDS}


class Event:
    """Something that the clients whose tokens reach its session are told."""

    def __init__(self, number: int, name: str, data: dict[str, Any]) -> None:
        self.number = number
        self.name = name
        self.data = data

    @cached_property
    def text(self) -> str:
        """The event as a message, which is made once for all clients."""
        return to_text({"event": self.name, "data": self.data, "eventId": self.number})


class Events:
    """Keeps the last events, and wakes the readers that wait for the next.

    What is kept for the sessions of one owner is dropped only for its own events, or where it holds more than any
    other, so that one client cannot push out what others have yet to read.
    """

    def __init__(self) -> None:
        # Numbers are times in microseconds: they grow across restarts of the server, and a gap between two of them does
        # not tell how many events there were in sessions that a client does not see.
        self._last = self._first = int(time.time() * 1_000_000)
        self._kept: dict[OwnerMark, _KeptEvents] = defaultdict(lambda: _KeptEvents(self._first))
        self._readers: set[EventReader] = set()

    def now(self) -> int:
        """Return a number that no event so far has exceeded, and that those to come will."""
        self._last = max(self._last, int(time.time() * 1_000_000))
        return self._last

    def publish(self, event: str, data: dict[str, Any], session: str | None = None) -> int:
        """Add an event, of a session if it belongs to one; return its number. Never waits for a client."""
        if event not in EVENTS:
            raise ValueError(f"{event} is not among the events that are declared")
        told = {"sessionKey": session, **data} if session is not None else data
        made = Event(max(self._last + 1, int(time.time() * 1_000_000)), event, told)
        size = len(made.text)  # raises before it is kept, if it cannot be told
        self._last = made.number
        mark = mark_in(session) if session is not None else None
        self._kept[mark].add(made, size)
        while sum(kept.bytes for kept in self._kept.values()) > MAX_BYTES:
            max(self._kept.values(), key=lambda kept: kept.bytes).drop_oldest()
        for reader in self._readers:
            reader.wake(mark)
        return made.number

    def after(self, number: int, sees: Sees = lambda mark: True) -> Iterator[Event]:
        """Yield the events after a number that a client sees; one that says so comes first if some are kept no more."""
        seen = [kept for mark, kept in self._kept.items() if sees(mark)]
        dropped = max((kept.dropped for kept in seen), default=self._first)
        if number < dropped:
            yield Event(dropped, MISSED, {"after": number, "before": dropped + 1})
        yield from heapq.merge(*(kept.after(max(number, dropped)) for kept in seen), key=lambda event: event.number)

    def read(self, sees: Sees = lambda mark: True, after: int | None = None) -> EventReader:
        """Return a reader of the events that a client sees after a number, or of those to come. It must be closed."""
        reader = EventReader(self, sees, self.now() if after is None else after)
        self._readers.add(reader)
        return reader

    def remove(self, reader: EventReader) -> None:
        self._readers.discard(reader)


class _KeptEvents:
    """The last events in the sessions of one owner."""

    def __init__(self, dropped: int) -> None:
        """`dropped`: the number of the last one that is kept no more."""
        self._events: deque[tuple[Event, int]] = deque()
        self.bytes = 0
        self.dropped = dropped

    def add(self, event: Event, size: int) -> None:
        self._events.append((event, size))
        self.bytes += size
        if len(self._events) > MAX_EVENTS:
            self.drop_oldest()

    def drop_oldest(self) -> None:
        event, size = self._events.popleft()
        self.bytes -= size
        self.dropped = event.number

    def after(self, number: int) -> list[Event]:
        """Return the events after a number, oldest first. Most readers ask for the last few."""
        newest_first = (event for event, _ in reversed(self._events))
        return [*itertools.takewhile(lambda event: event.number > number, newest_first)][::-1]


class EventReader:
    """Reads the log from one place on. It holds no events itself, so a slow client costs no memory."""

    def __init__(self, events: Events, sees: Sees, last: int) -> None:
        self._events = events
        self._sees = sees
        self._last = last
        self._more = asyncio.Event()

    def wake(self, mark: OwnerMark) -> None:
        """Note that there is an event in a session of an owner."""
        if self._sees(mark):
            self._more.set()

    async def next(self) -> list[Event]:
        """Wait for events that were not read yet, and return them."""
        while not (found := list(self._events.after(self._last, self._sees))):
            self._more.clear()
            await self._more.wait()
        self._last = found[-1].number
        return found

    def close(self) -> None:
        self._events.remove(self)
