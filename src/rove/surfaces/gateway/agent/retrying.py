"""Requests that the model's server is too busy to answer are made again, when the server says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelConnectionError, ModelRateLimitError, ModelUnavailableError, RetryModelRequest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext

MOST_ATTEMPTS = 3
# Seconds to wait where the server does not say how long, doubled each time.
FIRST_WAIT = 1.0
# A server that wants more time than this is not waited for: a person may want to do something else.
LONGEST_WAIT = 60.0
Waiting = Callable[[float], None]


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
