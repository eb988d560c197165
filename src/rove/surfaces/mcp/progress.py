"""Progress notifications, for requests that carry a progress token."""

from __future__ import annotations

from rove.surfaces.mcp.messages import Message, Send
from rove.tasks import BackgroundTasks


class Progress:
    """Sends progress notifications with the token of the request that the client is waiting for now.

    `tasks`: runs the sending, as the engine reports progress without waiting for the client.
    """

    def __init__(self, send: Send, params: Message, tasks: BackgroundTasks) -> None:
        self._tasks = tasks
        self._steps = 0
        self.follow(send, params)

    def follow(self, send: Send, params: Message) -> None:
        """Answer this request from here on, with its token."""
        self._send = send
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, str | int) else None

    def report(self, message: str, done: int, total: int) -> None:
        """Send one notification. The protocol requires a number that grows with each of them."""
        if self._token is None:
            return
        self._steps = max(self._steps + 1, done + 1)
        params: Message = {"progressToken": self._token, "progress": self._steps, "message": message}
        if total:
            params["total"] = total
        self._tasks.start(self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
