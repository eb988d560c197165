"""One client of the proxy: its requests one after the other, or one tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.urls import Endpoint
from rove.guard.http.byte_stream import STRICT_END, Broken, ByteStream
from rove.guard.http.request import ProxyRequest, read_request
from rove.guard.http.response import ESTABLISHED, ProxyResponse, failure_response, refusal_response, unreadable_response
from rove.guard.proxy.connection_errors import Failure, Malformed, Unreachable
from rove.guard.proxy.dialer import DialedConnection, Dialer, ForbiddenAddress
from rove.guard.proxy.forwarding import ForwardedRequest
from rove.guard.proxy.refusal_log import FailedRequest, RefusalLog, RefusedRequest
from rove.guard.proxy.tunnel import splice

OnEnd = Callable[["ClientConnection"], object]


class ClientConnection:
    """A client, and the one server that it talks to through us.

    The server's connection is kept for this client alone, for as long as it asks for the same host and port: nobody
    else's bytes get into it, and it stays with the address that was checked.
    """

    def __init__(self, dialler: Dialer, rules: Callable[[], HostRules], refusal_log: RefusalLog, on_end: OnEnd) -> None:
        self.client = ByteStream(self._listen, self._client_lost)
        self._on_end = on_end
        self._dialler = dialler
        self._rules = rules
        self._refusal_log = refusal_log
        self._server: tuple[Endpoint, DialedConnection] | None = None
        self._received = 0  # of the server, when it was last asked
        self._is_fresh = True
        self._is_over = False
        self._task: asyncio.Task[None] | None = None

    def end(self) -> asyncio.Task[None] | None:
        """Break off; what is returned, if anything, is still to come to its end."""
        self._is_over = True
        self.client.abort()
        return self._task

    def recheck(self) -> None:
        """The rules have changed: what they forbid now, ends now."""
        if self._server is None:
            return
        endpoint, dialled = self._server
        try:
            self._dialler.check(endpoint, [dialled.address], self._rules())
        except ForbiddenAddress:
            self.end()

    def _client_lost(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if self._server is not None and self.client.is_broken:
            self._server[1].stream.abort()
        self._close_stream()
        self._on_end(self)

    def _listen(self) -> None:
        if self._is_over:  # before it had begun
            self.client.abort()
        else:
            self.client.next_head(STRICT_END, self._asked)

    def _asked(self, head: bytes | Broken) -> None:
        if isinstance(head, Unreachable):
            self.client.close()
            return
        try:
            request = read_request(head) if isinstance(head, bytes) else None
        except Malformed:
            request = None
        if request is None:
            self._say(unreadable_response(), None)
        elif (server := self._kept(request)) is not None:
            self._is_fresh = False
            self._exchange(request, server)
        else:
            self._meanwhile(self._fetch(request))

    def _kept(self, request: ProxyRequest) -> ByteStream | None:
        """The connection that there is, if it will do."""
        if self._server is None:
            return None
        endpoint, dialled = self._server
        if endpoint == request.endpoint and not request.is_tunnel and not dialled.stream.is_ended:
            return None if dialled.stream.has_unread else dialled.stream
        return None

    async def _fetch(self, request: ProxyRequest) -> None:
        """What needs a new connection, and so takes its time."""
        try:
            server = await self._dial(request.endpoint)
        except ForbiddenAddress as error:
            self._refusal_log.refusals.append(RefusedRequest(request.method, error.refusal))
            self._say(refusal_response(error.refusal), request)
        except Unreachable as error:
            self._fail(error.kind, request)
        else:
            if request.is_tunnel:
                await self._tunnel(server, ESTABLISHED)
            else:
                self._is_fresh = True
                self._exchange(request, server)

    async def _dial(self, endpoint: Endpoint) -> ByteStream:
        self._close_stream()
        rules = self._rules()
        dialled = await self._dialler.dial(endpoint, rules)
        self._server = endpoint, dialled
        if self._rules() is not rules:  # they changed while we were dialling
            self._dialler.check(endpoint, [dialled.address], self._rules())
        return dialled.stream

    def _exchange(self, request: ProxyRequest, server: ByteStream) -> None:
        self._received = server.received
        ForwardedRequest(self.client, server, request, self._exchanged).begin()

    def _exchanged(self, exchange: ForwardedRequest) -> None:
        if self.client.is_lost:
            return  # it did not wait for the end
        if exchange.failure is not None:
            self._failed(exchange, exchange.failure)
            return
        assert exchange.answer is not None and self._server is not None
        if exchange.answer.status == 101:
            self._meanwhile(self._tunnel(self._server[1].stream, exchange.answer.head))
            return
        if exchange.answer.is_last:
            self._close_stream()
        if exchange.is_cut_short:
            self._meanwhile(self.client.close_gracefully())
        elif exchange.request.is_last or exchange.answer.ends_by_closing:
            self.client.close()
        else:
            self._listen()

    def _failed(self, exchange: ForwardedRequest, kind: Failure) -> None:
        nothing_came = self._server is not None and self._server[1].stream.received == self._received
        self._close_stream()
        if exchange.is_misread:
            self._say(unreadable_response(), None)
        elif exchange.is_begun and kind is Failure.SHORT:
            self.client.close()  # the browser has been told where the end would be, and sees that this is not it
        elif exchange.is_begun:
            self.client.abort()  # it broke off here, so it breaks off there
        elif nothing_came and not self._is_fresh:
            # A server may close a kept connection just when it is used again. Browsers try anew when that happens
            # to them; so it is made to happen to them.
            self.client.close()
        else:
            self._fail(kind, exchange.request)

    async def _tunnel(self, server: ByteStream, greeting: bytes) -> None:
        self.client.write(greeting)
        await splice(self.client, server)
        self.client.close()

    def _fail(self, kind: Failure, request: ProxyRequest) -> None:
        self._refusal_log.failures.append(FailedRequest(request.method, request.endpoint, kind))
        self._say(failure_response(kind), request)

    def _say(self, answer: ProxyResponse, request: ProxyRequest | None) -> None:
        """An answer of our own; the client may ask again if it had nothing more to send."""
        is_last = request is None or request.is_tunnel or request.is_last or not request.body.is_done
        with_body = request is None or request.method != "HEAD"
        self.client.write(answer.written(with_body=with_body, is_last=is_last))
        if is_last:
            self._meanwhile(self.client.close_gracefully())
        else:
            self._listen()

    def _close_stream(self) -> None:
        if self._server is not None:
            self._server[1].stream.close()
            self._server = None

    def _meanwhile(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.ensure_future(work)
        self._task.add_done_callback(self._worked)

    def _worked(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.client.abort()  # a fault of our own leaves nobody waiting
            task.result()  # and is told of, by asyncio
