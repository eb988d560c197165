"""Methods that run actions, with their signatures and docstrings, and errors as Python code meets them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, Protocol, get_args

from rove.action import Action, AnyAction, make_action, registry
from rove.advice import Names, insert_names
from rove.errors import InvalidArguments, RoveError
from rove.fields import schema_of
from rove.settings.tree import Option, options

# A flag and the word after it, which may be its value.
_FLAG = re.compile(r"(?P<flag>--[a-z][a-z-]*[a-z])(?: (?P<word>[^\s`,;]*[^\s`,;.]))?")
# A host, an address, a path, a number, or a word in capitals that stands for a value.
_EXAMPLE = re.compile(r"[/:.]|^\d+$|^[A-Z]{2,}$")


@cache
def names_in_python() -> Names:
    """Return what Python code calls each action."""
    return {verb: f"session.{verb}()" for verb in registry()}


@cache
def _settings() -> dict[str, Option]:
    return {option.flag: option for option in options()}


def with_arguments(hint: str) -> str:
    """Return a hint in which settings are arguments of `rove.open()` in place of flags of the command line."""
    return _FLAG.sub(_as_argument, hint)


def _as_argument(found: re.Match[str]) -> str:
    flag, word = found["flag"], found["word"]
    is_off = flag.startswith("--no-") and flag not in _settings()
    option = _settings().get("--" + flag.removeprefix("--no-") if is_off else flag)
    if option is None:
        return found[0]
    is_value = word is not None and bool(_EXAMPLE.search(word) or word in get_args(option.kind))
    value = "False" if is_off else json.dumps(word) if is_value else "..."
    rest = f" {word}" if word is not None and not is_value else ""
    return f"rove.open({'__'.join(option.path)}={value}){rest}"


def for_python(error: RoveError) -> RoveError:
    """Return an error whose hint names methods of `Session`, and whose traceback shows its code and its hint.

    What went wrong is on the page or in the call, so the frames of rove are left out, unless it is a fault of rove.
    """
    error.hint = with_arguments(insert_names(error.hint, names_in_python()))
    note = f"{error.code}: {error.hint}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
    return error if type(error) is RoveError else error.with_traceback(None)


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
