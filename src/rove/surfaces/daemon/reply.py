"""What the daemon sends to one client: output, errors, files, an exit code; and the input that it asks for."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any

from rove.surfaces.arguments.failures import json_line


class Reply:
    """The connection to one client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._awaited: dict[str, asyncio.Future[str]] = {}
        self._asking = asyncio.Lock()
        self._questions = 0
        self.columns = 80
        self.encoding = "utf-8"
        self.has_colour = False
        self.has_person = False
        self.shows_progress = False

    def of(self, request: Mapping[str, Any]) -> None:
        """Learn from a request what its client can show, and whether a person reads it."""
        self.columns = int(request["columns"])
        self.encoding = str(request["encoding"])
        self.has_colour = bool(request["has_colour"])
        self.has_person = bool(request["has_person"])
        self.shows_progress = bool(request["shows_progress"])

    async def receive(self) -> Any:
        """Return the next message of the client. Raises ConnectionError if there is none."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionResetError("the client closed the connection")
        return json.loads(line)

    async def closed(self) -> None:
        """Wait until the client closes the connection; pass on the input and the answers that it sends before."""
        while line := await self._reader.readline():
            for kind, text in json.loads(line).items():
                awaited = self._awaited.pop(kind, None)
                if awaited is not None and not awaited.done():
                    awaited.set_result(str(text))

    async def input(self) -> str:
        """Return all of the client's standard input."""
        self.send(input=True)
        return await self._next("input")

    async def ask(self, question: str) -> str:
        """Return what the person at the client's terminal types; other questions wait. Withdrawn when cancelled."""
        async with self._asking:
            self._questions += 1
            answer = f"answer {self._questions}"
            self.send(ask=question, name=answer)
            try:
                return await self._next(answer)
            except asyncio.CancelledError:
                self.send(withdrawn=True)
                raise

    async def _next(self, kind: str) -> str:
        awaited: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._awaited[kind] = awaited
        return await awaited

    @property
    def is_asking(self) -> bool:
        """Whether a question is on the screen, which nothing else may be written over."""
        return self._asking.locked()

    def output(self, text: str) -> None:
        self.send(output=text)

    def as_json(self, data: Any) -> str:
        """Return a line of JSON; in ASCII where the client's encoding lacks characters."""
        return json_line(data, self.encoding)

    def error(self, text: str) -> None:
        self.send(error=text)

    def file(self, path: str, data: bytes) -> None:
        """Let the client write a file, with its own rights and in its own folder."""
        self.send(file=path, data=base64.b64encode(data).decode())

    def send(self, **message: Any) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")

    async def flush(self) -> None:
        await self._writer.drain()
