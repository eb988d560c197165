"""The MCP protocol as messages in and messages out, independent of the transport.

rove has a server of its own because importing the SDK's takes 0.9 s, more than everything else between the start of the
process and the first answer (docs/decisions). The tests use the SDK's client against it, for both kinds of revisions:
older clients open with the `initialize` handshake; since revision 2026-07-28 there is none, and each request names its
revision in `_meta`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Coroutine, Mapping
from typing import Any, cast

from rove.action import Effect
from rove.engine.sessions.sessions import Sessions
from rove.surfaces.mcp.calls import Calls
from rove.surfaces.mcp.elicitation import can_be_asked
from rove.surfaces.mcp.pending_approvals import InvalidState
from rove.surfaces.mcp.progress import Message as Message
from rove.surfaces.mcp.progress import Send
from rove.surfaces.toolsets import INSTRUCTIONS, PREFIX, Tool, group_of
from rove.tasks import BackgroundTasks
from rove.validation.spelling import nearest
from rove.version import VERSION

log = logging.getLogger(__name__)

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)
META = "io.modelcontextprotocol/"
TOOLS_STAY_VALID_MS = 3_600_000


class ProtocolError(Exception):
    """A request that cannot be served, with the code, message and data of a JSON-RPC error."""

    # Not a frozen dataclass: Python sets `__traceback__` on an exception that passes through a context manager.
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
UNSUPPORTED_REVISION = -32022


class McpConnection:
    """One client and its running requests. Each runs in its own task, so that a slow one does not delay the others."""

    def __init__(self, sessions: Sessions, tools: Mapping[str, Tool], send: Send) -> None:
        self._tools = tools
        self._send = send
        self._tasks = BackgroundTasks("the MCP connection")
        # Each request by its id, so that the client can cancel it.
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._revision: str | None = None
        self._calls = Calls(sessions, send, self._request)
        # Requests of ours that the client has not answered yet, by id.
        self._asked: dict[str, asyncio.Future[object]] = {}
        self._numbers = itertools.count(1)
        self._can_ask = False

    def receive(self, message: Any) -> None:
        """Handle one message of the client. Answers are passed to `send`."""
        if isinstance(message, list):  # revision 2025-03-26 had batches
            items: list[Any] = message
            for item in items or [None]:  # an empty batch is no message
                self.receive(item)
        elif not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            self._start(None, self._refuse(None, ProtocolError(INVALID_REQUEST, "not a JSON-RPC message")))
        elif "method" in message:
            self._receive_call(cast(Message, message))
        else:
            self._receive_answer(cast(Message, message))

    def _receive_call(self, message: Message) -> None:
        identity, method = message.get("id"), message["method"]
        given = message.get("params")
        params = cast(Message, given) if isinstance(given, dict) else {}
        if identity is None:
            self._notice(method, params)
        elif not isinstance(identity, str | int) or isinstance(identity, bool):
            self._start(None, self._refuse(None, ProtocolError(INVALID_REQUEST, "id must be a string or a number")))
        else:
            self._start(identity, self._answer(identity, method, params))

    def _receive_answer(self, message: Message) -> None:
        """Pass on the client's answer to a request of ours. An error counts as an empty answer."""
        identity = message.get("id")
        waiting = self._asked.get(identity) if isinstance(identity, str) else None
        if waiting is not None and not waiting.done():
            waiting.set_result(message.get("result"))

    async def _request(self, method: str, params: Message) -> object:
        """Send a request to the client and return its result. If the caller is cancelled, cancel the request."""
        identity = f"rove-{next(self._numbers)}"
        self._asked[identity] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
            return await self._asked[identity]
        except asyncio.CancelledError:
            over = {"requestId": identity, "reason": "the answer is not needed any more"}
            await self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": over})
            raise
        finally:
            del self._asked[identity]

    async def finish(self, patience: float) -> None:
        """Wait for running requests to end, for as long as `patience`."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=patience)

    async def close(self) -> None:
        """Cancel what is still running, as the client has gone."""
        await self._tasks.close()
        await self._calls.close()

    def _start(self, identity: str | int | None, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks.start(work)
        key = identity if identity is not None else id(task)
        self._running[key] = task
        task.add_done_callback(lambda _: self._running.pop(key, None))

    def _notice(self, method: str, params: Message) -> None:
        if method == "notifications/cancelled":
            identity = params.get("requestId")
            task = self._running.get(identity) if isinstance(identity, str | int) else None
            if task is not None:
                task.cancel()

    async def _answer(self, identity: str | int, method: str, params: Message) -> None:
        try:
            envelope = _envelope(method, params)
            result = await self._serve(method, params, envelope)
        except ProtocolError as error:
            await self._refuse(identity, error)
        except Exception as error:
            log.exception("%s failed", method)
            await self._refuse(identity, ProtocolError(INTERNAL, f"{type(error).__name__}: {error}"))
        else:
            if envelope is not None:
                result = {"resultType": "complete", **result, "_meta": {META + "serverInfo": _server_info()}}
            await self._send({"jsonrpc": "2.0", "id": identity, "result": result})

    async def _refuse(self, identity: str | int | None, error: ProtocolError) -> None:
        body = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        await self._send({"jsonrpc": "2.0", "id": identity, "error": body})

    async def _serve(self, method: str, params: Message, envelope: Message | None) -> Message:
        if method == "ping":
            return {}
        if method == "initialize":
            return self._initialize(params)
        if envelope is None and self._revision is None:
            raise ProtocolError(INVALID_REQUEST, "open with `initialize`, or send the envelope of revision 2026-07-28")
        if method == "server/discover":
            return _discovery()
        if method == "tools/list":
            lasting = {"ttlMs": TOOLS_STAY_VALID_MS, "cacheScope": "public"} if envelope is not None else {}
            return {"tools": [_described(tool) for tool in self._tools.values()], **lasting}
        if method == "tools/call":
            return await self._call(params, envelope)
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method}", method)

    def _initialize(self, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        self._revision = wanted if wanted in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]
        self._can_ask = can_be_asked(params.get("capabilities"))
        return {
            "protocolVersion": self._revision,
            "capabilities": _capabilities(),
            "serverInfo": _server_info(),
            "instructions": INSTRUCTIONS,
        }

    def _other_than(self, name: str) -> str:
        """Return a hint for an unknown tool: the flag that shows it, or the nearest name."""
        if group := group_of(name):
            return f". It is there only when rove is started with `--with {group}`."
        # All names begin alike, which would make any of them seem near.
        verbs = {tool.removeprefix(PREFIX): tool for tool in self._tools}
        near = nearest(name.lower().removeprefix(PREFIX), verbs)
        return f". Did you mean {verbs[near]}?" if near else ""

    async def _call(self, params: Message, envelope: Message | None) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}" + self._other_than(str(name)))
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        tool = self._tools[name]
        if envelope is None:
            return await self._calls.call(tool, cast(Message, arguments), params, self._can_ask)
        can_ask = can_be_asked(envelope[META + "clientCapabilities"])
        try:
            return await self._calls.call_stateless(tool, cast(Message, arguments), params, can_ask)
        except InvalidState:
            message = "requestState belongs to another call, was used or has expired: call again without it"
            raise ProtocolError(INVALID_PARAMS, message) from None


def _envelope(method: str, params: Message) -> Message | None:
    """Return the `_meta` of a request of a stateless revision; None for one of a handshake revision."""
    meta = params.get("_meta")
    if method == "initialize" or not isinstance(meta, dict) or META + "protocolVersion" not in meta:
        return None
    meta = cast(Message, meta)
    if META + "clientCapabilities" not in meta:
        raise ProtocolError(INVALID_PARAMS, f"params._meta is missing {META}clientCapabilities")
    wanted = meta[META + "protocolVersion"]
    if not isinstance(wanted, str):
        raise ProtocolError(INVALID_PARAMS, f"{META}protocolVersion must be a string")
    if wanted not in STATELESS_REVISIONS:
        supported = [*HANDSHAKE_REVISIONS, *STATELESS_REVISIONS]
        raise ProtocolError(
            UNSUPPORTED_REVISION,
            f"Unsupported protocol version: {wanted}",
            {"supported": supported, "requested": wanted},
        )
    return meta


def _discovery() -> Message:
    return {
        "supportedVersions": [*STATELESS_REVISIONS, *HANDSHAKE_REVISIONS],
        "capabilities": _capabilities(),
        "instructions": INSTRUCTIONS,
        "ttlMs": TOOLS_STAY_VALID_MS,
        "cacheScope": "public",
    }


def _capabilities() -> Message:
    return {"tools": {}}


def _server_info() -> Message:
    return {"name": "rove", "version": VERSION}


def _described(tool: Tool) -> Message:
    reads = tool.effect is Effect.READ
    annotations: Message = {"readOnlyHint": reads, "openWorldHint": True}
    if not reads:
        annotations["destructiveHint"] = tool.effect in (Effect.ACT, Effect.SCRIPT)
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": annotations,
    }
