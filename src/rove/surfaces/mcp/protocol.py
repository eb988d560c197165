"""The MCP protocol as messages in and messages out, independent of the transport, and what a server offers.

rove has a server of its own because importing the SDK's takes 0.9 s, more than everything else between the start of the
process and the first answer (docs/decisions). The tests use the SDK's client against it, for both kinds of revisions:
older clients open with the `initialize` handshake; since revision 2026-07-28 there is none, and each request names its
revision in `_meta`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Protocol, cast

from rove.surfaces.mcp.messages import (
    HANDSHAKE_REVISIONS,
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    REMOVED_METHODS,
    STATELESS_REVISIONS,
    TOOLS_CHANGED,
    Message,
    ProtocolError,
    Send,
    envelope_in,
    error_message,
    is_answer,
    is_valid_id,
    params_of,
)
from rove.surfaces.mcp.request import Client, Exchange, capabilities_in
from rove.tasks import BackgroundTasks
from rove.version import VERSION

log = logging.getLogger(__name__)
Handler = Callable[[Exchange], Awaitable[Message]]
FindSchema = Callable[[str], Mapping[str, Any]]
# Calls a listener when the tools of an owner have changed; the function that is returned ends that.
Subscribe = Callable[[str | None, Callable[[], None]], Callable[[], None]]
TOOLS_STAY_VALID_MS = 3_600_000
# Messages in one batch, which only revision 2025-03-26 had.
MAX_BATCH = 100


class Feature(Protocol):
    """A capability that is declared to clients, with the methods that it is made of."""

    @property
    def capabilities(self) -> Message: ...

    @property
    def methods(self) -> Mapping[str, Handler]: ...

    async def close(self) -> None: ...


class McpServer:
    """The features that every connection of a process shares.

    `input_schema`: returns the schema of a tool by its name, in which arguments are marked that have headers.
    `subscribe`: how connections learn that the tools of their client have changed; None if they never do.
    """

    def __init__(
        self,
        *features: Feature,
        instructions: str = "",
        input_schema: FindSchema = lambda _: {},
        subscribe: Subscribe | None = None,
    ) -> None:
        self._features = features
        self.subscribe = subscribe
        self._instructions = instructions
        self.input_schema = input_schema
        self.methods: dict[str, Handler] = {}
        self.capabilities: Message = {}
        for feature in features:
            self.methods.update(feature.methods)
            self.capabilities.update(feature.capabilities)

    def introduce(self, revision: str, client_session: str | None) -> Message:
        """Return the answer to `initialize`."""
        return {
            "protocolVersion": revision,
            "capabilities": self.capabilities,
            "serverInfo": server_info(),
            "instructions": self._instructions_for(client_session),
        }

    def discover(self, client_session: str | None) -> Message:
        """Return the answer to `server/discover`."""
        return {
            "supportedVersions": [*STATELESS_REVISIONS, *HANDSHAKE_REVISIONS],
            "capabilities": self.capabilities,
            "instructions": self._instructions_for(client_session),
            "ttlMs": TOOLS_STAY_VALID_MS,
            "cacheScope": "public" if client_session is None else "private",
        }

    async def close(self) -> None:
        for feature in self._features:
            await feature.close()

    def _instructions_for(self, client_session: str | None) -> str:
        """Tell a client of several the name of its default session, by which it finds its pages again."""
        if client_session is None:
            return self._instructions
        return f"{self._instructions} Your default session is `{client_session}`; it outlives the connection."


def server_info() -> Message:
    return {"name": "rove", "version": VERSION}


class McpConnection:
    """One client and its running requests. Each runs in its own task, so that a slow one does not delay the others."""

    def __init__(self, server: McpServer, client: Client | None = None, stream: Send | None = None) -> None:
        """`stream`: sends messages that belong to no request; without it they go with those of a running request."""
        self._server = server
        self.stream = stream
        # Where the messages of each running request are sent.
        self._replies: list[Send] = []
        self._unsubscribe: Callable[[], None] | None = None
        self._tasks = BackgroundTasks("the MCP connection")
        # Each request by its id, so that the client can cancel it.
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._revision: str | None = None
        self._capabilities: Message = {}
        # Requests of ours that the client has not answered yet, by id.
        self._asked: dict[str, asyncio.Future[object]] = {}
        self._numbers = itertools.count(1)
        self.client = client or Client()

    def receive(self, message: Any, send: Send, *, can_request: bool = True) -> list[asyncio.Task[None]]:
        """Handle what a client has sent; return the tasks that serve its requests, and pass their messages to `send`.

        `can_request`: whether requests of ours reach the client this way too.
        """
        if not isinstance(message, list):
            return self._receive_one(message, send, can_request)
        if not 0 < len(message) <= MAX_BATCH:  # each message takes a task
            return [self._refuse(send, f"a batch has 1 to {MAX_BATCH} messages")]
        return [task for item in message for task in self._receive_one(item, send, can_request)]

    def _receive_one(self, message: Any, send: Send, can_request: bool) -> list[asyncio.Task[None]]:
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            return [self._refuse(send, "not a JSON-RPC message")]
        if is_answer(message):
            self._receive_answer(message)
            return []
        return self._receive_call(cast(Message, message), send, can_request)

    def _receive_call(self, message: Message, send: Send, can_request: bool) -> list[asyncio.Task[None]]:
        identity, method = message.get("id"), message["method"]
        if identity is None:
            self._notice(method, params_of(message))
            return []
        if not is_valid_id(identity):
            return [self._refuse(send, "id must be a string or a number")]
        return [self._start(identity, self._answer(message, send, can_request))]

    def _refuse(self, send: Send, reason: str) -> asyncio.Task[None]:
        return self._start(None, send(error_message(None, ProtocolError(INVALID_REQUEST, reason))))

    def _receive_answer(self, message: Message) -> None:
        """Pass on the client's answer to a request of ours. An error counts as an empty answer."""
        identity = message.get("id")
        waiting = self._asked.get(identity) if isinstance(identity, str) else None
        if waiting is not None and not waiting.done():
            waiting.set_result(message.get("result"))

    async def _request(self, send: Send, method: str, params: Message) -> object:
        """Send a request to the client and return its result. If the caller is cancelled, cancel the request."""
        identity = f"rove-{next(self._numbers)}"
        self._asked[identity] = asyncio.get_running_loop().create_future()
        try:
            await send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
            return await self._asked[identity]
        except asyncio.CancelledError:
            over = {"requestId": identity, "reason": "the answer is not needed any more"}
            await send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": over})
            raise
        finally:
            del self._asked[identity]

    @property
    def is_busy(self) -> bool:
        """Whether it serves a request now."""
        return bool(self._running)

    async def finish(self, patience: float) -> None:
        """Wait for running requests to end, for as long as `patience`."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=patience)

    async def close(self) -> None:
        """Cancel what is still running, as the client has gone."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        await self._tasks.close()

    def _start(self, identity: str | int | None, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._tasks.start(work)
        key = identity if identity is not None else id(task)
        self._running[key] = task
        task.add_done_callback(lambda _: self._running.pop(key, None))
        return task

    def _notice(self, method: str, params: Message) -> None:
        if method == "notifications/cancelled":
            identity = params.get("requestId")
            task = self._running.get(identity) if isinstance(identity, str | int) else None
            if task is not None:
                task.cancel()

    def _on_tools_changed(self) -> None:
        """Tell the client of a handshake revision, if there is a way to it now."""
        send = self.stream or next(iter(self._replies), None)
        if send is not None:
            self._tasks.start(send({"jsonrpc": "2.0", "method": TOOLS_CHANGED}))

    async def _answer(self, message: Message, send: Send, can_request: bool) -> None:
        self._replies.append(send)
        try:
            await self._answer_to(message, send, can_request)
        finally:
            self._replies.remove(send)

    async def _answer_to(self, message: Message, send: Send, can_request: bool) -> None:
        identity, method = message["id"], message["method"]
        try:
            result = await self._result(message, send, can_request)
        except ProtocolError as error:
            await send(error_message(identity, error))
        except Exception as error:
            log.exception("%s failed", method)
            await send(error_message(identity, ProtocolError(INTERNAL, f"{type(error).__name__}: {error}")))
        else:
            await send({"jsonrpc": "2.0", "id": identity, "result": result})

    async def _result(self, message: Message, send: Send, can_request: bool) -> Message:
        method, params = message["method"], params_of(message)
        envelope = envelope_in(params)
        if envelope is None:
            return await self._serve_opened(method, params, send, can_request)
        if method in REMOVED_METHODS:
            raise _not_found(method)
        capabilities = capabilities_in(envelope)
        exchange = Exchange(self.client, method, params, envelope, capabilities, send, None, message["id"])
        result = await self._serve(exchange)
        meta = {META + "serverInfo": server_info(), **result.get("_meta", {})}
        return {"resultType": "complete", **result, "_meta": meta}

    async def _serve_opened(self, method: str, params: Message, send: Send, can_request: bool) -> Message:
        """Serve a request of a handshake revision."""
        if method == "ping":
            return {}
        if method == "initialize":
            return self._initialize(params)
        if self._revision is None:
            message = "open with `initialize`, or send the `_meta` of revision 2026-07-28 with each request"
            raise ProtocolError(INVALID_PARAMS, message)

        async def request(asked: str, content: Message) -> object:
            return await self._request(send, asked, content)

        way_back = request if can_request else None
        return await self._serve(Exchange(self.client, method, params, None, self._capabilities, send, way_back))

    async def _serve(self, exchange: Exchange) -> Message:
        if exchange.method == "server/discover":
            return self._server.discover(self.client.session)
        handler = self._server.methods.get(exchange.method)
        if handler is None:
            raise _not_found(exchange.method)
        return await handler(exchange)

    def _initialize(self, params: Message) -> Message:
        wanted, declared = params.get("protocolVersion"), params.get("capabilities")
        self._revision = wanted if wanted in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]
        self._capabilities = cast(Message, declared) if isinstance(declared, dict) else {}
        if self._server.subscribe is not None and self._unsubscribe is None:
            self._unsubscribe = self._server.subscribe(self.client.owner, self._on_tools_changed)
        return self._server.introduce(self._revision, self.client.session)


def _not_found(method: str) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method}", method)
