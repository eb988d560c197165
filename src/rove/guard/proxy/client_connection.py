"""One client of the proxy: handles its requests one after the other, or one tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from rove.guard.hosts.connection_errors import Failure, Unreachable
from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.urls import Endpoint
from rove.guard.http.byte_stream import STRICT_HEAD_END, ByteStream, StreamError
from rove.guard.http.http_errors import Malformed
from rove.guard.http.request import ProxyRequest, read_request
from rove.guard.http.response import ESTABLISHED, ProxyResponse, failure_response, refusal_response, unreadable_response
from rove.guard.http.turns import SessionTurns
from rove.guard.proxy.client_table import ClientTable
from rove.guard.proxy.dialer import DialedConnection, Dialer, ForbiddenAddress
from rove.guard.proxy.forwarding import ForwardedRequest
from rove.guard.proxy.refusal_log import RefusalLog
from rove.guard.proxy.socket_owner import TrustedProcesses
from rove.guard.proxy.tunnel import splice
from rove.validation.record import dataclass

# Seconds for the head of a request to arrive, from its first byte on. Browsers send it at once.
HEAD_TIMEOUT = 10.0
# Browsers send one request after the other on a connection, so there is little to keep while one is under way.
_UNREAD_LIMIT = 64 * 1024


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
