"""The proxy process: runs the proxies of all sessions as the engine says, and ends when the engine does.

The engine keeps the sockets that the proxies listen on. If this process ends, connections wait in the kernel's queue
until the next one is started. That one serves no session before the engine has sent it the session's rules.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque

from rove.guard.network.addresses import OwnPorts, own_addresses
from rove.guard.network.byte_stream import Turns
from rove.guard.network.dialer import DnsResolver, Resolver, Upstream
from rove.guard.network.proxy import EgressProxy
from rove.guard.network.proxy_messages import ControlSocket, Message, entry_to_json, rules_from_json, upstream_from_json
from rove.guard.network.refusal_log import MAX_ENTRIES, FailedRequest, RefusedRequest
from rove.guard.network.socket_owner import SocketOwners, TrustedProcesses, can_identify

# A page can cause thousands of refusals in a second, and the engine must not be busy with them.
_AT_ONCE = 100
_PERIOD_SECONDS = 0.1


class Reports:
    """The reports of one session: the first of a period are sent at once, the latest of the others when it ends."""

    def __init__(self, session: int, control: ControlSocket) -> None:
        self._session = session
        self._control = control
        self._sent = 0
        self._late: deque[RefusedRequest | FailedRequest] = deque(maxlen=min(MAX_ENTRIES, _AT_ONCE))
        self._is_scheduled = False

    def add(self, entry: RefusedRequest | FailedRequest) -> None:
        """Send an entry, or keep it until the period ends."""
        if self._sent < _AT_ONCE and not self._control.is_full:
            self._send(entry)
        else:
            self._late.append(entry)
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(_PERIOD_SECONDS, self._begin_period)

    def _send(self, entry: RefusedRequest | FailedRequest) -> None:
        self._sent += 1
        self._control.send({"session": self._session, "entry": entry_to_json(entry)})

    def _begin_period(self) -> None:
        self._is_scheduled, self._sent = False, 0
        late, self._late = list(self._late), deque(maxlen=self._late.maxlen)
        for entry in late:
            self.add(entry)


class ProxyServer:
    """The proxies of all sessions, and what they share."""

    def __init__(self, connection: socket.socket) -> None:
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._control = ControlSocket(connection, self._messages.put_nowait, lambda: self._messages.put_nowait(None))
        self._turns = Turns()
        self._own_ports = OwnPorts()
        self._owners: SocketOwners | None = None
        self._resolver: Resolver | None = None
        self._upstream: Upstream | None = None
        self._proxies: dict[int, EgressProxy] = {}
        self._trusted: dict[int, TrustedProcesses] = {}

    async def run(self) -> None:
        """Carry out the messages of the engine in their order, until the engine ends."""
        while (message := await self._messages.get()) is not None:
            await self._carry_out(message)
            self._control.send({"done": message["id"]})

    async def _carry_out(self, message: Message) -> None:
        match message["do"]:
            case "configure":
                self._configure(message)
            case "own":
                change = self._own_ports.add if message["is_own"] else self._own_ports.remove
                change(message["address"], message["port"])
            case "open":
                await self._open(message)
            case "rules":
                self._proxies[message["session"]].rules = rules_from_json(message["rules"])
            case "trust":
                self._trust(message["session"], message["group"])
            case "ping":
                pass  # the answer says that this process works
            case "close":
                await self._close(message["session"])
            case unknown:
                raise ValueError(f"the engine sent an unknown message: {unknown!r}")  # the process ends: fail closed

    def _configure(self, message: Message) -> None:
        self._upstream = upstream_from_json(message["upstream"])
        self._resolver = DnsResolver(tuple(message["dns"])) if message["dns"] else None
        self._owners = SocketOwners(message["engine"]) if can_identify() else None
        for address, port in message["own"]:
            self._own_ports.add(address, port)

    async def _open(self, message: Message) -> None:
        session = message["session"]
        listener = socket.socket(fileno=self._control.take_descriptor())
        trusted = self._owners.for_session() if self._owners is not None else None
        proxy = EgressProxy(
            rules_from_json(message["rules"]),
            self._own_ports,
            self._resolver,
            self._upstream,
            turns=self._turns.for_session(),
            trusted=trusted,
        )
        proxy.refusal_log.on_entry = Reports(session, self._control).add
        self._proxies[session] = proxy
        if trusted is not None:
            self._trusted[session] = trusted
        self._trust(session, message["group"])
        await proxy.start(listener)

    def _trust(self, session: int, group: int | None) -> None:
        if session in self._trusted:
            self._trusted[session].group = group

    async def _close(self, session: int) -> None:
        self._trusted.pop(session, None)
        await self._proxies.pop(session).close()


async def _serve(connection: socket.socket) -> None:
    own_addresses()  # read now, as the first request would wait for it
    await ProxyServer(connection).run()


def _raise_descriptor_limit() -> None:
    """Allow as many connections as the system does: all sessions share the descriptors of this process."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65536 if most == resource.RLIM_INFINITY else min(most, 65536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def main(descriptor: int) -> None:
    """Serve the engine at the other end of a socket."""
    _raise_descriptor_limit()
    asyncio.run(_serve(socket.socket(fileno=descriptor)))
    os._exit(0)  # without waiting for threads that resolve names
