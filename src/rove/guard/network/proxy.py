"""The filtering forward proxy: one listener for each session, its clients, their requests and tunnels.

Any program on this machine can connect to the proxy. What it sends before its request is complete is stored, so all of
that is limited: the number of clients, their bytes, and the time for one request to arrive.

The browser resolves no names itself and sends every request to this proxy. The proxy resolves the name once, checks
every address, and connects to one of them; or it refuses the request.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Generic, Protocol, TypeVar

from rove.guard.network.addresses import OwnPorts, loopback_port
from rove.guard.network.byte_stream import (
    LENIENT_HEAD_END,
    STRICT_HEAD_END,
    ByteStream,
    SessionTurns,
    StreamError,
    Turns,
)
from rove.guard.network.dialer import DialedConnection, Dialer, ForbiddenAddress, Resolver, SystemResolver, Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.http_messages import (
    ESTABLISHED,
    Malformed,
    ProxyRequest,
    ProxyResponse,
    Response,
    failure_response,
    read_request,
    read_response,
    refusal_response,
    unreadable_response,
)
from rove.guard.network.refusal import Failure, Unreachable
from rove.guard.network.refusal_log import FailedRequest, RefusalLog, RefusedRequest
from rove.guard.network.socket_owner import TrustedProcesses
from rove.guard.network.urls import Endpoint
from rove.records import dataclass

# A browser opens about 256 connections to a proxy.
MAX_CLIENTS = 1024
# What all clients together have sent and the proxy has not handled yet.
MAX_UNREAD_BYTES = 4 * 2**20

# Interim responses (status 1xx) to one request. Without a limit, a server could send them forever.
_MAX_INTERIM_RESPONSES = 20
_MAX_INTERIM_BYTES = 64 * 1024

# When one side has stopped sending, the tunnel stays open until the other side sends nothing for this many seconds.
_HALF_OPEN_IDLE_TIMEOUT = 30.0

# Seconds for the head of a request to arrive, from its first byte on. Browsers send it at once.
HEAD_TIMEOUT = 10.0
# Browsers send one request after the other on a connection, so there is little to keep while one is under way.
_UNREAD_LIMIT = 64 * 1024

# Connections that are accepted in one pass of the event loop; more wait in the queue of the kernel.
_ACCEPTED_AT_ONCE = 16
# How long that queue is.
QUEUE_LENGTH = 1024


class Client(Protocol):
    """A connection to the proxy."""

    @property
    def is_idle(self) -> bool:
        """Whether the client has no request under way."""
        ...

    @property
    def has_sent_request(self) -> bool: ...
    def drop(self) -> None:
        """Reset the connection, without waiting for its tasks."""


C = TypeVar("C", bound=Client)


class ClientTable(Generic[C]):
    """The connected clients, oldest first, each with the number of its unread bytes."""

    def __init__(self) -> None:
        self._unread: dict[C, int] = {}
        self._total = 0

    def __len__(self) -> int:
        return len(self._unread)

    def add(self, client: C) -> bool:
        """Add a client, in place of the oldest idle one if there are too many. False if none is idle."""
        if len(self._unread) >= MAX_CLIENTS and not self._drop_idle():
            return False
        self._unread[client] = 0
        return True

    def remove(self, client: C) -> None:
        self._total -= self._unread.pop(client, 0)

    def set_unread(self, client: C, count: int) -> None:
        """Note how many bytes of a client are unread, and drop the oldest holders if all of them are too many."""
        if client not in self._unread:
            return
        self._total += count - self._unread[client]
        self._unread[client] = count
        while self._total > MAX_UNREAD_BYTES:
            self._drop(next(each for each, unread in self._unread.items() if unread))

    def all(self) -> tuple[C, ...]:
        return tuple(self._unread)

    def _drop_idle(self) -> bool:
        idle = [client for client in self._unread if client.is_idle]
        # A client that has never sent a request is less likely to be the browser.
        chosen = next((client for client in idle if not client.has_sent_request), idle[0] if idle else None)
        if chosen is not None:
            self._drop(chosen)
        return chosen is not None

    def _drop(self, client: C) -> None:
        self.remove(client)
        client.drop()


class ForwardedRequest:
    """A request on its way to an allowed server. The response may start before the request is complete."""

    def __init__(
        self, client: ByteStream, server: ByteStream, request: ProxyRequest, on_done: Callable[[ForwardedRequest], None]
    ) -> None:
        self.request = request
        # A server that has received the request may receive it again; a body is sent as it comes, and only once.
        self.may_be_repeated = request.method in ("GET", "HEAD") and request.body.is_done and not request.wants_upgrade
        self.response: Response | None = None
        self.failure: Failure | None = None  # of the server
        self.is_request_malformed = False  # the body of the request is not valid
        self.has_response_started = False  # the client has received part of the response
        self.is_request_unfinished = False  # the response ended before the request
        self._client = client
        self._server = server
        self._on_done = on_done
        self._interim_responses = 0
        self._interim_bytes = 0
        self._is_request_sent = False
        self._is_response_sent = False
        self._is_done = False

    def start(self) -> None:
        if self.request.body.is_done:
            self._is_request_sent = True
            self._server.write(self.request.head)
        else:
            self._client.forward(self._server, self.request.body, self._request_forwarded, self.request.head)
        self._server.next_head(LENIENT_HEAD_END, self._response_head_received)

    def _request_forwarded(self, error: StreamError | None) -> None:
        if error is None:
            self._is_request_sent = True
            if self._is_response_sent:
                self._finish()
        elif self._is_response_sent:
            self.is_request_unfinished = True
            self._finish()
        else:
            self.is_request_malformed = isinstance(error, Malformed)
            self._server.abort()  # a reset, so that the server does not take half a request for a complete one

    def _response_head_received(self, head: bytes | StreamError) -> None:
        if not isinstance(head, bytes):
            self._fail(head)
            return
        try:
            response = read_response(head, self.request)
        except Malformed as error:
            self._fail(error)
            return
        self._forward_response(response)

    def _forward_response(self, response: Response) -> None:
        if response.status == 101:
            self.response = response
            self._finish()
        elif response.status < 200:
            self._forward_interim(response)
        else:
            self.response, self.has_response_started = response, True
            self._server.forward(self._client, response.body, self._response_forwarded, response.head)

    def _forward_interim(self, response: Response) -> None:
        self._interim_responses += 1
        self._interim_bytes += len(response.head)
        if self._interim_responses > _MAX_INTERIM_RESPONSES or self._interim_bytes > _MAX_INTERIM_BYTES:
            self._fail(Malformed("the server sends interim responses without end"))
            return
        self._client.write(response.head)
        self._server.next_head(LENIENT_HEAD_END, self._response_head_received)

    def _response_forwarded(self, error: StreamError | None) -> None:
        if error is not None:
            self._fail(error)
            return
        self._is_response_sent = True
        if self._is_request_sent:
            self._finish()
        elif self.response is not None and self.response.closes_connection:
            self.is_request_unfinished = True
            self._finish()

    def _fail(self, error: StreamError) -> None:
        self.failure = error.kind if isinstance(error, Unreachable) else Failure.MALFORMED
        self._finish()

    def _finish(self) -> None:
        if not self._is_done:
            self._is_done = True
            self._on_done(self)


async def splice(one: ByteStream, other: ByteStream) -> None:
    """Forward bytes in both directions until both sides have stopped sending."""
    one.stays_half_open = other.stays_half_open = True
    sources = {asyncio.ensure_future(_one_way(one, other)): one, asyncio.ensure_future(_one_way(other, one)): other}
    try:
        await asyncio.wait(sources, return_when=asyncio.FIRST_COMPLETED)
        while remaining := [(task, source) for task, source in sources.items() if not task.done()]:
            task, source = remaining[0]
            before = source.bytes_received
            await asyncio.wait(
                [task for task, _ in remaining], timeout=_HALF_OPEN_IDLE_TIMEOUT, return_when=asyncio.FIRST_COMPLETED
            )
            if source.bytes_received == before and not task.done():
                return
    finally:
        for task in sources:
            task.cancel()


async def _one_way(source: ByteStream, to: ByteStream) -> None:
    """Forward bytes in one direction, and end the other connection in the same way as the source ended."""
    try:
        await source.forward_all(to)
        to.write_eof()
    except Unreachable:
        to.abort()


@dataclass(frozen=True)
class SessionParts:
    """What the clients of one session share. Without `trusted`, every process of this machine is served."""

    dialer: Dialer
    rules: Callable[[], HostRules]
    refusal_log: RefusalLog
    clients: ClientTable[ClientConnection]
    turns: SessionTurns
    trusted: TrustedProcesses | None = None


class ClientConnection:
    """A client's connection, and the server connection that its requests go to.

    The server connection is reused only for this client, and only for the same host and port. So it never carries
    bytes of another client, and it stays connected to the address that was checked.
    """

    def __init__(self, parts: SessionParts) -> None:
        self.client = ByteStream(self._client_connected, self._client_disconnected)
        self.client.turns, self.client.unread_limit = parts.turns, _UNREAD_LIMIT
        self.client.on_unread = self._unread_changed
        self.is_idle = True  # no request is under way
        self.has_sent_request = False
        self._parts = parts
        self._dialer = parts.dialer
        self._rules = parts.rules
        self._refusal_log = parts.refusal_log
        self._head_timer: asyncio.TimerHandle | None = None
        self._server: tuple[Endpoint, DialedConnection] | None = None
        self._bytes_before_request = 0  # received from the server before the current request was sent
        self._is_new_server = True
        self._is_aborted = False
        self._task: asyncio.Task[None] | None = None

    def abort(self) -> asyncio.Task[None] | None:
        """Reset the connection. Return the task that still has to end, if there is one."""
        self._is_aborted = True
        self.client.abort()
        return self._task

    def drop(self) -> None:
        self.abort()

    def recheck(self) -> None:
        """Check the server connection against the current rules, and reset it if they forbid it now."""
        if self._server is None:
            return
        endpoint, dialed = self._server
        try:
            self._dialer.check(endpoint, [dialed.address], self._rules())
        except ForbiddenAddress:
            self.abort()

    def _client_connected(self) -> None:
        if self._is_aborted:  # before the connection was established
            self.client.abort()
        elif self._parts.trusted is None:
            self._read_next_request()
        else:
            self.client.set_paused(True)  # nothing of an unknown process is read
            self._parts.trusted.check(*self.client.addresses, self._identified)

    def _identified(self, is_trusted: bool) -> None:
        if is_trusted and not self._is_aborted:
            self._read_next_request()
        else:
            self.abort()

    def _client_disconnected(self) -> None:
        self._stop_head_timer()
        if self._task is not None:
            self._task.cancel()
        if self._server is not None and self.client.has_failed:
            self._server[1].stream.abort()
        self._close_server()
        self._parts.clients.remove(self)

    def _read_next_request(self) -> None:
        self.is_idle = True
        self.client.next_head(STRICT_HEAD_END, self._head_received)

    def _unread_changed(self, count: int) -> None:
        self._parts.clients.set_unread(self, count)
        if self.is_idle and self._head_timer is None and not self._is_aborted:
            self._head_timer = asyncio.get_running_loop().call_later(HEAD_TIMEOUT, self.drop)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_received(self, head: bytes | StreamError) -> None:
        self.is_idle, self.has_sent_request = False, True
        self._stop_head_timer()
        self._parts.clients.set_unread(self, self.client.unread_bytes)
        if isinstance(head, Unreachable):
            self.client.close()
            return
        try:
            request = read_request(head) if isinstance(head, bytes) else None
        except Malformed:
            request = None
        if request is None:
            self._respond(unreadable_response(), None)
        else:
            self._handle(request)

    def _handle(self, request: ProxyRequest) -> None:
        server = self._reusable_server(request)
        if server is not None:
            self._is_new_server = False
            self._forward(request, server)
        else:
            self._start_task(self._connect_and_forward(request))

    def _reusable_server(self, request: ProxyRequest) -> ByteStream | None:
        """Return the open server connection, if this request may use it."""
        if self._server is None:
            return None
        endpoint, dialed = self._server
        if endpoint == request.endpoint and not request.is_tunnel and not dialed.stream.at_eof:
            return None if dialed.stream.has_unread else dialed.stream
        return None

    async def _connect_and_forward(self, request: ProxyRequest) -> None:
        try:
            server = await self._dial(request.endpoint)
        except ForbiddenAddress as error:
            self._refusal_log.add_refusal(request.method, error.refusal)
            self._respond(refusal_response(error.refusal), request)
        except Unreachable as error:
            self._respond_with_failure(error.kind, request)
        else:
            if request.is_tunnel:
                await self._tunnel(server, ESTABLISHED)
            else:
                self._is_new_server = True
                self._forward(request, server)

    async def _dial(self, endpoint: Endpoint) -> ByteStream:
        self._close_server()
        rules = self._rules()
        dialed = await self._dialer.dial(endpoint, rules)
        dialed.stream.turns = self._parts.turns
        self._server = endpoint, dialed
        if self._rules() is not rules:  # the owner changed them while we were connecting
            self._dialer.check(endpoint, [dialed.address], self._rules())
        return dialed.stream

    def _forward(self, request: ProxyRequest, server: ByteStream) -> None:
        self._bytes_before_request = server.bytes_received
        ForwardedRequest(self.client, server, request, self._forwarded).start()

    def _forwarded(self, forwarded: ForwardedRequest) -> None:
        if self.client.is_disconnected:
            return
        if forwarded.failure is not None:
            self._forwarding_failed(forwarded, forwarded.failure)
            return
        assert forwarded.response is not None and self._server is not None
        if forwarded.response.status == 101:
            self._start_task(self._tunnel(self._server[1].stream, forwarded.response.head))
            return
        if forwarded.response.closes_connection:
            self._close_server()
        if forwarded.is_request_unfinished:
            self._start_task(self.client.close_gracefully())
        elif forwarded.request.closes_connection:
            self.client.close()
        else:
            self._read_next_request()

    def _forwarding_failed(self, forwarded: ForwardedRequest, kind: Failure) -> None:
        is_silent = self._server is not None and self._server[1].stream.bytes_received == self._bytes_before_request
        self._close_server()
        if forwarded.is_request_malformed:
            self._respond(unreadable_response(), None)
        elif forwarded.has_response_started and kind is Failure.SHORT:
            self.client.close()  # the browser knows the length of the response, and sees that this is not its end
        elif forwarded.has_response_started:
            # The server's connection was reset, so the browser's is reset too, perhaps before it has read a byte.
            self._refusal_log.add_failure(forwarded.request.method, forwarded.request.endpoint, Failure.RESET)
            self.client.abort()
        elif not self._is_new_server and (is_silent or kind is Failure.MALFORMED) and forwarded.may_be_repeated:
            # A server may close a kept connection just when the next request is sent, or send what does not belong to
            # its last response, such as a body of a 304, so late that it stands before the next.
            self._start_task(self._connect_and_forward(forwarded.request))
        elif is_silent and not self._is_new_server:
            # Browsers know which requests they may repeat, so the browser's connection is closed in the same way.
            self.client.close()
        else:
            self._respond_with_failure(kind, forwarded.request)

    async def _tunnel(self, server: ByteStream, response_head: bytes) -> None:
        self.client.write(response_head)
        await splice(self.client, server)
        self.client.close()

    def _respond_with_failure(self, kind: Failure, request: ProxyRequest) -> None:
        self._refusal_log.add_failure(request.method, request.endpoint, kind)
        self._respond(failure_response(kind), request)

    def _respond(self, response: ProxyResponse, request: ProxyRequest | None) -> None:
        """Send a response of the proxy itself. Keep the connection if the client has nothing left to send."""
        close = request is None or request.is_tunnel or request.closes_connection or not request.body.is_done
        with_body = request is None or request.method != "HEAD"
        self.client.write(response.to_bytes(with_body=with_body, close=close))
        if close:
            self._start_task(self.client.close_gracefully())
        else:
            self.client.when_sent(self._read_next_request)  # a client that does not read is not answered further

    def _close_server(self) -> None:
        if self._server is not None:
            self._server[1].stream.close()
            self._server = None

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.ensure_future(work)
        self._task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.client.abort()  # after an error in rove, the client must not wait for a response
            task.result()  # raises in the callback, so that asyncio logs the error


class EgressProxy:
    """A proxy with the rules of one session."""

    def __init__(
        self,
        rules: HostRules,
        own_ports: OwnPorts,
        resolver: Resolver | None = None,
        upstream: Upstream | None = None,
        *,
        turns: SessionTurns | None = None,
        trusted: TrustedProcesses | None = None,
    ) -> None:
        """`turns`: shares the event loop with other sessions. Without `trusted`, every local process is served."""
        self.refusal_log = RefusalLog()
        self._rules = rules
        self._own_ports = own_ports
        self._clients: ClientTable[ClientConnection] = ClientTable()
        self._parts = SessionParts(
            Dialer(own_ports, resolver or SystemResolver(), upstream),
            lambda: self._rules,
            self.refusal_log,
            self._clients,
            turns or Turns().for_session(),
            trusted,
        )
        self._server: asyncio.Server | None = None
        self._address: tuple[str, int] | None = None

    async def start(self, listener: socket.socket | None = None) -> None:
        """Listen on a new socket, or on one that the caller has bound; clients that connected early are served."""
        listener = listener or loopback_port()
        listener.setblocking(False)
        host, port, *_ = listener.getsockname()
        self._address = host, port
        self._own_ports.add(host, port)
        self._server = await asyncio.get_running_loop().create_server(
            self._accept, sock=listener, backlog=_ACCEPTED_AT_ONCE
        )
        listener.listen(QUEUE_LENGTH)

    async def close(self) -> None:
        if self._server is None or self._address is None:
            return
        self._server.close()
        ending = [task for client in self._clients.all() if (task := client.abort())]
        await asyncio.gather(*ending, return_exceptions=True)  # a cancelled task raises CancelledError
        await self._server.wait_closed()
        self._own_ports.remove(*self._address)
        self._server = None

    @property
    def port(self) -> int:
        assert self._address is not None, "not started"
        return self._address[1]

    @property
    def rules(self) -> HostRules:
        return self._rules

    @rules.setter
    def rules(self, rules: HostRules) -> None:
        """Apply new rules from now on, and reset the connections that they forbid."""
        self._rules = rules
        for client in self._clients.all():
            client.recheck()

    @property
    def refusals(self) -> deque[RefusedRequest]:
        return self.refusal_log.refusals

    @property
    def failures(self) -> deque[FailedRequest]:
        return self.refusal_log.failures

    def _accept(self) -> asyncio.Protocol:
        connection = ClientConnection(self._parts)
        return connection.client if self._clients.add(connection) else _RejectedClient()


class _RejectedClient(asyncio.Protocol):
    """A client that connects when the proxy has too many clients. Its connection is closed at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
