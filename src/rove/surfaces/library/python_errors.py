"""Errors as Python code meets them: hints that name methods, and tracebacks with the code and the hint."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import get_args

from rove.action import registry
from rove.advice import Names, insert_names
from rove.errors import RoveError
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
