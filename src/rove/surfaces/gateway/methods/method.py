"""What a method of the gateway is: declared once, with its scope, its parameters and its documentation."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, cast, dataclass_transform

from rove.advice import nearest
from rove.errors import InvalidArguments, UnknownMethod
from rove.fields import InvalidFields, Validated, build
from rove.fields import arg as arg
from rove.records import dataclass
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.live_view import Client as Client
from rove.surfaces.gateway.tokens import Scope

# The parameter that names the session of a request.
SESSION = "session_key"
Reach = Literal["session", "sessions", "server"]


class Method(Validated):
    """A request of a client, with validated parameters."""

    wire_name: ClassVar[str]
    # The token must have one of them.
    needs: ClassVar[tuple[Scope, ...]]
    # What it is about: the session that it names, sessions that it finds by the client's token, or the server.
    reach: ClassVar[Reach]
    returns: ClassVar[str]

    @property
    def given_session(self) -> str | None:
        """The session that the client names."""
        return getattr(self, SESSION, None)

    def in_session(self, name: str) -> Method:
        """Return the same request for a session by its full name."""
        made: Method = replace(cast(Any, self), **{SESSION: name})
        return made

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        """Do it, and return the result."""
        raise NotImplementedError


M = TypeVar("M", bound=Method)
_registry: dict[str, type[Method]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(arg,))
def method(name: str, *needs: Scope, returns: str = "{}", reach: Reach = "session") -> Callable[[type[M]], type[M]]:
    """Declare a method: its name on the wire, the scopes of which it needs one, and what its result has.

    The session that it names as `session_key` is checked before it runs. A method that names none must declare its
    reach: it is about the `server`, or it looks itself for the `sessions` that the client's token reaches.
    """

    def declare(cls: type[M]) -> type[M]:
        if not (cls.__doc__ or "").strip():  # checked first, as `dataclass` adds one
            raise TypeError(f"{cls.__name__} needs a docstring: it is its documentation")
        declared = dataclass(frozen=True)(cls)
        if not needs or (reach == "session" and SESSION not in declared.__annotations__):
            raise TypeError(
                f"{cls.__name__} must declare the scopes that it needs, and its reach if it names no session"
            )
        declared.wire_name, declared.needs, declared.reach, declared.returns = name, needs, reach, returns
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
