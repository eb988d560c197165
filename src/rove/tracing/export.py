"""Writing the events of one tab as a trace that Chrome's DevTools opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rove.tracing.processes import COMMITTED, STARTED, TabProcesses
from rove.tracing.stream import Event

BATCH = 500
# Headers may have cookies in them, and no view of DevTools' performance panel needs them.
SECRET_FIELDS = ("headers", "requestHeaders")


def trace_text(events: Iterable[Event], kept: TabProcesses, redact: Callable[[str], str]) -> Iterator[bytes]:
    """Yield the JSON of a trace with the events of one tab, without secrets."""
    yield b'{"traceEvents":[\n'
    batch: list[str] = []
    is_first = True
    for event in events:
        own = _own_frames(event, kept) if kept.has(event) else None
        if own is None:
            continue
        batch.append(json.dumps(_without_headers(own), ensure_ascii=False, separators=(",", ":")))
        if len(batch) == BATCH:
            yield _joined(batch, is_first, redact)
            batch, is_first = [], False
    if batch:
        yield _joined(batch, is_first, redact)
    yield b'\n],"metadata":{"source":"rove","dataOrigin":"TraceEvents"}}\n'


def _joined(batch: list[str], is_first: bool, redact: Callable[[str], str]) -> bytes:
    return ("" if is_first else ",\n").encode() + redact(",\n".join(batch)).encode("utf-8", "replace")


def _own_frames(event: Event, kept: TabProcesses) -> Event | None:
    """Leave out the frames that may not be told, of an event that names frames; None if it names no other."""
    if event.get("name") not in (STARTED, COMMITTED):
        return event
    data: dict[str, Any] = (event.get("args") or {}).get("data") or {}
    told = kept.main | kept.others
    if "frames" in data:
        frames = [frame for frame in data["frames"] if frame.get("processId") in told]
        return {**event, "args": {"data": {**data, "frames": frames}}}
    return event if data.get("processId") in told else None


def _without_headers(event: Event) -> Event:
    data = (event.get("args") or {}).get("data")
    if not isinstance(data, dict) or not any(field in data for field in SECRET_FIELDS):
        return event
    return {**event, "args": {"data": {name: value for name, value in data.items() if name not in SECRET_FIELDS}}}
