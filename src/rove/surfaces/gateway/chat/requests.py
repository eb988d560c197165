"""Requests to a model: made shorter when the conversation is long, without pictures, again if the server is busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelUnavailableError,
    RetryModelRequest,
)
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from rove.records import dataclass

CHARACTERS_PER_TOKEN = 4
PICTURE_TOKENS = 1500
# The results of the last calls, which the model works with, stay as they are.
KEPT_RESULTS = 3
LONGEST_OLD_RESULT = 400
# A conversation over its limit is shortened to this part of it, so that it is not shortened before every request.
TARGET = 0.5
LEFT_OUT = "[left out to save room]"

# Rejected for another reason than what the messages contain.
OTHER_REASONS = (ModelAuthenticationError, ModelContextWindowExceededError, ModelNotFoundError)
LEFT_OUT_PICTURE = "[a picture, which you cannot see]"
REJECTED = "The model's server rejected a picture, so it is sent none in this conversation."
MOST_ATTEMPTS = 3
# Seconds to wait where the server does not say how long, doubled each time.
FIRST_WAIT = 1.0
# A server that wants more time than this is not waited for: a person may want to do something else.
LONGEST_WAIT = 60.0
Waiting = Callable[[float], None]


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


class PicturesIfAccepted(AbstractCapability[None]):
    """Leaves pictures out of a conversation from the first request that is rejected with one; `tell` is told so."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._has_rejected = False

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if not self._has_rejected:
            return request_context
        return replace(request_context, messages=[_without_pictures(each) for each in request_context.messages])

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        is_rejected = isinstance(error, ModelRequestRejectedError) and not isinstance(error, OTHER_REASONS)
        if not is_rejected or self._has_rejected or not _has_pictures(request_context.messages):
            raise error
        self._has_rejected = True
        self._tell(REJECTED)
        raise RetryModelRequest


def _has_pictures(messages: Sequence[ModelMessage]) -> bool:
    return any(_without_pictures(message) is not message for message in messages)


def _without_pictures(message: ModelMessage) -> ModelMessage:
    """Return a message without pictures; the same message if it has none."""
    if not isinstance(message, ModelRequest):
        return message
    parts = [_without(part) for part in message.parts]
    is_same = all(new is old for new, old in zip(parts, message.parts, strict=True))
    return message if is_same else replace(message, parts=parts)


def _without(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return part
    if not any(isinstance(item, BinaryContent) for item in part.content):
        return part
    return replace(
        part, content=[LEFT_OUT_PICTURE if isinstance(item, BinaryContent) else item for item in part.content]
    )


class RetryWhenBusy(AbstractCapability[None]):
    """Waits as long as the server asks for, and tries again a few times. `waiting` is called with the seconds."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        seconds = _wait_for(error, request_context.attempt)
        if seconds is None:
            raise error
        self._waiting(seconds)
        await asyncio.sleep(seconds)
        raise RetryModelRequest


def _wait_for(error: Exception, attempt: int) -> float | None:
    """Return the seconds after which to try again; None if another try would not help."""
    if attempt >= MOST_ATTEMPTS:
        return None
    if not isinstance(error, ModelRateLimitError | ModelUnavailableError | ModelConnectionError):
        return None
    asked = error.retry_after
    seconds = FIRST_WAIT * 2 ** (attempt - 1) if asked is None else asked
    return seconds if seconds <= LONGEST_WAIT else None
