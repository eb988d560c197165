"""What goes out of the house, rid of secrets."""

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
    """The same with every text in it, however deep, rid of secrets."""
    return cast(V, redacted(value, secrets.redact)) if secrets.names else value


def redact_error(error: Exception, secrets: Secrets) -> None:
    """Take secrets out of what an error says, and out of what led to it, which a traceback would show."""
    if secrets.names:
        _clear(error, secrets.redact)


def _clear(error: BaseException | None, redact: Redact) -> None:
    while error is not None:
        error.args = redacted(error.args, redact)
        if isinstance(error, RoveError):
            error.message, error.hint = redact(error.message), redacted(error.hint, redact)
            error.origin = redact(error.origin) if error.origin else error.origin
        error = error.__cause__ or error.__context__


def redacted(value: Any, redact: Redact) -> Any:
    """A value with every text in it redacted, and every number that is a secret as it stands."""
    if isinstance(value, str):
        said = redact(value)
        if isinstance(value, Quoted):
            return Quoted(said, redact(value.origin))
        return value if said == value else type(value)(said)  # whose words they are, it says still
    if isinstance(value, RoveError):
        _clear(value, redact)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return redact(str(value)) if _is_secret(value, redact) else value
    if isinstance(value, list):
        return [redacted(item, redact) for item in value]
    if isinstance(value, tuple):
        return tuple(redacted(item, redact) for item in value)
    if isinstance(value, dict):
        return {redacted(key, redact): redacted(item, redact) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _cleared_fields(value, redact)
    return value


def _is_secret(number: float, redact: Redact) -> bool:
    return redact(str(number)).startswith("[")


def _cleared_fields(value: Any, redact: Redact) -> Any:
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        clear = _cleared_field(str(field.type), item, redact)
        if clear is not item:
            changed[field.name] = clear
    return dataclasses.replace(value, **changed)


def _cleared_field(hint: str, item: Any, redact: Redact) -> Any:
    """A field keeps its type: where it can hold no text, a number that is a secret becomes None, or zero."""
    if not _NUMBERS.fullmatch(hint):
        return redacted(item, redact)
    if isinstance(item, tuple):
        numbers: tuple[Any, ...] = item
        return tuple(_cleared_field("int", number, redact) for number in numbers)
    if item is None or isinstance(item, bool) or not _is_secret(item, redact):
        return item
    return None if hint.endswith("None") else type(item)()
