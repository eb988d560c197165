"""Bytes that are nobody's business but their two ends': TLS, WebSockets."""

from __future__ import annotations

import asyncio

from rove.guard.http.byte_stream import ByteStream
from rove.guard.proxy.connection_errors import Unreachable

# A tunnel of which one side is done lives on while the other still sends; this long without a byte ends it.
_LONGEST_PAUSE = 30.0


async def splice(one: ByteStream, other: ByteStream) -> None:
    """Both ways at once until both sides are done; when one has nothing more to say, the other is told."""
    one.keeps_half_open = other.keeps_half_open = True
    ways = {asyncio.ensure_future(_one_way(one, other)): one, asyncio.ensure_future(_one_way(other, one)): other}
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        while left := [(way, stream) for way, stream in ways.items() if not way.done()]:
            before = left[0][1].received
            await asyncio.wait([way for way, _ in left], timeout=_LONGEST_PAUSE, return_when=asyncio.FIRST_COMPLETED)
            if left[0][1].received == before and not left[0][0].done():
                return
    finally:
        for way in ways:
            way.cancel()


async def _one_way(source: ByteStream, to: ByteStream) -> None:
    try:
        await source.pour_all(to)
        to.write_end()
    except Unreachable:
        to.abort()  # it broke off here, so it breaks off there
