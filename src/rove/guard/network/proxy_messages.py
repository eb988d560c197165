"""What the engine and the proxy process send each other: rules, settings and log entries on a private connection."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.dialer import Upstream
from rove.guard.network.host_rules import HostPattern, HostRules
from rove.guard.network.refusal import IP, Failure, Refusal, RefusalReason
from rove.guard.network.refusal_log import FailedRequest, RefusedRequest
from rove.guard.network.urls import Endpoint

log = logging.getLogger(__name__)
Json = Any
Message = dict[str, Any]
_READ_BYTES = 256 * 1024
# The kernel passes the descriptors of one message at a time.
_MAX_DESCRIPTORS = 16
# Longer than every message; a line that is longer comes from a process that does not work.
_MAX_LINE_BYTES = 4 * 2**20
# What may wait for the other side before further reports are dropped.
_MAX_WAITING_BYTES = 2**20


class SharedOwnPorts(OwnPorts):
    """Own ports whose changes are reported."""

    def __init__(self) -> None:
        super().__init__()
        # Called with the address, the port, and whether it is rove's own now.
        self.on_change: Callable[[str, int, bool], object] = lambda address, port, is_own: None

    def add(self, address: str | IP, port: int) -> None:
        super().add(address, port)
        self.on_change(str(address), port, True)

    def remove(self, address: str | IP, port: int) -> None:
        super().remove(address, port)
        self.on_change(str(address), port, False)

    def as_json(self) -> list[tuple[str, int]]:
        return [(str(address), port) for address, port in self._ports]


def rules_to_json(rules: HostRules) -> Json:
    only = None if rules.only is None else _patterns_to_json(rules.only)
    return {"allow": _patterns_to_json(rules.allow), "only": only, "deny": _patterns_to_json(rules.deny)}


def rules_from_json(written: Json) -> HostRules:
    only = None if written["only"] is None else _patterns_from_json(written["only"])
    return HostRules(_patterns_from_json(written["allow"]), only, _patterns_from_json(written["deny"]))


def upstream_to_json(upstream: Upstream | None) -> Json:
    if upstream is None:
        return None
    return [upstream.kind, upstream.endpoint.host, upstream.endpoint.port, upstream.username, upstream.password]


def upstream_from_json(written: Json) -> Upstream | None:
    if written is None:
        return None
    kind, host, port, username, password = written
    return Upstream(kind, Endpoint(host, port), username, password)


def entry_to_json(entry: RefusedRequest | FailedRequest) -> Json:
    if isinstance(entry, FailedRequest):
        endpoint = entry.endpoint
        return {"method": entry.method, "at": entry.at, "failed": [endpoint.host, endpoint.port, entry.kind]}
    refusal = entry.refusal
    address = None if refusal.address is None else str(refusal.address)
    return {"method": entry.method, "at": entry.at, "refused": [refusal.host, refusal.port, refusal.reason, address]}


def entry_from_json(written: Json) -> RefusedRequest | FailedRequest:
    if "failed" in written:
        host, port, kind = written["failed"]
        return FailedRequest(written["method"], Endpoint(host, port), Failure(kind), written["at"])
    host, port, reason, address = written["refused"]
    refusal = Refusal(host, port, RefusalReason(reason), None if address is None else ip_address(address))
    return RefusedRequest(written["method"], refusal, written["at"])


def _patterns_to_json(patterns: tuple[HostPattern, ...]) -> Json:
    return [[isinstance(each.host, str), str(each.host), each.port, each.is_wildcard] for each in patterns]


def _patterns_from_json(written: Json) -> tuple[HostPattern, ...]:
    return tuple(
        HostPattern(host if is_name else ip_network(host), port, is_wildcard)
        for is_name, host, port, is_wildcard in written
    )


class ControlSocket:
    """Sends and receives messages without blocking. Ends when the other process does."""

    def __init__(
        self, connection: socket.socket, on_message: Callable[[Message], None], on_end: Callable[[], None]
    ) -> None:
        self._socket = connection
        self._socket.setblocking(False)
        self._on_message = on_message
        self._on_end = on_end
        self._received = bytearray()
        self._descriptors: deque[int] = deque()
        self._waiting: deque[tuple[bytes, Sequence[int]]] = deque()
        self._waiting_bytes = 0
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self.receive)

    @property
    def is_full(self) -> bool:
        """Whether so much waits for the other side that reports are not worth sending."""
        return self._waiting_bytes > _MAX_WAITING_BYTES

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Send a message, and copies of these descriptors, which must stay open until they are sent."""
        if self._is_closed:
            return
        data = json.dumps(message).encode() + b"\n"
        self._waiting.append((data, descriptors))
        self._waiting_bytes += len(data)
        if len(self._waiting) == 1:
            self._send_waiting()

    def receive(self) -> None:
        """Read the messages that have arrived, and hand them on."""
        while not self._is_closed:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._socket, _READ_BYTES, _MAX_DESCRIPTORS)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                data, descriptors = b"", []
            self._descriptors.extend(descriptors)
            self._received += data
            if not data or len(self._received) > _MAX_LINE_BYTES:
                self._end()
                return
            self._hand_on()

    def take_descriptor(self) -> int:
        """Return the descriptor that came with a message, which the caller closes."""
        return self._descriptors.popleft()

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()
            for descriptor in self._descriptors:
                os.close(descriptor)

    def _hand_on(self) -> None:
        *lines, rest = bytes(self._received).split(b"\n")
        self._received = bytearray(rest)
        try:
            for line in lines:
                self._on_message(json.loads(line))
        except (ValueError, LookupError, TypeError):
            log.exception("The other process sent a message that makes no sense.")
            self._end()

    def _send_waiting(self) -> None:
        try:
            while self._waiting:
                data, descriptors = self._waiting[0]
                sent = socket.send_fds(self._socket, [data], list(descriptors)) if descriptors else self._send(data)
                self._waiting_bytes -= sent
                if sent < len(data):
                    self._waiting[0] = data[sent:], ()
                else:
                    self._waiting.popleft()
        except (BlockingIOError, InterruptedError):
            self._loop.add_writer(self._socket, self._send_waiting)
            return
        except OSError:
            self._loop.call_soon(self._end)  # the other process has ended
        self._loop.remove_writer(self._socket)

    def _send(self, data: bytes) -> int:
        return self._socket.send(data)

    def _end(self) -> None:
        if not self._is_closed:
            self.close()
            self._on_end()
