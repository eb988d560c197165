"""Errors as Python code meets them: hints that name methods, and tracebacks with the code and the hint."""

from __future__ import annotations

from functools import cache

from rove.action import registry
from rove.advice import Names, insert_names
from rove.errors import RoveError


@cache
def names_in_python() -> Names:
    """Return what Python code calls each action."""
    return {verb: f"session.{verb}()" for verb in registry()}


def for_python(error: RoveError) -> RoveError:
    """Return an error whose hint names methods of `Session`, and whose traceback shows its code and its hint.

    What went wrong is on the page or in the call, so the frames of rove are left out, unless it is a fault of rove.
    """
    error.hint = insert_names(error.hint, names_in_python())
    note = f"{error.code}: {error.hint}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
    return error if type(error) is RoveError else error.with_traceback(None)
