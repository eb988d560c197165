"""The addresses of this machine, and the ports that rove itself uses."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from rove.browser.shared.process import reserved_port
from rove.guard.hosts.addresses import equivalent_addresses, refusal_reason
from rove.guard.hosts.refusal import IP, RefusalReason

# A laptop changes networks, so the list must be read again; doing that for every connection would cost more than
# connecting.
_CACHE_SECONDS = 5.0
_LOCAL_REASONS = frozenset({RefusalReason.LOOPBACK, RefusalReason.THIS_NETWORK})


class _InterfaceCache:
    """The addresses of the network interfaces when they were last listed."""

    addresses: frozenset[IP] = frozenset()
    until: float = 0.0


def loopback_port() -> socket.socket:
    """Return a socket that is bound to a free loopback port and does not accept connections yet."""
    return socket.socket(fileno=reserved_port().detach())


def own_addresses() -> frozenset[IP]:
    """Return every address of every network interface."""
    if time.monotonic() >= _InterfaceCache.until:
        _InterfaceCache.addresses = frozenset(_interface_addresses())
        _InterfaceCache.until = time.monotonic() + _CACHE_SECONDS
    return _InterfaceCache.addresses


def is_this_machine(address: IP) -> bool:
    """Return whether a connection to the address ends on this machine."""
    own = own_addresses()
    return any(refusal_reason(each) in _LOCAL_REASONS or each in own for each in equivalent_addresses(address))


class OwnPorts:
    """Addresses and ports that rove listens on or controls: its proxies, its gateway, the browser's debugging port."""

    def __init__(self) -> None:
        self._ports: set[tuple[IP, int]] = set()

    def add(self, address: str | IP, port: int) -> None:
        self._ports.add((ip_address(address), port))

    def remove(self, address: str | IP, port: int) -> None:
        self._ports.discard((ip_address(address), port))

    def includes(self, address: IP, port: int) -> bool:
        """Return whether an address and port reach one of them, also through another address of this machine.

        For example, a connection to 0.0.0.0 arrives at 127.0.0.1.
        """
        own = [known for known, number in self._ports if number == port]
        if not own:
            return False
        if any(each in own for each in equivalent_addresses(address)):
            return True
        return is_this_machine(address) and any(map(is_this_machine, own))


def _interface_addresses() -> Iterator[IP]:
    """Yield the addresses that the C library's getifaddrs returns; Python has no binding for it."""
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
        raise OSError(ctypes.get_errno(), "cannot list the addresses of this machine")
    try:
        each = first
        while each:
            if each.contents.address:
                yield from _address(ctypes.string_at(each.contents.address, 2), each.contents.address)
            each = each.contents.next
    finally:
        library.freeifaddrs(first)


def _address(head: bytes, pointer: int) -> Iterator[IP]:
    """Yield the IP address in a sockaddr structure, if it includes one."""
    import ctypes

    # On BSD and macOS the first byte of a sockaddr is its length, and the second is the address family.
    family = int.from_bytes(head, sys.byteorder) if sys.platform == "linux" else head[1]
    if family == socket.AF_INET:
        yield IPv4Address(ctypes.string_at(pointer + 4, 4))
    elif family == socket.AF_INET6:
        yield IPv6Address(ctypes.string_at(pointer + 8, 16))
