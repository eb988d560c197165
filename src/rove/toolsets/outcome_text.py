"""Outcomes and errors as text for a model, and as plain data for a program."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rove.errors import RoveError
from rove.guard.cleaning import one_line, readable
from rove.guard.wrapping import wrapped
from rove.outcome import AnyOutcome, Attachment, Event, Outcome, Passage, Result, error_passages, message_passages
from rove.page_text import NOWHERE, PageText

# Headings for what changed after the last answer, and for what followed.
EARLIER = "Changed before this action:"
SINCE = "Changed since it began:"


def as_text(outcome: AnyOutcome) -> str:
    """Tell a model what was done, where the tab is now, what changed and what else happened."""
    return wrapped(_cleaned(_passages(outcome), outcome.origin)) or "Done."


def as_wrapped(passages: Iterable[Passage], page: str) -> str:
    """Return passages as one text for a model; `page` is the origin of the page in the tab."""
    return wrapped(_cleaned(passages, page))


def error_text(error: RoveError) -> str:
    """Tell a model why an action failed and what to try next."""
    return wrapped(_cleaned(error_passages(error)))


def error_data(error: RoveError) -> dict[str, object]:
    """Return an error in parts, for callers that branch on its code."""
    return {**error.as_dict(), "message": wrapped(_cleaned(message_passages(error)))}


def as_data(outcome: AnyOutcome) -> dict[str, Any]:
    """Return an outcome for programs. Text of pages in it is not wrapped, so it is not for a model."""
    data: dict[str, Any] = {
        "action": outcome.action,
        "session": outcome.session,
        "result": plain(outcome.result),
    }
    for name in ("tab", "url", "title"):
        if (value := getattr(outcome, name)) is not None:
            data[name] = plain(value)
    if outcome.changes.kind != "silent":
        data["changes"] = {"kind": outcome.changes.kind, "text": readable(outcome.changes.text)}
    if outcome.earlier.kind != "silent":
        data["earlier"] = {"kind": outcome.earlier.kind, "text": readable(outcome.earlier.text)}
    if outcome.events:
        data["events"] = plain(outcome.events)
    if outcome.pending:
        data["pending"] = plain(outcome.pending)
    return data


def _passages(outcome: AnyOutcome) -> Iterator[Passage]:
    origin = outcome.origin
    result: Result = outcome.result
    yield from result.passages(origin)
    if outcome.changes.kind == "page":
        yield Passage(f"{json.dumps(outcome.title or '', ensure_ascii=False)} {outcome.url}", origin)
    if outcome.earlier.passages:
        yield Passage(EARLIER)
        yield from outcome.earlier.passages
    if outcome.earlier.passages and outcome.changes.passages:
        yield Passage(SINCE)
    yield from outcome.changes.passages
    yield from (event_passage(event) for event in outcome.events)
    if outcome.pending:
        yield Passage("Still pending:")
        yield from (Passage(what, longest=200) for what in outcome.pending[:5])
    yield from (Passage(event.advice) for event in outcome.events)


def event_passage(event: Event) -> Passage:
    """Tell an event on one line, in the words of rove or of the page that wrote it."""
    origin = event.text.origin if isinstance(event.text, PageText) else None
    return Passage(f"({event.kind}) {one_line(event.text)}", origin)


def _cleaned(passages: Iterable[Passage], page: str = NOWHERE) -> Iterator[Passage]:
    """Remove what cannot be seen, keep to one line what has to be, and spell out the page's own origin."""
    for passage in passages:
        text = readable(passage.text) if passage.longest is None else one_line(passage.text, passage.longest)
        yield replace(passage.of(page), text=text)


def plain(value: Any) -> Any:
    """Convert a value to what JSON can carry, without pictures and files, which are sent beside it."""
    if isinstance(value, Outcome):
        outcome: AnyOutcome = value
        return as_data(outcome)
    if isinstance(value, RoveError):
        return value.as_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plain(item) for name, item in fields.items() if not isinstance(item, Attachment)}
    if isinstance(value, list | tuple):
        items: Iterable[Any] = value
        return [plain(item) for item in items]
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        mapping: dict[Any, Any] = value
        return {readable(str(key)): plain(item) for key, item in mapping.items()}
    return value
