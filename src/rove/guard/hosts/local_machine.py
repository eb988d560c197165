"""This machine: the addresses that lead back to it, and the ports on it that are rove's own."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from rove.guard.hosts.addresses import faces, verdict
from rove.guard.hosts.refusal import IP, RefusalReason
from rove.port import reserved_port

# A laptop changes its network now and then; reading the list anew for every connection would cost more than dialling.
_FRESH = 5.0
_HERE = frozenset({RefusalReason.LOOPBACK, RefusalReason.THIS_NETWORK})


class _Known:
    """The last reading of the interfaces."""

    addresses: frozenset[IP] = frozenset()
    until: float = 0.0


def loopback_port() -> socket.socket:
    """A port of this machine that is taken, and at which nobody answers yet."""
    return socket.socket(fileno=reserved_port().detach())


def own_addresses() -> frozenset[IP]:
    """Every address of every interface."""
    if time.monotonic() >= _Known.until:
        _Known.addresses = frozenset(_interfaces())
        _Known.until = time.monotonic() + _FRESH
    return _Known.addresses


def is_here(address: IP) -> bool:
    """Whether a connection to it ends on this machine."""
    own = own_addresses()
    return any(verdict(face) in _HERE or face in own for face in faces(address))


class OwnPorts:
    """Where rove itself listens, or is listened to: its proxies, its gateway, a browser far away."""

    def __init__(self) -> None:
        self._places: set[tuple[IP, int]] = set()

    def add(self, address: str | IP, port: int) -> None:
        self._places.add((ip_address(address), port))

    def remove(self, address: str | IP, port: int) -> None:
        self._places.discard((ip_address(address), port))

    def holds(self, address: IP, port: int) -> bool:
        """Whether that is one of ours. On this machine every address counts: 0.0.0.0 leads to 127.0.0.1, for one."""
        ours = [known for known, number in self._places if number == port]
        if not ours:
            return False
        return any(face in ours for face in faces(address)) or (is_here(address) and any(map(is_here, ours)))


def _interfaces() -> Iterator[IP]:
    """What the C library's getifaddrs says, which Python does not offer."""
    import ctypes

    class Interface(ctypes.Structure):
        pass

    Interface._fields_ = [
        ("next", ctypes.POINTER(Interface)),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint),
        ("address", ctypes.c_void_p),
    ]
    library = ctypes.CDLL(None, use_errno=True)
    first = ctypes.POINTER(Interface)()
    if library.getifaddrs(ctypes.byref(first)) != 0:
        raise OSError(ctypes.get_errno(), "the addresses of this machine cannot be listed")
    try:
        each = first
        while each:
            if each.contents.address:
                yield from _address(ctypes.string_at(each.contents.address, 2), each.contents.address)
            each = each.contents.next
    finally:
        library.freeifaddrs(first)


def _address(head: bytes, pointer: int) -> Iterator[IP]:
    import ctypes

    # BSD's structures begin with their length, one byte, and so have one byte left for the family.
    family = int.from_bytes(head, sys.byteorder) if sys.platform == "linux" else head[1]
    if family == socket.AF_INET:
        yield IPv4Address(ctypes.string_at(pointer + 4, 4))
    elif family == socket.AF_INET6:
        yield IPv6Address(ctypes.string_at(pointer + 8, 16))
