"""A name server on loopback that says whatever a test wants, in whatever order."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

# An answer longer than this is cut off, and asked for again over TCP.
DATAGRAM = 1232


class Nameserver:
    """Names and the answers they get: one after the other, the last one again and again."""

    def __init__(self) -> None:
        self.address = ("127.0.0.1", 0)
        self.questions: list[str] = []
        self._zone: dict[str, Sequence[Sequence[str]]] = {}
        self._silent: set[str] = set()
        self._turns: Counter[tuple[str, int]] = Counter()

    def set(self, name: str, *answers: Sequence[str], silent: bool = False) -> None:
        """Each answer is a list of addresses, perhaps with `cname:other.example` first."""
        self._zone[name] = answers
        if silent:
            self._silent.add(name)

    def answer(self, cdp: bytes, *, may_cut: bool) -> bytes | None:
        query = dns.message.from_wire(cdp)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True).lower()
        self.questions.append(name)
        if name in self._silent:
            return None
        response = dns.message.make_response(query)
        response.flags |= dns.flags.RA
        if name not in self._zone:
            response.set_rcode(dns.rcode.NXDOMAIN)
            return response.to_wire()
        turn = self._turns[name, question.rdtype]
        self._turns[name, question.rdtype] += 1
        records = self._zone[name][min(turn, len(self._zone[name]) - 1)]
        owner = f"{name}."
        for record in records:
            if record.startswith("cname:"):
                target = record.removeprefix("cname:") + "."
                response.answer.append(dns.rrset.from_text(owner, 0, "IN", "CNAME", target))
                owner = target
        kind = "AAAA" if question.rdtype == dns.rdatatype.AAAA else "A"
        fitting = [each for each in records if not each.startswith("cname:") and (":" in each) == (kind == "AAAA")]
        if fitting:
            response.answer.append(dns.rrset.from_text_list(owner, 0, "IN", kind, fitting))
        whole = response.to_wire()
        if may_cut and len(whole) > DATAGRAM:
            response.answer.clear()
            response.flags |= dns.flags.TC
            return response.to_wire()
        return whole


@asynccontextmanager
async def nameserver(host: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[Nameserver]:
    """One over UDP and TCP, on a free port unless told which, until the block ends."""
    zone = Nameserver()

    async def over_tcp(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await reader.readexactly(2), "big")
        answer = zone.answer(await reader.readexactly(length), may_cut=False)
        if answer is not None:
            writer.write(len(answer).to_bytes(2, "big") + answer)
        writer.close()

    server = await asyncio.start_server(over_tcp, host, port)
    zone.address = server.sockets[0].getsockname()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _OverUdp(zone), local_addr=zone.address)
    try:
        yield zone
    finally:
        transport.close()
        server.close()


class _OverUdp(asyncio.DatagramProtocol):
    def __init__(self, zone: Nameserver) -> None:
        self._zone = zone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        answer = self._zone.answer(data, may_cut=True)
        if answer is not None:
            self._transport.sendto(answer, address)
