"""The error tree."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
from collections.abc import Generator, Iterator

import pytest

import rove
from rove import errors
from rove.errors import RoveError

CLASSES = RoveError.__subclasses__()


def every_exception() -> Iterator[type[Exception]]:
    """Yield every exception class that a module of rove defines."""
    for module in pkgutil.walk_packages(rove.__path__, "rove."):
        # An adapter needs its framework, and defines no exceptions.
        if not module.name.endswith(".__main__") and not module.name.startswith("rove.adapters."):
            importlib.import_module(module.name)
    waiting = Exception.__subclasses__()
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls.__module__.startswith("rove."):
            yield cls


@contextlib.contextmanager
def passing() -> Generator[None]:
    """Let an exception pass: Python sets its `__traceback__` on the way out, which a frozen class refuses."""
    yield


def test_every_exception_class_passes_through_a_context_manager() -> None:
    found = sorted(set(every_exception()), key=lambda cls: cls.__qualname__)
    assert len(found) > len(CLASSES)
    for cls in found:
        with pytest.raises(cls), passing():
            raise cls.__new__(cls)


def test_the_tree_in_the_docstring_lists_every_error_class() -> None:
    drawn = re.findall(r"[├└]── (\w+) +(\w+) ", errors.__doc__ or "")
    assert drawn == [(cls.__name__, cls.code) for cls in CLASSES]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_each_error_has_a_unique_code_and_a_hint(cls: type[RoveError]) -> None:
    error = cls("What happened.")
    assert [other.code for other in CLASSES].count(cls.code) == 1
    assert error.hint
    assert error.as_dict() == {
        "code": cls.code, "message": "What happened.", "hint": error.hint, "retryable": cls.retryable
    }  # fmt: skip


def test_a_given_hint_replaces_the_default() -> None:
    assert errors.Denied("No.", hint="Ask Bea.").hint == "Ask Bea."
