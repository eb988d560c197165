"""Removes secrets from outcomes, errors and approval requests before they leave the engine.

All texts of a value are searched as one: a secret may be spread over several, such as elements with one letter each.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar, cast

from rove.errors import RoveError
from rove.page_text import NOWHERE, PageText, Text

V = TypeVar("V")
# The declared types of a value: the members of a union, or the one type that is not a union.
Kinds = tuple[Any, ...]
UNDECLARED: Kinds = (Any,)


class Redactor(Protocol):
    """Removes texts that must not leave the engine; `names` is empty if there are none."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def redact(self, text: str, /) -> str: ...
    def redact_all(self, texts: Sequence[str], /) -> list[str]:
        """Redact texts that are shown together."""
        ...


@dataclasses.dataclass(frozen=True)
class Redact:
    """What is done with each text, with each origin of a page's text, and with each number as text."""

    text: Callable[[str], str]
    origin: Callable[[str], str]
    number: Callable[[str], str]


def redacted_outcome(value: V, secrets: Redactor) -> V:
    """Return a copy of a dataclass in which every text, at any depth, is free of secrets."""
    return _redacted_together(value, secrets, _redact_value) if secrets.names else value


def redact_error(error: Exception, secrets: Redactor) -> None:
    """Remove secrets from an error, and from the errors that caused it, which a traceback would show."""
    if secrets.names:
        _redacted_together(error, secrets, _redact_chain)


def _redacted_together(value: V, secrets: Redactor, redact_in: Callable[[V, Redact], Any]) -> V:
    """Collect the texts of a value, redact them as one, and put them back in the same order.

    Origins are not among them: the same origin after each letter would keep the letters of a secret apart.
    """
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    redact_in(value, Redact(collect, lambda origin: origin, lambda number: number))
    clear: Iterator[str] = iter(secrets.redact_all(texts))
    return cast(V, redact_in(value, Redact(lambda _: next(clear), cache(secrets.redact), secrets.redact)))


def _redact_chain(error: BaseException | None, redact: Redact) -> None:
    while error is not None:
        error.args = _redact_value(error.args, redact)
        if isinstance(error, RoveError):
            error.parts, error.hint = _redact_parts(error.parts, redact), _redact_value(error.hint, redact)
        error = error.__cause__ or error.__context__


def _redact_parts(parts: tuple[Text, ...], redact: Redact) -> tuple[str, ...]:
    """Redact each part of a message; a message in which a secret lies over two parts, as a whole."""
    clear = tuple(_redact_text(part, redact) for part in parts)
    whole = redact.number("".join(clear))
    if whole == "".join(clear):
        return clear
    origins = {part.origin for part in parts if isinstance(part, PageText)}
    return (PageText(whole, origins.pop() if len(origins) == 1 else NOWHERE),) if origins else (whole,)


def _redact_value(value: Any, redact: Redact, kinds: Kinds = UNDECLARED) -> Any:
    """Return a value with every text in it redacted, and each number that is a secret replaced as its type allows."""
    if isinstance(value, str):
        return _redact_text(value, redact)
    if isinstance(value, RoveError):
        _redact_chain(value, redact)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _redact_number(value, redact, kinds)
    if isinstance(value, list | tuple | dict):
        return _redact_items(value, redact, kinds)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _redact_fields(value, redact)
    return value


def _redact_text(text: str, redact: Redact) -> str:
    """Return redacted text of the same class, since the class says whether rove, the page or a frame wrote it."""
    clear = redact.text(text)
    if isinstance(text, PageText):
        return PageText(clear, redact.origin(text.origin))
    return text if clear == text else type(text)(clear)


def _redact_number(number: float, redact: Redact, kinds: Kinds) -> Any:
    """Replace a number that is a secret: by text if its type allows that, else by None, else by zero."""
    clear = redact.number(str(number))
    if not clear.startswith("["):
        return number
    if not _is_numeric(kinds):
        return clear
    return None if types.NoneType in kinds else type(number)()


def _is_numeric(kinds: Kinds) -> bool:
    """Whether the declared types allow a number and do not allow text."""
    return any(kind in (int, float) for kind in kinds) and not any(map(_allows_text, kinds))


def _allows_text(kind: Any) -> bool:
    return kind in (Any, object) or isinstance(kind, TypeVar) or (isinstance(kind, type) and issubclass(kind, str))


def _redact_items(items: Any, redact: Redact, kinds: Kinds) -> Any:
    if isinstance(items, dict):
        of_keys, of_values = (_kinds_of_items(kinds, dict, index) for index in range(2))
        return {
            _redact_value(key, redact, of_keys): _redact_value(item, redact, of_values) for key, item in items.items()
        }
    redacted = (
        _redact_value(item, redact, _kinds_of_items(kinds, type(items), index)) for index, item in enumerate(items)
    )
    return list(redacted) if isinstance(items, list) else tuple(redacted)


def _redact_fields(value: Any, redact: Redact) -> Any:
    cls: Any = type(value)
    changed: dict[str, Any] = {}
    for name, kinds in _declared_fields(cls).items():
        item = getattr(value, name)
        clear = _redact_value(item, redact, kinds)
        if clear is not item:
            changed[name] = clear
    return dataclasses.replace(value, **changed)


@cache
def _declared_fields(cls: Any) -> dict[str, Kinds]:
    """Return the declared types of each field of a dataclass. Resolving them is slow, so it is done once per class."""
    hints = typing.get_type_hints(cls)
    return {field.name: _kinds(hints[field.name]) for field in dataclasses.fields(cls)}


def _kinds(hint: Any) -> Kinds:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _kinds_of_items(kinds: Kinds, container: type, index: int) -> Kinds:
    """Return the declared types of the item at an index; of a dict, 0 stands for its keys and 1 for its values."""
    found: list[Any] = []
    for kind in kinds:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if not (isinstance(origin, type) and issubclass(container, origin)):
            continue
        is_repeated = not issubclass(container, dict) and (len(arguments) == 1 or arguments[-1] is ...)
        place = 0 if is_repeated else index
        found += _kinds(arguments[place]) if place < len(arguments) else UNDECLARED
    return tuple(found) or UNDECLARED
