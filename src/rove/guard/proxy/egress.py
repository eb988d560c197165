"""The egress guard: a filtering forward proxy, one listener for each session.

The browser resolves no names itself and sends every request to this proxy. The proxy resolves the name once, checks
every address, and connects to one of them; or it refuses the request.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts, loopback_port
from rove.guard.hosts.resolver import Resolver, SystemResolver
from rove.guard.http.turns import SessionTurns, Turns
from rove.guard.proxy.client_connection import ClientConnection, SessionParts
from rove.guard.proxy.client_table import ClientTable
from rove.guard.proxy.dialer import Dialer
from rove.guard.proxy.refusal_log import FailedRequest, RefusalLog, RefusedRequest
from rove.guard.proxy.socket_owner import TrustedProcesses
from rove.guard.proxy.upstream import Upstream

# Connections that are accepted in one pass of the event loop; more wait in the queue of the kernel.
_ACCEPTED_AT_ONCE = 16
# How long that queue is.
QUEUE_LENGTH = 1024


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
