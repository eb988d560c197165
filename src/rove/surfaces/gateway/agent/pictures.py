"""A model that cannot see pictures is sent none: its server says so only by rejecting the first one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import BinaryContent, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelRequestRejectedError,
    RetryModelRequest,
)
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestContext

# Rejected for another reason than what the messages contain.
OTHER_REASONS = (ModelAuthenticationError, ModelContextWindowExceededError, ModelNotFoundError)
LEFT_OUT = "[a picture, which you cannot see]"
REJECTED = "The model's server rejected a picture, so it is sent none in this conversation."


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
    return replace(part, content=[LEFT_OUT if isinstance(item, BinaryContent) else item for item in part.content])
