"""Removes secrets from outcomes, errors and approval requests before they leave the engine."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

from rove.errors import RoveError
from rove.guard.secrets.secrets import Secrets
from rove.outcome import Quoted

V = TypeVar("V")
Redact = Callable[[str], str]
# Declarations of fields that hold numbers and nothing else: `int`, `float | None`, `tuple[int, ...]`.
_NUMBERS = re.compile(
    r"(?:<class ')?(?:int|float)(?:'>)?(?: \| None)?|tuple\[(?:int|float)(?:, (?:int|float|\.\.\.))*\]"
)


def redacted_outcome(value: V, secrets: Secrets) -> V:
    """Return a copy of a dataclass in which every text, at any depth, is free of secrets."""
    return cast(V, _redact_value(value, secrets.redact)) if secrets.names else value


def redact_error(error: Exception, secrets: Secrets) -> None:
    """Remove secrets from an error, and from the errors that caused it, which a traceback would show."""
    if secrets.names:
        _redact_chain(error, secrets.redact)


def _redact_chain(error: BaseException | None, redact: Redact) -> None:
    while error is not None:
        error.args = _redact_value(error.args, redact)
        if isinstance(error, RoveError):
            error.message, error.hint = redact(error.message), _redact_value(error.hint, redact)
            error.origin = redact(error.origin) if error.origin else error.origin
        error = error.__cause__ or error.__context__


def _redact_value(value: Any, redact: Redact) -> Any:
    """Return a value with every text in it redacted, and each number that is a secret replaced by text."""
    if isinstance(value, str):
        return _redact_text(value, redact)
    if isinstance(value, RoveError):
        _redact_chain(value, redact)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return redact(str(value)) if _is_secret(value, redact) else value
    if isinstance(value, list):
        return [_redact_value(item, redact) for item in value]
    if isinstance(value, tuple):
        return tuple(_redact_value(item, redact) for item in value)
    if isinstance(value, dict):
        return {_redact_value(key, redact): _redact_value(item, redact) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _redact_fields(value, redact)
    return value


def _redact_text(text: str, redact: Redact) -> str:
    """Return redacted text of the same class, since the class says whether rove, the page or a frame wrote it."""
    clear = redact(text)
    if isinstance(text, Quoted):
        return Quoted(clear, redact(text.origin))
    return text if clear == text else type(text)(clear)


def _is_secret(number: float, redact: Redact) -> bool:
    return redact(str(number)).startswith("[")


def _redact_fields(value: Any, redact: Redact) -> Any:
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        clear = _redact_field(str(field.type), item, redact)
        if clear is not item:
            changed[field.name] = clear
    return dataclasses.replace(value, **changed)


def _redact_field(hint: str, item: Any, redact: Redact) -> Any:
    """Redact a field without changing its type: where it cannot hold text, a secret number becomes None or zero."""
    if not _NUMBERS.fullmatch(hint):
        return _redact_value(item, redact)
    if isinstance(item, tuple):
        numbers: tuple[Any, ...] = item
        return tuple(_redact_field("int", number, redact) for number in numbers)
    if item is None or isinstance(item, bool) or not _is_secret(item, redact):
        return item
    return None if hint.endswith("None") else type(item)()
