"""Which methods of a service may be called from outside of the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__is_offered__"


def offered(method: F) -> F:
    """Mark a method that the rove process of the node may call: a coroutine, or an async generator for a stream."""
    setattr(method, _MARK, True)
    return method


def is_offered(method: Any) -> bool:
    return getattr(method, _MARK, False) is True
