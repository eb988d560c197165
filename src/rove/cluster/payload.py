"""Values between a rove process and its nodes, as bytes, and messages of the Ray driver process.

They are pickled, and read by an unpickler that makes nothing but plain data, records and errors of rove: a node whose
browser was taken over must not run code in the process that holds the policy and the secrets.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import io
import pickle
from collections.abc import AsyncIterator
from enum import Enum
from typing import Any

from rove.advice import Verbatim
from rove.page_text import Own, PageText

PROTOCOL = 5
# Types of the standard library that have no effect when they are made.
_PLAIN = {
    ("builtins", "set"),
    ("builtins", "frozenset"),
    ("builtins", "bytearray"),
    ("builtins", "complex"),
    ("collections", "OrderedDict"),
    ("collections", "deque"),
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("pathlib", "PosixPath"),
    ("pathlib", "PurePosixPath"),
}
_TEXTS = (Own, PageText, Verbatim)

LENGTH_BYTES = 8


class PayloadRefused(pickle.UnpicklingError):
    """The bytes would make something else than plain data."""


def encode(value: Any) -> bytes:
    """Return the bytes of plain data, records (dataclasses) and errors of rove."""
    return pickle.dumps(value, PROTOCOL)


def decode(data: bytes) -> Any:
    """Return the value of bytes from another process. Raises PayloadRefused, or what unpickling raises."""
    return _PlainUnpickler(io.BytesIO(data)).load()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) in _PLAIN:
            return getattr(importlib.import_module(module), name)
        if module.split(".")[0] == "rove" and name.isidentifier():
            found = getattr(importlib.import_module(module), name, None)
            if _is_record(found):
                return found
        raise PayloadRefused(f"{module}.{name} is not plain data")


def _is_record(found: Any) -> bool:
    """Whether making one has no effect: records, enumerations, marked texts and errors."""
    from rove.errors import RoveError

    if not isinstance(found, type):
        return False
    is_named_tuple = issubclass(found, tuple) and hasattr(found, "_fields")
    return found in _TEXTS or issubclass(found, (RoveError, Enum)) or dataclasses.is_dataclass(found) or is_named_tuple


def frame(message: tuple[Any, ...]) -> bytes:
    """Return the bytes of a message."""
    payload = encode(message)
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


async def messages(reader: asyncio.StreamReader) -> AsyncIterator[Any]:
    """Yield messages until the other process has closed its end, or was ended in the middle of one."""
    try:
        while True:
            length = int.from_bytes(await reader.readexactly(LENGTH_BYTES), "big")
            yield decode(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return
