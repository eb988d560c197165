"""The proxy process: runs the proxies of all sessions as the engine says, and ends when the engine does.

The engine keeps the sockets that the proxies listen on. If this process ends, connections wait in the kernel's queue
until the next one is started. That one serves no session before the engine has sent it the session's rules.
"""

from __future__ import annotations

import asyncio
import os
import socket

from rove.guard.hosts.local_machine import OwnPorts, own_addresses
from rove.guard.hosts.resolver import DnsResolver, Resolver
from rove.guard.http.turns import Turns
from rove.guard.proxy.egress import EgressProxy
from rove.guard.proxy.socket_owner import SocketOwners, TrustedProcesses, can_identify
from rove.guard.proxy.upstream import Upstream
from rove.guard.proxy_process.control_socket import ControlSocket, Message
from rove.guard.proxy_process.messages import rules_from_json, upstream_from_json
from rove.guard.proxy_process.reports import Reports


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
