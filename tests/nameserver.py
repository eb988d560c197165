"""A name server on loopback that returns the answers that a test has set, in their order."""

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

# A longer answer is truncated over UDP, and the client asks again over TCP.
MAX_DATAGRAM = 1232


class Nameserver:
    """Names and their answers. Each question gets the next answer of its name; the last one repeats."""

    def __init__(self) -> None:
        self.address = ("127.0.0.1", 0)
        self.questions: list[str] = []
        self._zone: dict[str, Sequence[Sequence[str]]] = {}
        self._silent: set[str] = set()
        self._asked: Counter[tuple[str, int]] = Counter()

    def set(self, name: str, *answers: Sequence[str], silent: bool = False) -> None:
        """Set the answers for a name. Each is a list of addresses, which `cname:other.example` may precede."""
        self._zone[name] = answers
        if silent:
            self._silent.add(name)

    def answer(self, message: bytes, *, may_truncate: bool) -> bytes | None:
        query = dns.message.from_wire(message)
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
        index = self._asked[name, question.rdtype]
        self._asked[name, question.rdtype] += 1
        records = self._zone[name][min(index, len(self._zone[name]) - 1)]
        owner = f"{name}."
        for record in records:
            if record.startswith("cname:"):
                target = record.removeprefix("cname:") + "."
                response.answer.append(dns.rrset.from_text(owner, 0, "IN", "CNAME", target))
                owner = target
        record_type = "AAAA" if question.rdtype == dns.rdatatype.AAAA else "A"
        addresses = [
            each for each in records if not each.startswith("cname:") and (":" in each) == (record_type == "AAAA")
        ]
        if addresses:
            response.answer.append(dns.rrset.from_text_list(owner, 0, "IN", record_type, addresses))
        complete = response.to_wire()
        if may_truncate and len(complete) > MAX_DATAGRAM:
            response.answer.clear()
            response.flags |= dns.flags.TC
            return response.to_wire()
        return complete


@asynccontextmanager
async def nameserver(host: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[Nameserver]:
    """Run a name server over UDP and TCP, on a free port unless one is given."""
    zone = Nameserver()

    async def over_tcp(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await reader.readexactly(2), "big")
        answer = zone.answer(await reader.readexactly(length), may_truncate=False)
        if answer is not None:
            writer.write(len(answer).to_bytes(2, "big") + answer)
        writer.close()

    server = await asyncio.start_server(over_tcp, host, port)
    zone.address = server.sockets[0].getsockname()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _UdpProtocol(zone), local_addr=zone.address)
    try:
        yield zone
    finally:
        transport.close()
        server.close()


class _UdpProtocol(asyncio.DatagramProtocol):
    def __init__(self, zone: Nameserver) -> None:
        self._zone = zone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        answer = self._zone.answer(data, may_truncate=True)
        if answer is not None:
            self._transport.sendto(answer, address)
