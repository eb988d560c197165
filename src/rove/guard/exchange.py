"""One request and its answer, both passed on as they come."""

from __future__ import annotations

import asyncio

from rove.guard.answers import Answer, read_answer
from rove.guard.failure import Failure, Malformed, Unreachable
from rove.guard.link import LENIENT_END, Link
from rove.guard.requests import Request


class Exchange:
    """Between a client and the server that it may talk to. The answer may begin before the request has ended."""

    def __init__(self, client: Link, server: Link, request: Request) -> None:
        self._client = client
        self._server = server
        self._request = request
        self._upload: asyncio.Task[None] | None = None
        self.is_answered = False  # the client has been sent some of the answer
        self.is_cut_short = False  # the request had not ended when the answer had

    async def run(self) -> Answer:
        """Raises Unreachable if the server fails, Malformed if the client does."""
        self._begin()
        try:
            answer = await self._answer_head()
            if answer.status != 101:
                await self._answer_body(answer)
                await self._finish(answer)
            return answer
        finally:
            if self._upload is not None:
                self._upload.cancel()

    def _begin(self) -> None:
        if self._request.body.is_done:
            self._server.write(self._request.head)
            return
        sending = self._client.forward(self._server, self._request.body, self._request.head)
        self._upload = asyncio.ensure_future(sending)
        self._upload.add_done_callback(self._uploaded)

    def _uploaded(self, upload: asyncio.Task[None]) -> None:
        if not upload.cancelled() and upload.exception() is not None:
            self._server.abort()  # half a request is not to be taken for a whole one

    async def _answer_head(self) -> Answer:
        try:
            while True:
                head = await self._server.read_head(LENIENT_END)
                if head is None:
                    raise Unreachable(Failure.RESET, "closed without an answer")
                answer = read_answer(head, self._request)
                if answer.status == 101 and not self._request.wants_upgrade:
                    raise Malformed("the server changes to what nobody asked for")
                if answer.status >= 200 or answer.status == 101:
                    return answer
                self._client.write(answer.head)
        except Malformed as error:
            raise Unreachable(Failure.MALFORMED, str(error)) from error
        except Unreachable:
            if self._upload is not None and self._upload.done() and isinstance(self._upload.exception(), Malformed):
                raise Malformed("the request's body is not understood") from None
            raise

    async def _answer_body(self, answer: Answer) -> None:
        self.is_answered = True
        try:
            await self._server.forward(self._client, answer.body, answer.head)
        except Malformed as error:
            raise Unreachable(Failure.MALFORMED, str(error)) from error

    async def _finish(self, answer: Answer) -> None:
        """An answer that came early leaves a request that may still be under way."""
        if self._upload is None:
            return
        try:
            if self._upload.done() or not answer.is_last:
                await self._upload
            else:
                self.is_cut_short = True
        except (Unreachable, Malformed):
            self.is_cut_short = True
