"""What goes out of the house, rid of secrets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, cast

from rove.errors import RoveError
from rove.guard.secrets import Secrets

V = TypeVar("V")
Redact = Callable[[str], str]


def cleared(value: V, secrets: Secrets) -> V:
    """The same with every text in it, however deep, rid of secrets."""
    return cast(V, without(value, secrets.redact)) if secrets.names else value


def clear_error(error: Exception, secrets: Secrets) -> None:
    """Take secrets out of what an error says, and out of what led to it, which a traceback would show."""
    said: BaseException | None = error if secrets.names else None
    while said is not None:
        said.args = without(said.args, secrets.redact)
        if isinstance(said, RoveError):
            said.message, said.hint = secrets.redact(said.message), secrets.redact(said.hint)
        said = said.__cause__ or said.__context__


def without(value: Any, redact: Redact) -> Any:
    """A value with every text in it redacted, and every number that is a secret as it stands."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        said = redact(str(value))
        return said if said.startswith("[") else value
    if isinstance(value, list):
        return [without(item, redact) for item in value]
    if isinstance(value, tuple):
        return tuple(without(item, redact) for item in value)
    if isinstance(value, dict):
        return {without(key, redact): without(item, redact) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _cleared_fields(value, redact)
    return value


def _cleared_fields(value: Any, redact: Redact) -> Any:
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    changed = {name: clear for name, item in fields.items() if (clear := without(item, redact)) is not item}
    return dataclasses.replace(value, **changed)
