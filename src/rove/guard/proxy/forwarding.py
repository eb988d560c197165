"""Forwards one request to a server, and its response to the client."""

from __future__ import annotations

from collections.abc import Callable

from rove.guard.hosts.connection_errors import Failure, Unreachable
from rove.guard.http.byte_stream import LENIENT_HEAD_END, ByteStream, StreamError
from rove.guard.http.http_errors import Malformed
from rove.guard.http.request import ProxyRequest
from rove.guard.http.response import Response, read_response

# Interim responses (status 1xx) to one request. Without a limit, a server could send them forever.
_MAX_INTERIM_RESPONSES = 20
_MAX_INTERIM_BYTES = 64 * 1024


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
