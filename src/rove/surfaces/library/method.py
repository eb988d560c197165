"""Methods that run actions, with the signatures and docstrings of the actions' classes."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from rove.action import Action, AnyAction, make_action, registry
from rove.errors import InvalidArguments
from rove.surfaces.library.python_errors import for_python
from rove.validation.fields import schema_of


class Runner(Protocol):
    """What runs an action: a session."""

    def run(self, action: Action[Any], /) -> Any: ...


class ActionMethod:
    """The method of an action. It is made when it is first used: signatures of all actions take long to make."""

    def __init__(self, action: type[AnyAction], make: Callable[[type[AnyAction]], Callable[..., Any]]) -> None:
        self._action = action
        self._make = make

    def __get__(self, runner: Runner | None, owner: type[Any]) -> Any:
        made = described(self._make(self._action), self._action, owner)
        holder = next(cls for cls in owner.__mro__ if vars(cls).get(self._action.verb) is self)
        setattr(holder, self._action.verb, made)
        return made.__get__(runner, owner)


def add_methods(cls: type[Any], make: Callable[[type[AnyAction]], Callable[..., Any]]) -> None:
    """Add a method for every action to a class."""
    for verb, action in registry().items():
        setattr(cls, verb, ActionMethod(action, make))


def coroutine_method(action: type[AnyAction]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return a coroutine function that takes the arguments of an action and runs it."""

    async def run(self: Runner, /, *args: Any, **kwargs: Any) -> Any:
        return await self.run(_made(action, args, kwargs))

    return run


def blocking_method(action: type[AnyAction]) -> Callable[..., Any]:
    """Return a function that takes the arguments of an action, runs it and waits for its outcome."""

    def run(self: Runner, /, *args: Any, **kwargs: Any) -> Any:
        return self.run(_made(action, args, kwargs))

    return run


def _made(action: type[AnyAction], args: tuple[Any, ...], kwargs: dict[str, Any]) -> AnyAction:
    try:
        return make_action(action, *args, **kwargs)
    except InvalidArguments as error:
        raise for_python(error) from None


def described(function: Any, action: type[AnyAction], owner: type[Any]) -> Any:
    """Give a method the name, the signature and the docstring of an action."""
    function.__name__ = action.verb
    function.__qualname__ = f"{owner.__qualname__}.{action.verb}"
    function.__module__ = owner.__module__
    function.__doc__ = docstring(action)
    function.__signature__ = _signature(action)
    return function


def docstring(action: type[AnyAction]) -> str:
    """Return the docstring of an action and, under it, a line for each of its arguments."""
    lines = [f"{name}: {schema['description']}" for name, schema in schema_of(action)["properties"].items()]
    text = inspect.cleandoc(action.__doc__ or "")
    return "\n\n".join([text, "\n".join(lines)]) if lines else text


def _signature(action: type[AnyAction]) -> inspect.Signature:
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    arguments = [
        inspect.Parameter(
            field.name,
            either,
            default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
            annotation=field.type,
        )
        for field in dataclasses.fields(action)  # type: ignore[arg-type]
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return inspect.Signature([own, *arguments], return_annotation=f"Outcome[{action.result.__name__}]")
