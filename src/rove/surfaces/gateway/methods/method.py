"""What a method of the gateway is: declared once, with its scope, its parameters and its documentation."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform

from rove.errors import InvalidArguments, UnknownMethod
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.live.client import Client as Client
from rove.surfaces.gateway.tokens import Scope
from rove.validation.fields import InvalidFields, Validated, build
from rove.validation.fields import arg as arg
from rove.validation.record import dataclass
from rove.validation.spelling import nearest


class Method(Validated):
    """A request of a client, with validated parameters."""

    wire_name: ClassVar[str]
    scope: ClassVar[Scope]
    returns: ClassVar[str]

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        """Do it, and return the result."""
        raise NotImplementedError


M = TypeVar("M", bound=Method)
_registry: dict[str, type[Method]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(arg,))
def method(name: str, scope: Scope, returns: str = "{}") -> Callable[[type[M]], type[M]]:
    """Declare a method: its name on the wire, the scope it needs, and what its result has."""

    def declare(cls: type[M]) -> type[M]:
        if not (cls.__doc__ or "").strip():  # checked first, as `dataclass` adds one
            raise TypeError(f"{cls.__name__} needs a docstring: it is its documentation")
        declared = dataclass(frozen=True)(cls)
        declared.wire_name, declared.scope, declared.returns = name, scope, returns
        _registry[name] = declared
        return declared

    return declare


def methods() -> Mapping[str, type[Method]]:
    """Return every method by its name on the wire."""
    import_all()
    return _registry


@cache
def import_all() -> None:
    """Import every module beside and below this one, which declares its methods."""
    for found in pkgutil.walk_packages([str(Path(__file__).parent)], f"{__package__}."):
        import_module(found.name)


def read(name: object, params: object) -> Method:
    """Make a method from a client's message. Raises UnknownMethod, or InvalidArguments with the parameter's name."""
    known = methods()
    if not isinstance(name, str) or name not in known:
        near = nearest(str(name), known)
        raise UnknownMethod(f"There is no method {name!r}." + (f" Did you mean {near}?" if near else ""))
    if params is not None and not isinstance(params, dict):
        raise InvalidArguments("`params`: must be an object.")
    given = cast("dict[str, Any]", params or {})
    try:
        made: Method = build(known[name], {snake(key): value for key, value in given.items()})
    except InvalidFields as error:
        wrong = "; ".join(f"`{camel(where)}` {why}" for where, why in error.complaints)
        raise InvalidArguments(f"{name}: {wrong}.") from error
    return made


def camel(name: str) -> str:
    """Return a parameter's name as it is on the wire: `session_key` is `sessionKey`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def snake(name: str) -> str:
    """Return the name of a parameter in Python."""
    return re.sub(r"(?<!^)([A-Z])", lambda found: "_" + found[1].lower(), name)
