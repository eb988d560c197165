"""A `dataclass` decorator that is cheap at import time.

The standard library compiles four functions for each dataclass, and six for a frozen one. For the 120 dataclasses of
rove that was 45 % of the import time, which a server needs before it can answer. Here the functions that are the same
for every class are written once, and the others are made when a class is first used.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import dataclass as dataclass

T = TypeVar("T")
# Held while a class is completed: once, by the first thread that uses it, its bases before it.
_declaring = RLock()


class _Fields:
    """Stands in for `__dataclass_fields__` until it is first read."""

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls

    def __get__(self, value: object, owner: type[Any]) -> Any:
        with _declaring:
            if vars(self._cls)["__dataclass_fields__"] is self:  # no other thread was faster
                dataclasses.dataclass(init=False, repr=False, eq=False)(self._cls)
        return vars(self._cls)["__dataclass_fields__"]


class _Init:
    """Stands in for `__init__` until it is first called."""

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls

    def __get__(self, value: object, owner: type[Any]) -> Any:
        compiled = _compiled_init(self._cls)
        self._cls.__init__ = compiled
        return compiled.__get__(value, owner)


def _compiled_init(cls: type[Any]) -> Callable[..., None]:
    scope: dict[str, Any] = {"MISSING": dataclasses.MISSING}
    parameters, lines = ["self"], ["pass"]
    for field in dataclasses.fields(cls):
        parameters.append(field.name + _default(field, scope))
        made = f"made_{field.name}() if {field.name} is MISSING else " if f"made_{field.name}" in scope else ""
        lines.append(f"self.__dict__[{field.name!r}] = {made}{field.name}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in dataclasses.fields(cls)}
    return init


def _default(field: dataclasses.Field[Any], scope: dict[str, Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        scope[f"made_{field.name}"] = field.default_factory
        return "=MISSING"
    if field.default is dataclasses.MISSING:
        return ""
    scope[f"default_{field.name}"] = field.default
    return f"=default_{field.name}"


def _values(record: Any) -> tuple[Any, ...]:
    names = vars(type(record)).get("__match_args__") or [field.name for field in dataclasses.fields(record)]
    return tuple(map(record.__dict__.__getitem__, names))


def _is_equal(record: Any, other: object) -> Any:
    return _values(record) == _values(other) if type(other) is type(record) else NotImplemented


def _hash(record: Any) -> int:
    return hash(_values(record))


def _shown(record: Any) -> str:
    shown = (f"{field.name}={getattr(record, field.name)!r}" for field in dataclasses.fields(record) if field.repr)
    return f"{type(record).__qualname__}({', '.join(shown)})"


def _refuse_to_set(record: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(record: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


_MUTABLE: dict[str, Any] = {"__eq__": _is_equal, "__hash__": None, "__repr__": _shown}
_FROZEN: dict[str, Any] = {
    **_MUTABLE,
    "__hash__": _hash,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
}


def _record(cls: type[T], shared: Mapping[str, Any]) -> type[T]:
    own = set(vars(cls))
    # Without a docstring `dataclasses` would make one of the signature, which takes as long as all the rest.
    cls.__doc__ = cls.__doc__ or cls.__name__
    for name, method in {**shared, "__init__": _Init(cls), "__dataclass_fields__": _Fields(cls)}.items():
        if name not in own or vars(cls)[name] is None:
            setattr(cls, name, method)
    return cls


if not TYPE_CHECKING:

    def dataclass(cls=None, *, frozen=False):
        """Declare a dataclass, as `dataclasses.dataclass` does; type checkers see that one."""
        if cls is not None:
            return _record(cls, _MUTABLE)
        return lambda declared: _record(declared, _FROZEN if frozen else _MUTABLE)
