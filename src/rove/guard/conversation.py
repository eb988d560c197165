"""One client of the proxy: its requests one after the other, or one tunnel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rove.guard.answers import ESTABLISHED, OwnAnswer, failed, misread, refused
from rove.guard.dialling import Dialled, Dialler, Forbidden
from rove.guard.exchange import Exchange
from rove.guard.failure import Failure, Malformed, Unreachable
from rove.guard.ledger import Failed, Ledger, Refused
from rove.guard.link import STRICT_END, Link, splice
from rove.guard.requests import Request, read_request
from rove.guard.rules import Rules
from rove.guard.urls import Endpoint

OnEnd = Callable[["Conversation"], object]


class Conversation:
    """A client, and the one server that it talks to through us.

    The server's connection is kept for this client alone, for as long as it asks for the same host and port: nobody
    else's bytes get into it, and it stays with the address that was checked.
    """

    def __init__(self, dialler: Dialler, rules: Callable[[], Rules], ledger: Ledger, on_end: OnEnd) -> None:
        self.client = Link(self._begin, self._client_ended)
        self._on_end = on_end
        self._dialler = dialler
        self._rules = rules
        self._ledger = ledger
        self._server: tuple[Endpoint, Dialled] | None = None
        self._is_tunnel = False
        self._task: asyncio.Task[None] | None = None

    def end(self) -> asyncio.Task[None] | None:
        """Break off; what is returned is done when nothing is left of it."""
        if self._task is not None:
            self.client.abort()
            self._task.cancel()
        return self._task

    def recheck(self) -> None:
        """The rules have changed: what they forbid now, ends now."""
        if self._server is None:
            return
        endpoint, dialled = self._server
        try:
            self._dialler.check(endpoint, [dialled.address], self._rules())
        except Forbidden:
            self.end()

    def _begin(self) -> None:
        self._task = asyncio.ensure_future(self._serve())
        self._task.add_done_callback(lambda _: self._on_end(self))

    def _client_ended(self) -> None:
        # In a tunnel it may only have finished speaking.
        if self._task is not None and not self._is_tunnel:
            self._task.cancel()

    async def _serve(self) -> None:
        try:
            while await self._turn():
                pass
        except Malformed:
            await self._say(misread(), None)
        except Unreachable:
            return  # the client went away in the middle of a request
        finally:
            self._hang_up()
            self.client.close()

    async def _turn(self) -> bool:
        """One request; whether there may be another."""
        head = await self.client.read_head(STRICT_END)
        if head is None:
            return False
        request = read_request(head)
        try:
            server, is_fresh = await self._server_for(request.endpoint)
            if request.is_tunnel:
                return await self._tunnel(server, ESTABLISHED)
            return await self._exchange(request, server, is_fresh)
        except Forbidden as error:
            self._ledger.refusals.append(Refused(request.method, error.refusal))
            return await self._say(refused(error.refusal), request)
        except Unreachable as error:
            self._hang_up()
            return await self._fail(error.kind, request)

    async def _server_for(self, endpoint: Endpoint) -> tuple[Link, bool]:
        """A connection to it, and whether it is a new one."""
        if self._server is not None:
            known, dialled = self._server
            if known == endpoint and not dialled.link.is_ended and not dialled.link.has_unread:
                return dialled.link, False
            self._hang_up()
        rules = self._rules()
        dialled = await self._dialler.dial(endpoint, rules)
        self._server = endpoint, dialled
        if self._rules() is not rules:  # they changed while we were dialling
            self._dialler.check(endpoint, [dialled.address], self._rules())
        return dialled.link, True

    async def _exchange(self, request: Request, server: Link, is_fresh: bool) -> bool:
        exchange, before = Exchange(self.client, server, request), server.received
        try:
            answer = await exchange.run()
        except Unreachable:
            if exchange.is_answered:
                self.client.abort()  # it broke off here, so it breaks off there
                return False
            # A server may close a kept connection just when it is used again. Browsers try anew when that happens
            # to them; so it is made to happen to them.
            if not is_fresh and server.received == before:
                return False
            raise
        if answer.status == 101:
            return await self._tunnel(server, answer.head)
        if answer.is_last:
            self._hang_up()
        if exchange.is_cut_short:
            await self.client.take_leave()
        return not (request.is_last or answer.ends_by_closing or exchange.is_cut_short)

    async def _tunnel(self, server: Link, greeting: bytes) -> bool:
        self._is_tunnel = True
        self.client.write(greeting)
        await splice(self.client, server)
        return False

    async def _fail(self, kind: Failure, request: Request) -> bool:
        self._ledger.failures.append(Failed(request.method, request.endpoint, kind))
        return await self._say(failed(kind), request)

    async def _say(self, answer: OwnAnswer, request: Request | None) -> bool:
        """An answer of our own; whether the client may ask again, which it may if it had nothing more to send."""
        is_last = request is None or request.is_tunnel or request.is_last or not request.body.is_done
        with_body = request is None or request.method != "HEAD"
        self.client.write(answer.written(with_body=with_body, is_last=is_last))
        if is_last:
            await self.client.take_leave()
        return not is_last

    def _hang_up(self) -> None:
        if self._server is not None:
            self._server[1].link.close()
            self._server = None
