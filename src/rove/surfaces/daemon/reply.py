"""What the daemon sends to one client: output, errors, files, an exit code; and the input that it asks for."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any


class Reply:
    """The connection to one client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._input: asyncio.Future[str] | None = None

    async def receive(self) -> Any:
        """Return the next message of the client. Raises ConnectionError if there is none."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionResetError("the client closed the connection")
        return json.loads(line)

    async def closed(self) -> None:
        """Wait until the client closes the connection; pass on the input that it sends before."""
        while line := await self._reader.readline():
            if self._input is not None and not self._input.done():
                self._input.set_result(json.loads(line)["input"])

    async def input(self) -> str:
        """Return all of the client's standard input."""
        self._input = asyncio.get_running_loop().create_future()
        self.send(input=True)
        return await self._input

    def output(self, text: str) -> None:
        self.send(output=text)

    def error(self, text: str) -> None:
        self.send(error=text)

    def file(self, path: str, data: bytes) -> None:
        """Let the client write a file, with its own rights and in its own folder."""
        self.send(file=path, data=base64.b64encode(data).decode())

    def send(self, **message: Any) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")

    async def flush(self) -> None:
        await self._writer.drain()
