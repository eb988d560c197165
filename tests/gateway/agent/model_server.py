"""A server that speaks OpenAI's protocol over real HTTP and plays the answers that a test gives it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]


class Answer(Protocol):
    """One answer of the model."""

    async def send(self, writer: asyncio.StreamWriter) -> None: ...


@dataclass(frozen=True)
class Says:
    """Streams text, piece by piece; after `hold`, if it is given, has been set."""

    pieces: tuple[str, ...]
    usage: tuple[int, int] = (11, 7)
    hold: asyncio.Event | None = None

    async def send(self, writer: asyncio.StreamWriter) -> None:
        _begin(writer)
        for piece in self.pieces:
            _event(writer, {"content": piece})
            await writer.drain()
        if self.hold is not None:
            await self.hold.wait()
        _finish(writer, "stop", self.usage)


@dataclass(frozen=True)
class Calls:
    """Calls a tool. `arguments` is text, so that it need not be JSON; it arrives in two pieces."""

    tool: str
    arguments: str
    text: str = ""
    usage: tuple[int, int] = (11, 7)

    async def send(self, writer: asyncio.StreamWriter) -> None:
        _begin(writer)
        if self.text:
            _event(writer, {"content": self.text})
        half = len(self.arguments) // 2
        first = {"index": 0, "id": f"call-{id(self)}", "type": "function"}
        _event(writer, {"tool_calls": [{**first, "function": {"name": self.tool, "arguments": self.arguments[:half]}}]})
        _event(writer, {"tool_calls": [{"index": 0, "function": {"arguments": self.arguments[half:]}}]})
        _finish(writer, "tool_calls", self.usage)


@dataclass(frozen=True)
class Refuses:
    """Refuses to answer, as the protocol has it."""

    words: str

    async def send(self, writer: asyncio.StreamWriter) -> None:
        _begin(writer)
        _event(writer, {"refusal": self.words})
        _finish(writer, "stop", (5, 5))


@dataclass(frozen=True)
class Fails:
    """Answers with an HTTP status."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    code: str = ""

    async def send(self, writer: asyncio.StreamWriter) -> None:
        body = json.dumps({"error": {"message": f"status {self.status}", "code": self.code or None}}).encode()
        lines = [f"HTTP/1.1 {self.status} No", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)


@dataclass(frozen=True)
class BreaksOff:
    """Streams the beginning of an answer, then closes the connection."""

    piece: str

    async def send(self, writer: asyncio.StreamWriter) -> None:
        _begin(writer)
        _event(writer, {"content": self.piece})
        await writer.drain()
        assert writer.transport is not None
        writer.transport.abort()


def _begin(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")


def _event(writer: asyncio.StreamWriter, delta: Body, reason: str | None = None, usage: Body | None = None) -> None:
    choices = [] if usage else [{"index": 0, "delta": delta, "finish_reason": reason}]
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "played", "choices": choices}
    _chunk(writer, f"data: {json.dumps({**chunk, 'usage': usage})}\n\n".encode())


def _finish(writer: asyncio.StreamWriter, reason: str, usage: tuple[int, int]) -> None:
    _event(writer, {}, reason)
    sent, received = usage
    told = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    _event(writer, {}, usage=told)
    _chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


class ModelServer:
    """Plays answers in order, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[Body] = []
        self.port = 0
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def plays(self, *answers: Answer) -> None:
        self.answers += answers

    def messages(self, number: int = -1) -> list[Body]:
        """Return the conversation that a request had."""
        found: list[Body] = self.requests[number]["messages"]
        return found

    def told_by_tools(self, number: int = -1) -> Iterator[str]:
        """Yield the results of tools in a request."""
        return (str(message["content"]) for message in self.messages(number) if message["role"] == "tool")

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(asyncio.create_task(self._serve(reader, writer)))

    async def close(self) -> None:
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while body := await _read(reader):
                self.requests.append(body)
                answer: Answer = self.answers.pop(0) if self.answers else Fails(500)
                await answer.send(writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Body | None:
    """Read one request; None if the client has closed the connection."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    body: Body = json.loads(await reader.readexactly(int(headers["content-length"])))
    return body


@asynccontextmanager
async def model_server() -> AsyncGenerator[ModelServer]:
    """Serve on a free port until the block ends."""
    played = ModelServer()
    server = await asyncio.start_server(played.accept, "127.0.0.1", 0)
    played.port = server.sockets[0].getsockname()[1]
    try:
        yield played
    finally:
        server.close()
        await played.close()
