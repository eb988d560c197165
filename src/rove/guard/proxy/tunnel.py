"""Tunnels (TLS, WebSockets): forwards bytes in both directions without reading them."""

from __future__ import annotations

import asyncio

from rove.guard.hosts.connection_errors import Unreachable
from rove.guard.http.byte_stream import ByteStream

# When one side has stopped sending, the tunnel stays open until the other side sends nothing for this many seconds.
_HALF_OPEN_IDLE_TIMEOUT = 30.0


async def splice(one: ByteStream, other: ByteStream) -> None:
    """Forward bytes in both directions until both sides have stopped sending."""
    one.stays_half_open = other.stays_half_open = True
    sources = {asyncio.ensure_future(_one_way(one, other)): one, asyncio.ensure_future(_one_way(other, one)): other}
    try:
        await asyncio.wait(sources, return_when=asyncio.FIRST_COMPLETED)
        while remaining := [(task, source) for task, source in sources.items() if not task.done()]:
            task, source = remaining[0]
            before = source.bytes_received
            await asyncio.wait(
                [task for task, _ in remaining], timeout=_HALF_OPEN_IDLE_TIMEOUT, return_when=asyncio.FIRST_COMPLETED
            )
            if source.bytes_received == before and not task.done():
                return
    finally:
        for task in sources:
            task.cancel()


async def _one_way(source: ByteStream, to: ByteStream) -> None:
    """Forward bytes in one direction, and end the other connection in the same way as the source ended."""
    try:
        await source.forward_all(to)
        to.write_eof()
    except Unreachable:
        to.abort()
