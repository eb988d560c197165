"""From a name to addresses: always asked anew, bounded in time, and never remembered.

What was checked is what is dialled; an answer that is kept would be one more that somebody has to check again.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Protocol

from rove.guard.hosts.refusal import IP
from rove.guard.proxy.connection_errors import Failure, Unreachable

if TYPE_CHECKING:
    from dns.asyncresolver import Resolver as Asker

PATIENCE = 5.0
# A dead name server holds a thread for as long as the C library likes; more than these wait for a place.
_MOST_THREADS = 32
_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))


class Resolver(Protocol):
    """Someone who knows names."""

    async def addresses(self, host: str) -> Sequence[IP]:
        """Every address of the host, the best first; raises Unreachable."""
        ...


class SystemResolver:
    """What this machine is set up to ask: its hosts file, its name servers."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_MOST_THREADS)

    async def addresses(self, host: str) -> Sequence[IP]:
        async with self._places:
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[list[IP]] = loop.create_future()
            # A daemon, since a pool's threads are waited for at the end of the program.
            threading.Thread(target=_look_up, args=(host, answer, loop), daemon=True).start()
            return await answer


class DnsResolver:
    """One name server of one's own choice, and nothing else: no hosts file, no search list."""

    def __init__(self, server: tuple[str, int], patience: float = PATIENCE) -> None:
        self._server = server
        self._patience = patience
        self._asker: Asker | None = None

    async def addresses(self, host: str) -> Sequence[IP]:
        six, four = await asyncio.gather(self._ask(host, "AAAA"), self._ask(host, "A"))
        if not six and not four:
            raise Unreachable(Failure.DNS, f"{host} has no address")
        return [*four, *six]

    async def _ask(self, host: str, kind: str) -> list[IP]:
        import dns.exception
        import dns.resolver

        try:
            answer = await self._resolver().resolve(f"{host}.", kind, raise_on_no_answer=False, search=False)
        except dns.resolver.LifetimeTimeout as error:
            raise Unreachable(Failure.TIMEOUT, f"no answer on {host}") from error
        except (dns.exception.DNSException, OSError) as error:
            raise Unreachable(Failure.DNS, str(error)[:200]) from error
        return [ip_address(record.address) for record in answer]

    def _resolver(self) -> Asker:
        """Made when first needed: the library takes 0.1 s to import, and few set a name server."""
        if self._asker is None:
            import dns.asyncresolver

            asker = dns.asyncresolver.Resolver(configure=False)
            asker.nameservers, asker.port = [self._server[0]], self._server[1]
            asker.lifetime, asker.cache = self._patience, None
            asker.use_edns(0, 0, 1232)
            self._asker = asker
        return self._asker


class Lookups:
    """Names to addresses for a proxy: what needs no asking answered here, one question at a time for each host."""

    def __init__(self, resolver: Resolver, patience: float = PATIENCE) -> None:
        self._resolver = resolver
        self._patience = patience
        self._asked: dict[str, asyncio.Task[Sequence[IP]]] = {}

    async def addresses(self, host: str) -> Sequence[IP]:
        """Every address of the host, at least one; raises Unreachable."""
        # That name belongs to this machine, whatever a name server says (RFC 6761).
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        asked = self._asked.get(host)
        if asked is None:
            asked = self._asked[host] = asyncio.ensure_future(self._ask(host))
            asked.add_done_callback(lambda task: self._forget(host, task))
        return await asyncio.shield(asked)  # others wait for it too

    def _forget(self, host: str, task: asyncio.Task[Sequence[IP]]) -> None:
        del self._asked[host]
        if not task.cancelled():
            task.exception()  # all who asked may have left; asyncio would complain that nobody heard

    async def _ask(self, host: str) -> Sequence[IP]:
        try:
            async with asyncio.timeout(self._patience):
                found = await self._resolver.addresses(host)
        except TimeoutError as error:
            raise Unreachable(Failure.TIMEOUT, f"no answer on {host}") from error
        if not found:
            raise Unreachable(Failure.DNS, f"{host} has no address")
        return found


def _look_up(host: str, answer: asyncio.Future[list[IP]], loop: asyncio.AbstractEventLoop) -> None:
    """In a thread of its own; whoever asked may have given up meanwhile."""
    found: list[IP] | Unreachable
    try:
        # As bytes, since Python would put a name through rules for international names that are not the web's.
        entries = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
        found = list(dict.fromkeys(ip_address(entry[4][0]) for entry in entries))
    except (OSError, ValueError) as error:
        found = Unreachable(Failure.DNS, str(error)[:200])

    def tell() -> None:
        if answer.done():
            return
        if isinstance(found, Unreachable):
            answer.set_exception(found)
        else:
            answer.set_result(found)

    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)
