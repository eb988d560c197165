"""The egress guard: a filtering forward proxy, one listener for each session.

The browser resolves nothing itself. Whatever it wants to reach it has to ask for here, where a name is resolved once,
every address that comes back is checked, and one of those is dialled; or nobody is.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque

from rove.guard.conversation import Conversation
from rove.guard.dialling import Dialler
from rove.guard.ledger import Failed, Ledger, Refused
from rove.guard.machine import OwnPorts, loopback_port
from rove.guard.resolver import Resolver, SystemResolver
from rove.guard.rules import Rules
from rove.guard.upstream import Upstream

# A browser opens some 256 to a proxy; whoever else finds the port shall not use up the process's files.
_MOST_CLIENTS = 1024


class Egress:
    """A proxy with the rules of one session."""

    def __init__(
        self, rules: Rules, own: OwnPorts, resolver: Resolver | None = None, upstream: Upstream | None = None
    ) -> None:
        self.ledger = Ledger()
        self._rules = rules
        self._own = own
        self._dialler = Dialler(own, resolver or SystemResolver(), upstream)
        self._conversations: set[Conversation] = set()
        self._server: asyncio.Server | None = None
        self._place: tuple[str, int] | None = None

    async def start(self, listener: socket.socket | None = None) -> None:
        """Listen, on a socket that somebody may have bound beforehand; clients that came early are served."""
        listener = listener or loopback_port()
        listener.setblocking(False)
        host, port, *_ = listener.getsockname()
        self._place = host, port
        self._own.add(host, port)
        self._server = await asyncio.get_running_loop().create_server(self._welcome, sock=listener)

    async def close(self) -> None:
        if self._server is None or self._place is None:
            return
        self._server.close()
        ending = [task for conversation in tuple(self._conversations) if (task := conversation.end())]
        await asyncio.gather(*ending, return_exceptions=True)  # a task that was cancelled says so
        await self._server.wait_closed()
        self._own.remove(*self._place)
        self._server = None

    @property
    def port(self) -> int:
        assert self._place is not None, "not started"
        return self._place[1]

    @property
    def rules(self) -> Rules:
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        """From now on; connections that the new ones forbid are cut."""
        self._rules = rules
        for conversation in tuple(self._conversations):
            conversation.recheck()

    @property
    def refusals(self) -> deque[Refused]:
        return self.ledger.refusals

    @property
    def failures(self) -> deque[Failed]:
        return self.ledger.failures

    def _welcome(self) -> asyncio.Protocol:
        if len(self._conversations) >= _MOST_CLIENTS:
            return _Turned()
        conversation = Conversation(self._dialler, lambda: self._rules, self.ledger, self._conversations.discard)
        self._conversations.add(conversation)
        return conversation.client


class _Turned(asyncio.Protocol):
    """A client that finds the house full."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
