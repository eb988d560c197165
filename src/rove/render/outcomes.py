"""An outcome as text for a model, and as plain data for a program."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rove.actions.batch import BatchDone
from rove.errors import RoveError
from rove.guard.wrapping.wrapper import wrapped
from rove.outcome import NOWHERE, AnyOutcome, Outcome, Own, Passage, Quoted, origin_in
from rove.render.cleaning import one_line, readable
from rove.snapshot import BORDER


def as_text(outcome: AnyOutcome) -> str:
    """What a model reads: what was done, where it is now, what changed, what else happened."""
    return wrapped(_passages(outcome)) or "Done."


def error_text(error: RoveError) -> str:
    """What a model reads when it did not work out."""
    return wrapped(_error_passages(error))


def error_data(error: RoveError) -> dict[str, object]:
    """The same in parts, for callers that branch on the code."""
    return {**error.as_dict(), "message": wrapped([Passage(one_line(error.message, 2000), error.origin)])}


def as_data(outcome: AnyOutcome) -> dict[str, Any]:
    """The same for programs. Its texts are the page's own and in no wrapper: not for a model."""
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


def _passages(outcome: AnyOutcome) -> Iterator[Passage]:
    origin = _origin(outcome)
    yield from _brief_passages(outcome) or _result_passages(outcome.result, origin)
    if outcome.changes.kind == "page":
        yield Passage(readable(f"{json.dumps(outcome.title or '', ensure_ascii=False)} {outcome.url}"), origin)
    yield from _change_passages(outcome, origin)
    yield from (Passage(f"({event.kind}) {one_line(event.text)}", origin) for event in outcome.events)
    if outcome.pending:
        yield Passage(f"Still pending: {', '.join(one_line(what, 200) for what in outcome.pending[:5])}", origin)
    yield from (Passage(event.advice) for event in outcome.events)


def _brief_passages(outcome: AnyOutcome) -> list[Passage]:
    """Where nothing else is told of the page, the wrapper round a label would be most of the answer."""
    is_alone = outcome.changes.kind in ("same", "silent") and not outcome.events and not outcome.pending
    brief = getattr(outcome.result, "in_brief", None)
    return [Passage(brief)] if is_alone and brief is not None else []


def _change_passages(outcome: AnyOutcome, origin: str) -> Iterator[Passage]:
    if outcome.changes.kind == "same":  # refs and numbers only
        yield Passage(outcome.changes.text)
    else:
        yield from _by_origin(outcome.changes.text, origin)


def _error_passages(error: RoveError) -> Iterator[Passage]:
    message = one_line(error.message, 2000)
    if error.origin is None:
        yield Passage(f"{error.code}: {message}")
    else:
        yield Passage(f"{error.code}:")
        yield Passage(message, error.origin)
    yield Passage(readable(error.hint))


def _result_passages(result: Any, origin: str) -> Iterator[Passage]:
    if isinstance(result, BatchDone):
        yield from _batch_passages(result)
    elif hasattr(result, "passages"):
        for passage in result.passages(origin):
            yield Passage(readable(passage.text), passage.origin, passage.is_raw)
    elif getattr(result, "is_made_of_rows", False):
        yield from _by_origin(result_text(result), origin)
    else:
        text = readable(result_text(result))
        yield Passage(text, _whose(result, origin) if has_page_text(result) else None, is_raw="\n" in text)


def _batch_passages(batch: BatchDone) -> Iterator[Passage]:
    for number, outcome in enumerate(batch.done, 1):
        yield from _numbered(f"{number}. {outcome.action}:", list(_result_passages(outcome.result, _origin(outcome))))
    if batch.done:
        yield from _change_passages(batch.done[-1], _origin(batch.done[-1]))
    if batch.failed is not None:
        yield Passage(f"{batch.failed.index + 1}. {batch.failed.action} failed, {batch.left_out} left out:")
        yield from _error_passages(batch.failed.error)


def _numbered(head: str, passages: list[Passage]) -> Iterator[Passage]:
    """A step's words behind its number; on its line if there is but one, which then cannot imitate another."""
    if len(passages) == 1 and "\n" not in passages[0].text:
        yield replace(passages[0], text=f"{head} {passages[0].text}")
    else:
        yield Passage(head)
        yield from passages


def _origin(outcome: AnyOutcome) -> str:
    return origin_in(outcome.url)


def _by_origin(rows: str, origin: str) -> Iterator[Passage]:
    """Rows of a snapshot, parted where a frame of another origin begins or ends."""
    if BORDER not in rows:
        yield Passage(readable(rows), origin)
        return
    gathered: list[str] = []
    for line in rows.split("\n"):
        if line.startswith(BORDER):
            yield Passage(readable("\n".join(gathered)), origin)
            gathered, origin = [], line.removeprefix(BORDER)
        else:
            gathered.append(line)
    yield Passage(readable("\n".join(gathered)), origin)


def _whose(result: Any, origin: str) -> str:
    """Whose words they are: the page's, or those of the one frame that they come from."""
    origins = {said.origin if isinstance(said, Quoted) else origin for said in _foreign_words(result)}
    return origin if not origins else origins.pop() if len(origins) == 1 else NOWHERE


def _foreign_words(value: Any) -> Iterator[str]:
    """Every text in it that is not ours."""
    if isinstance(value, str) and value and not isinstance(value, Own):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _foreign_words(getattr(value, field.name))
    elif isinstance(value, dict):
        mapping: dict[Any, Any] = value
        yield from (said for pair in mapping.items() for item in pair for said in _foreign_words(item))
    elif isinstance(value, list | tuple):
        items: Iterable[Any] = value
        yield from (said for item in items for said in _foreign_words(item))


def has_page_text(value: Any) -> bool:
    """Whether any words in it may be a page's: all that do not say that they are ours."""
    return any(True for _ in _foreign_words(value))


def result_text(result: Any) -> str:
    """A result in its own words if it has any, else its facts."""
    said: Any = type(result).__str__
    if said is not object.__str__:
        return str(result)
    return json.dumps(plain(result), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Data that JSON can carry; pictures and files travel beside it."""
    if isinstance(value, Outcome):
        outcome: AnyOutcome = value
        return as_data(outcome)
    if isinstance(value, RoveError):
        return value.as_dict()
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
