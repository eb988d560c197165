"""An outcome as text for a model, and as plain data for a program."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from rove.errors import RoveError
from rove.outcome import AnyOutcome, Outcome
from rove.render.cleaning import one_line, readable


def as_text(outcome: AnyOutcome) -> str:
    """What a model reads: what was done, where it is now, what changed, what else happened."""
    parts = [result_text(outcome.result)]
    if outcome.changes.kind == "page":
        parts.append(f"{json.dumps(outcome.title or '', ensure_ascii=False)} {outcome.url}")
    if outcome.changes.text:
        parts.append(outcome.changes.text)
    parts += [f"({event.kind}) {one_line(event.text)}" for event in outcome.events]
    if outcome.pending:
        parts.append(f"Still pending: {', '.join(one_line(what, 200) for what in outcome.pending[:5])}")
    return readable("\n".join(part for part in parts if part))


def as_data(outcome: AnyOutcome) -> dict[str, Any]:
    """The same for programs; complete by itself, as some clients show only this to their model."""
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
    if outcome.events:
        data["events"] = plain(outcome.events)
    if outcome.pending:
        data["pending"] = plain(outcome.pending)
    return data


def error_text(error: RoveError) -> str:
    return readable(f"{error.code}: {one_line(error.message, 2000)}\n{error.hint}".strip())


def result_text(result: Any) -> str:
    """A result in its own words if it has any, else its facts."""
    if "__str__" in vars(type(result)):
        return str(result)
    return json.dumps(plain(result), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Data that JSON can carry; pictures and files travel beside it."""
    if isinstance(value, Outcome):
        outcome: AnyOutcome = value
        return as_data(outcome)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plain(item) for name, item in fields.items() if name != "attachments"}
    if isinstance(value, list | tuple):
        items: Iterable[Any] = value
        return [plain(item) for item in items]
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        mapping: dict[Any, Any] = value
        return {readable(str(key)): plain(item) for key, item in mapping.items()}
    return value
