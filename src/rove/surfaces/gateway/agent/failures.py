"""What can go wrong between the chat and its model, as a code, a sentence and what to do about it."""

from __future__ import annotations

from pydantic_ai import exceptions

from rove.errors import MissingKey, RoveError
from rove.render.cleaning import one_line
from rove.validation.record import dataclass

LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class ChatFailure:
    """Why a run of the chat ended early. Clients branch on the code, which never changes."""

    code: str
    message: str
    hint: str

    def as_data(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message, "hint": self.hint}


@dataclass(frozen=True)
class _Kind:
    error: type[Exception]
    code: str
    message: str
    hint: str


# The first class that an error is an instance of decides, so special ones come first.
_KINDS = (
    _Kind(
        exceptions.ModelAuthenticationError,
        "model_key_rejected",
        "The model's provider rejected the key.",
        "Check the key in the environment of rove serve, then start it again.",
    ),
    _Kind(
        exceptions.ModelNotFoundError,
        "model_not_found",
        "The model's provider does not know this model.",
        "Check the name with which --serve-model was set.",
    ),
    _Kind(
        exceptions.ModelContextWindowExceededError,
        "model_context_full",
        "The conversation is longer than the model can read.",
        "Ask for less at once, or open a new session. The last message was taken out of the conversation.",
    ),
    _Kind(
        exceptions.ModelQuotaExceededError,
        "model_quota",
        "The account at the model's provider has no quota left.",
        "Waiting does not help: see the billing page of the provider.",
    ),
    _Kind(
        exceptions.ModelRateLimitError,
        "model_rate_limited",
        "The model's provider refuses more requests for now, also after several tries.",
        "Wait a minute, then send the message again.",
    ),
    _Kind(
        exceptions.ModelRequestRejectedError,
        "model_request_rejected",
        "The model's provider rejected the request.",
        "The last message was taken out of the conversation: say it differently, or choose another model.",
    ),
    _Kind(
        exceptions.ModelConnectionError,
        "model_connection",
        "The connection to the model failed or broke off.",
        "Check that its server is reachable, then send the message again.",
    ),
    _Kind(
        exceptions.ModelAPIError,
        "model_unavailable",
        "The model's server failed.",
        "Send the message again; if it happens again, see the status page of the provider.",
    ),
    _Kind(
        exceptions.ContentFilterError,
        "model_refused",
        "The model refused to answer.",
        "Say differently what you need.",
    ),
    _Kind(
        exceptions.UnexpectedModelBehavior,
        "model_confused",
        "The model answered in a way that makes no sense, also after it was told so.",
        "Send the message again, or choose another model.",
    ),
    _Kind(
        exceptions.UserError,
        "model_misused",
        "The model cannot be used like this.",
        "Choose another model with --serve-model.",
    ),
)
CODES = {MissingKey.code, *(kind.code for kind in _KINDS)}
EXPECTED: tuple[type[Exception], ...] = (RoveError, *(kind.error for kind in _KINDS))


def failure_of(error: Exception) -> ChatFailure:
    """Return the failure that an expected error means."""
    if isinstance(error, RoveError):
        return ChatFailure(error.code, error.message, error.hint)
    kind = next(kind for kind in _KINDS if isinstance(error, kind.error))
    return ChatFailure(kind.code, f"{kind.message} It said: {_said(error)}", kind.hint)


def _said(error: Exception) -> str:
    return one_line(str(getattr(error, "message", "") or error), LONGEST_MESSAGE)
