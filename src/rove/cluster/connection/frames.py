"""Messages between a rove process and its Ray driver process: a length, then a payload."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from rove.cluster.payload import decode, encode

LENGTH_BYTES = 8


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
