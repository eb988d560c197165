"""One request and its answer, both passed on as they come."""

from __future__ import annotations

from collections.abc import Callable

from rove.guard.http.byte_stream import LENIENT_END, Broken, ByteStream
from rove.guard.http.request import ProxyRequest
from rove.guard.http.response import Response, read_response
from rove.guard.proxy.connection_errors import Failure, Malformed, Unreachable


class ForwardedRequest:
    """Between a client and the server that it may talk to. The answer may begin before the request has ended."""

    def __init__(
        self, client: ByteStream, server: ByteStream, request: ProxyRequest, then: Callable[[ForwardedRequest], None]
    ) -> None:
        self.request = request
        self.answer: Response | None = None
        self.failure: Failure | None = None  # of the server
        self.is_misread = False  # the request's body made no sense
        self.is_begun = False  # the client has been sent some of the answer
        self.is_cut_short = False  # the request had not ended when the answer had
        self._client = client
        self._server = server
        self._then = then
        self._is_sent = False
        self._is_relayed = False
        self._is_over = False

    def begin(self) -> None:
        if self.request.body.is_done:
            self._is_sent = True
            self._server.write(self.request.head)
        else:
            self._client.pour(self._server, self.request.body, self._sent, self.request.head)
        self._server.next_head(LENIENT_END, self._answered)

    def _sent(self, error: Broken | None) -> None:
        if error is None:
            self._is_sent = True
            if self._is_relayed:
                self._end()
        elif self._is_relayed:
            self.is_cut_short = True
            self._end()
        else:
            self.is_misread = isinstance(error, Malformed)
            self._server.abort()  # half a request is not to be taken for a whole one

    def _answered(self, head: bytes | Broken) -> None:
        if not isinstance(head, bytes):
            self._fail(head)
            return
        try:
            answer = read_response(head, self.request)
        except Malformed as error:
            self._fail(error)
            return
        if answer.status == 101:
            self.answer = answer
            self._end()
        elif answer.status < 200:
            self._client.write(answer.head)
            self._server.next_head(LENIENT_END, self._answered)
        else:
            self.answer, self.is_begun = answer, True
            self._server.pour(self._client, answer.body, self._relayed, answer.head)

    def _relayed(self, error: Broken | None) -> None:
        if error is not None:
            self._fail(error)
            return
        self._is_relayed = True
        if self._is_sent:
            self._end()
        elif self.answer is not None and self.answer.is_last:
            self.is_cut_short = True
            self._end()

    def _fail(self, error: Broken) -> None:
        self.failure = error.kind if isinstance(error, Unreachable) else Failure.MALFORMED
        self._end()

    def _end(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._then(self)
