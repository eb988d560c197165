"""MCP as messages in and messages out, whatever carries them.

Our own rather than the SDK's server, for one measured reason: importing that takes 0.9 s, more than everything
else between the start of the process and the first answered call together (see docs/decisions). The SDK's
client checks every word of it in the tests, in both eras: old clients open with `initialize`; since revision
2026-07-28 there is no opening, and each request says in `_meta` which revision it speaks.
"""

from __future__ import annotations

import asyncio
import base64
import difflib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from rove import __version__
from rove.action import Effect
from rove.engine.sessions import Sessions
from rove.errors import RoveError
from rove.outcome import AnyOutcome
from rove.render.outcomes import as_text, error_data, error_text
from rove.surfaces.toolsets import INSTRUCTIONS, Tool

log = logging.getLogger(__name__)

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)
META = "io.modelcontextprotocol/"
TOOLS_STAY_VALID_MS = 3_600_000


@dataclass(frozen=True)
class ProtocolError(Exception):
    """A request that cannot be served; code and shape are JSON-RPC's."""

    code: int
    message: str
    data: Any = None


PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
UNSUPPORTED_REVISION = -32022


class Connection:
    """One client: its requests under way, each in a task of its own, so that a slow one holds up no other."""

    def __init__(self, sessions: Sessions, tools: Mapping[str, Tool], send: Send) -> None:
        self._sessions = sessions
        self._tools = tools
        self._send = send
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._revision: str | None = None

    def receive(self, message: Any) -> None:
        """Take one message; answers come through `send`."""
        if isinstance(message, list):  # revision 2025-03-26 had batches
            items: list[Any] = message
            for item in items or [None]:  # an empty batch is no message
                self.receive(item)
        elif not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            self._start(None, self._refuse(None, ProtocolError(INVALID_REQUEST, "not a JSON-RPC message")))
        elif "method" in message:
            self._receive_call(cast(Message, message))

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

    async def finish(self, patience: float) -> None:
        """Let what is running come to its end, if that is soon."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=patience)

    async def close(self) -> None:
        """The client is gone: nobody waits for what is still running."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _start(self, identity: str | int | None, work: Any) -> None:
        task = asyncio.ensure_future(work)
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
                result = {**result, "resultType": "complete", "_meta": {META + "serverInfo": _server_info()}}
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
            return await self._call(params)
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method}", method)

    def _initialize(self, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        self._revision = wanted if wanted in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]
        return {
            "protocolVersion": self._revision,
            "capabilities": _capabilities(),
            "serverInfo": _server_info(),
            "instructions": INSTRUCTIONS,
        }

    async def _call(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            near = difflib.get_close_matches(str(name), self._tools, n=1)
            raise ProtocolError(
                INVALID_PARAMS, f"Unknown tool: {name}" + (f". Did you mean {near[0]}?" if near else "")
            )
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        try:
            return _answered(await self._run(self._tools[name], cast(Message, arguments), _progress_token(params)))
        except RoveError as error:
            return {
                "content": [{"type": "text", "text": error_text(error)}],
                "structuredContent": {"error": error_data(error)},
                "isError": True,
            }

    async def _run(self, tool: Tool, arguments: Message, token: str | int | None) -> AnyOutcome:
        call = tool.call(arguments)
        progress = _Progress(self._send, token)
        session = self._sessions.session(call.session)
        return await session.run(
            call.action, tab=call.tab, timeout=call.timeout, report=progress.report, quiet=call.quiet
        )


class _Progress:
    """Progress notifications, for a client that gave a token for them."""

    def __init__(self, send: Send, token: str | int | None) -> None:
        self._send = send
        self._token = token
        self._steps = 0
        self._sending: set[asyncio.Task[None]] = set()

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


def _envelope(method: str, params: Message) -> Message | None:
    """What a request of the newest era says of itself; None for one of the older era."""
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


def _progress_token(params: Message) -> str | int | None:
    meta = params.get("_meta")
    token = cast(Message, meta).get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) else None


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
    return {"name": "rove", "version": __version__}


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


def _answered(outcome: AnyOutcome) -> Message:
    content: list[Message] = [{"type": "text", "text": as_text(outcome)}]
    content += [
        {"type": "image", "data": base64.b64encode(image.data).decode("ascii"), "mimeType": image.mime}
        for image in outcome.attachments
        if image.kind == "image"
    ]
    return {"content": content}
