"""The server of the flooding pages, in a process of its own, with little work for each thing that it sends."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import multiprocessing
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection

CALM = "<!doctype html><title>Calm</title><h1>Calm</h1><button onclick='this.title = performance.now()'>Press</button>"
SERVICE_WORKER = "onmessage = event => { console.log('message', event.data) }"
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# A text frame of one byte, many times: one write of the server is a thousand messages.
_FRAMES = b"\x81\x01x" * 1000
_EVENTS = b"data: x\n\n" * 1000
_CHUNKS = b"1\r\nx\r\n" * 1000


class Answers:
    """Answers requests: pages by path, and streams that do not end."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = pages

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                await self._answer(await reader.readuntil(b"\r\n\r\n"), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        path = head.split(b" ", 2)[1].decode().partition("?")[0]
        if path in ("/frames", "/sink"):
            writer.write(_handshake(head))
            await _send_for_ever(writer, _FRAMES if path == "/frames" else b"")
        elif path == "/events":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            await _send_for_ever(writer, _EVENTS)
        elif path == "/chunks":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
            await _send_for_ever(writer, _CHUNKS)
        else:
            kind = "text/javascript" if path.endswith(".js") else "text/html"
            body = self._pages.get(path, "").encode()
            start = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(start.encode() + body)
            await writer.drain()


def _handshake(head: bytes) -> bytes:
    fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    key = next(value for name, value in fields.items() if name.lower() == b"sec-websocket-key")
    accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())  # the protocol asks for SHA-1
    start = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return start + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"


async def _send_for_ever(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send data again and again, as fast as it is read; without data, only stay."""
    while not writer.is_closing():
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0 if data else 1)


async def _serve(pages: Mapping[str, str], ready: Connection) -> None:
    server = await asyncio.start_server(Answers(pages).serve, "127.0.0.1", 0)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _run(pages: Mapping[str, str], ready: Connection) -> None:
    asyncio.run(_serve(pages, ready))


@contextmanager
def serving(pages: Mapping[str, str]) -> Generator[int]:
    """Serve pages from a process of its own; yield its port."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_run, args=(dict(pages), there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.kill()
        process.join()
