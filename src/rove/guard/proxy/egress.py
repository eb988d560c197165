"""The egress guard: a filtering forward proxy, one listener for each session.

The browser resolves nothing itself. Whatever it wants to reach it has to ask for here, where a name is resolved once,
every address that comes back is checked, and one of those is dialled; or nobody is.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts, loopback_port
from rove.guard.hosts.resolver import Resolver, SystemResolver
from rove.guard.proxy.client_connection import ClientConnection
from rove.guard.proxy.dialer import Dialer
from rove.guard.proxy.refusal_log import FailedRequest, RefusalLog, RefusedRequest
from rove.guard.proxy.upstream import Upstream

# A browser opens some 256 to a proxy; whoever else finds the port shall not use up the process's files.
_MOST_CLIENTS = 1024


class EgressProxy:
    """A proxy with the rules of one session."""

    def __init__(
        self, rules: HostRules, own: OwnPorts, resolver: Resolver | None = None, upstream: Upstream | None = None
    ) -> None:
        self.refusal_log = RefusalLog()
        self._rules = rules
        self._own = own
        self._dialler = Dialer(own, resolver or SystemResolver(), upstream)
        self._conversations: set[ClientConnection] = set()
        self._server: asyncio.Server | None = None
        self._place: tuple[str, int] | None = None

    async def start(self, listener: socket.socket | None = None) -> None:
        """Listen, on a socket that somebody may have bound beforehand; clients that came early are served."""
        listener = listener or loopback_port()
        listener.setblocking(False)
        host, port, *_ = listener.getsockname()
        self._place = host, port
        self._own.add(host, port)
        self._server = await asyncio.get_running_loop().create_server(self._accept, sock=listener)

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
    def rules(self) -> HostRules:
        return self._rules

    @rules.setter
    def rules(self, rules: HostRules) -> None:
        """From now on; connections that the new ones forbid are cut."""
        self._rules = rules
        for conversation in tuple(self._conversations):
            conversation.recheck()

    @property
    def refusals(self) -> deque[RefusedRequest]:
        return self.refusal_log.refusals

    @property
    def failures(self) -> deque[FailedRequest]:
        return self.refusal_log.failures

    def _accept(self) -> asyncio.Protocol:
        if len(self._conversations) >= _MOST_CLIENTS:
            return _Turned()
        conversation = ClientConnection(
            self._dialler, lambda: self._rules, self.refusal_log, self._conversations.discard
        )
        self._conversations.add(conversation)
        return conversation.client


class _Turned(asyncio.Protocol):
    """A client that finds the house full."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
