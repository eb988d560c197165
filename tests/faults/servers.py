"""Faulty servers on real loopback sockets, each of which fails in one way."""

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
    """Run a server that handles every connection with `answer` until the block ends; yield its `host:port`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the browser closed the connection, or the test has ended
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@contextmanager
def serving_with_client_certificates(tls: ssl.SSLContext) -> Generator[str]:
    """Run a server that requires a client certificate, and sends a TLS alert to clients without one."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed, as the block has ended
            while True:
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError), tls.wrap_socket(connection, server_side=True) as opened:
                    opened.recv(1)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of a request."""
    return await reader.readuntil(b"\r\n\r\n")


async def wait_for_close(reader: asyncio.StreamReader) -> None:
    """Wait until the client closes the connection."""
    await reader.read()


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection (RST) instead of closing it."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accept the connection and send nothing until the client closes it."""
    await wait_for_close(reader)


def sending(body: bytes, head: bytes = HTML) -> Answer:
    """Return a handler that sends this response and closes the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(head + b"\r\n" + body)
        await writer.drain()

    return answer


def sending_page(body: bytes) -> Answer:
    """Return a handler that sends a complete page with its length."""
    return sending(body, HTML + b"Content-Length: %d\r\n" % len(body))


def sending_slowly(first: bytes, more: bytes, head: bytes = HTML) -> Answer:
    """Return a handler that begins a response and then sends a little more every 20 ms, without end."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(head + b"\r\n" + first)
        gone = asyncio.ensure_future(wait_for_close(reader))
        while not gone.done():
            await writer.drain()
            await asyncio.wait({gone}, timeout=0.02)
            writer.write(more)

    return answer
