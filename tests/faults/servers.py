"""Servers that do it wrong: real sockets on loopback, each with its own way to fail."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@asynccontextmanager
async def serving(answer: Answer, tls: ssl.SSLContext | None = None, port: int = 0) -> AsyncGenerator[str]:
    """A server that treats every connection in the same way, until the block ends; yields its `host:port`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the browser went away, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@contextmanager
def demanding(tls: ssl.SSLContext) -> Generator[str]:
    """A server that asks everyone for a certificate, and tells those without one why they are turned away."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed, as the block has ended
            while True:
                plug, _ = listening.accept()
                with plug, contextlib.suppress(OSError), tls.wrap_socket(plug, server_side=True) as opened:
                    opened.recv(1)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


async def asked(reader: asyncio.StreamReader) -> bytes:
    """The head of a request."""
    return await reader.readuntil(b"\r\n\r\n")


async def left(reader: asyncio.StreamReader) -> None:
    """Until whoever is at the other end has had enough."""
    await reader.read()


def reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection off the hard way."""
    plug: socket.socket = writer.get_extra_info("socket")
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepts, listens, and says nothing."""
    await left(reader)


def sending(body: bytes, head: bytes = HTML) -> Answer:
    """Says this, and closes the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        writer.write(head + b"\r\n" + body)
        await writer.drain()

    return answer


def whole(body: bytes) -> Answer:
    """A good answer."""
    return sending(body, HTML + b"Content-Length: %d\r\n" % len(body))


def dribbling(first: bytes, more: bytes, head: bytes = HTML) -> Answer:
    """Begins well and then never comes to an end, as fast as it is read."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        writer.write(head + b"\r\n" + first)
        gone = asyncio.ensure_future(left(reader))
        while not gone.done():
            await writer.drain()
            await asyncio.wait({gone}, timeout=0.02)
            writer.write(more)

    return answer
