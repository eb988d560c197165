"""Progress notifications, for requests that carry a progress token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Progress:
    """Sends progress notifications with the token of the request that the client is waiting for now."""

    def __init__(self, send: Send, params: Message) -> None:
        self._send = send
        self._steps = 0
        self._sending: set[asyncio.Task[None]] = set()
        self.follow(params)

    def follow(self, params: Message) -> None:
        """Use the token of this request from here on."""
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, str | int) else None

    def report(self, message: str, done: int, total: int) -> None:
        if self._token is None:
            return
        self._steps = max(self._steps + 1, done + 1)
        params: Message = {"progressToken": self._token, "progress": self._steps, "message": message}
        if total:
            params["total"] = total
        body = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        task = asyncio.ensure_future(_awaited(self._send(body)))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


async def _awaited(work: Awaitable[None]) -> None:
    await work
