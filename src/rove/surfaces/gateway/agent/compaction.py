"""A conversation that has become long is shortened, oldest parts first; a note says what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ToolReturnPart,
    UserPromptPart,
)

from rove.validation.record import dataclass

CHARACTERS_PER_TOKEN = 4
PICTURE_TOKENS = 1500
# The results of the last calls, which the model works with, stay as they are.
KEPT_RESULTS = 3
LONGEST_OLD_RESULT = 400
# A conversation over its limit is shortened to this part of it, so that it is not shortened before every request.
TARGET = 0.5
LEFT_OUT = "[left out to save room]"


@dataclass(frozen=True)
class Compaction:
    """A shorter conversation, and what was left out of it."""

    messages: list[ModelMessage]
    pictures: int = 0
    results: int = 0
    exchanges: int = 0

    @property
    def note(self) -> str:
        """Say what was left out; nothing if it was nothing."""
        counts = {
            "older exchange(s)": self.exchanges,
            "older result(s) of tools, shortened": self.results,
            "older picture(s)": self.pictures,
        }
        told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        return f"To save room, this was left out of the conversation: {told}." if told else ""


def tokens_of(messages: Iterable[ModelMessage]) -> int:
    """Estimate how many tokens a conversation takes."""
    return sum(_tokens(part) for message in messages for part in message.parts)


def bytes_of(messages: Iterable[ModelMessage]) -> int:
    """Estimate how much memory a conversation takes."""
    return sum(_size(item) for message in messages for part in message.parts for item in _items(part))


def compacted(messages: Sequence[ModelMessage], limit: int) -> Compaction:
    """Return a conversation of at most `limit` tokens, if that can be done without what the model works with now."""
    whole = Compaction(list(messages))
    if tokens_of(messages) <= limit:
        return whole
    room = int(limit * TARGET)
    return _without_exchanges(_with_short_results(whole), room)


def _with_short_results(whole: Compaction) -> Compaction:
    """Shorten the text of older results, and remove their pictures."""
    places = [index for index, message in enumerate(whole.messages) if _has_results(message)]
    old = {*places[:-KEPT_RESULTS]}
    messages, pictures, results = list[ModelMessage](), 0, 0
    for index, message in enumerate(whole.messages):
        if index in old and isinstance(message, ModelRequest):
            parts = [_shortened(part) for part in message.parts if not isinstance(part, UserPromptPart)]
            results += sum(part not in message.parts for part in parts)
            pictures += len(message.parts) - len(parts)
            messages.append(replace(message, parts=parts))
        else:
            messages.append(message)
    return replace(whole, messages=messages, pictures=pictures, results=results)


def _without_exchanges(whole: Compaction, room: int) -> Compaction:
    """Remove the oldest exchanges, each from one message of the person to the next, until the rest has room."""
    starts = [index for index, message in enumerate(whole.messages) if _is_prompt(message)]
    removed = 0
    while removed < len(starts) - 1 and tokens_of(whole.messages[starts[removed] :]) > room:
        removed += 1
    if not removed:
        return whole
    shorter = replace(whole, messages=whole.messages[starts[removed] :], exchanges=removed)
    return replace(shorter, messages=_with_note(shorter.messages, shorter.note))


def _with_note(messages: list[ModelMessage], note: str) -> list[ModelMessage]:
    first = messages[0]
    assert isinstance(first, ModelRequest)
    parts: list[ModelRequestPart] = [UserPromptPart(f"[{note}]"), *first.parts]
    return [replace(first, parts=parts), *messages[1:]]


def _has_results(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(isinstance(part, ToolReturnPart) for part in message.parts)


def _is_prompt(message: ModelMessage) -> bool:
    """Whether a message is from the person. The pictures of a result come as a prompt beside it."""
    return isinstance(message, ModelRequest) and not _has_results(message)


def _shortened(part: ModelRequestPart) -> ModelRequestPart:
    """Return the result of a tool with the beginning of its text, and any other part as it is."""
    if type(part) is not ToolReturnPart or len(text := str(part.content)) <= LONGEST_OLD_RESULT:
        return part
    return replace(part, content=f"{text[:LONGEST_OLD_RESULT]}… {LEFT_OUT}")  # type: ignore[arg-type]


def _tokens(part: Any) -> int:
    return sum(
        PICTURE_TOKENS if isinstance(item, BinaryContent) else len(str(item or "")) // CHARACTERS_PER_TOKEN
        for item in _items(part)
    )


def _size(item: Any) -> int:
    return len(item.data) if isinstance(item, BinaryContent) else len(str(item or ""))


def _items(part: Any) -> Sequence[Any]:
    content = getattr(part, "content", None)
    if content is None:
        content = getattr(part, "args", None)
    return content if isinstance(content, list | tuple) else [content]
