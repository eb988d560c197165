"""Finds out which process has opened a connection to the proxy, so that it serves the browser and rove alone.

Chromium can be given no password for a proxy when a context is created. The kernel knows who a client is: a query for
the two addresses of a connection returns the user and the inode of the client's socket (`sock_diag(7)`), and `/proc`
shows whether a process holds that socket. Nothing of a client is read before.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable, Iterable, Iterator

from rove.records import dataclass

# For a browser that rove has not started: its processes are not known, but its user is.
ANY_PROCESS = 0
# Of all processes of Chromium, and of WebKit, these alone open connections.
_NETWORK_SERVICES = (b"--utility-sub-type=network.mojom.NetworkService", b"/WebKitNetworkProcess\0")
# Clients that wait until the process knows the browser; the engine says so before it loads a page.
_MAX_WAITING = 256
# Listing the processes of the machine takes milliseconds, so it is done at most this often.
_LIST_SECONDS = 0.05

_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_NETLINK_SOCK_DIAG = 4
_ANY_STATE = 0xFFFFFFFF
_NO_COOKIE = (0xFFFFFFFF, 0xFFFFFFFF)
_NETLINK_HEADER = struct.Struct("=IHHII")
_QUERY = struct.Struct("=BBBBI")
_ADDRESSES = struct.Struct("!HH16s16s")
_INTERFACE_AND_COOKIE = struct.Struct("=III")
# The user and the inode come after the family, the state, the addresses, the timer and the sizes of the queues.
_USER_AND_INODE = struct.Struct("=II")
_USER_OFFSET = _NETLINK_HEADER.size + 4 + 48 + 12

Address = tuple[str, int]
Decide = Callable[[bool], None]


@dataclass(frozen=True)
class _Question:
    trusted: TrustedProcesses
    client: Address
    proxy: Address
    decide: Decide


class SocketOwners:
    """Answers for all sessions whether clients are trusted; clients that connect at the same time share the work."""

    def __init__(self, engine: int) -> None:
        """`engine`: the process of rove, which sends requests of its own."""
        self.engine = engine
        self._user = os.getuid()
        self._netlink: socket.socket | None = _netlink_socket()
        self._questions: list[_Question] = []

    def for_session(self) -> TrustedProcesses:
        return TrustedProcesses(self)

    def ask(self, question: _Question) -> None:
        """Decide about a client in the next pass of the event loop."""
        self._questions.append(question)
        if len(self._questions) == 1:
            asyncio.get_running_loop().call_soon(self._answer)

    def _answer(self) -> None:
        questions, self._questions = self._questions, []
        held = HeldSockets()
        for question in questions:
            self._answer_one(question, held)

    def _answer_one(self, question: _Question, held: HeldSockets) -> None:
        try:
            found = self._client_socket(question)
        except OSError:
            question.decide(True)  # this kernel does not tell; the limits of the client table remain
            return
        if found is None or found[0] != self._user:
            question.decide(False)
        elif question.trusted.group == ANY_PROCESS or held.includes(question.trusted.processes, found[1]):
            question.decide(True)
        elif question.trusted.group is None:
            question.trusted.wait_for_browser(question)
        else:
            question.trusted.list_again(found[1], question.decide)

    def _client_socket(self, question: _Question) -> tuple[int, int] | None:
        """Return the user and the inode of the client's end of a connection; None if it is closed."""
        if self._netlink is None:
            raise OSError("no netlink")
        (client, client_port), (proxy, proxy_port) = question.client, question.proxy
        addresses = _ADDRESSES.pack(client_port, proxy_port, socket.inet_aton(client), socket.inet_aton(proxy))
        query = _QUERY.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ANY_STATE)
        query += addresses + _INTERFACE_AND_COOKIE.pack(0, *_NO_COOKIE)
        size = _NETLINK_HEADER.size + len(query)
        self._netlink.send(_NETLINK_HEADER.pack(size, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0) + query)
        return _user_and_inode(self._netlink.recv(4096))


class TrustedProcesses:
    """The processes that may use the proxy of one session: rove, and what opens the connections of its browser."""

    def __init__(self, owners: SocketOwners) -> None:
        self._owners = owners
        # The process group of the browser; None until one is started.
        self._group: int | None = None
        self._browser: list[int] = []
        self._listed_at = 0.0
        self._waiting: list[tuple[int, Decide]] = []
        self._early: list[_Question] = []

    @property
    def group(self) -> int | None:
        return self._group

    @group.setter
    def group(self, group: int | None) -> None:
        self._group, self._browser, self._listed_at = group, [], 0.0
        early, self._early = self._early, []
        for question in early:
            self._owners.ask(question)

    @property
    def processes(self) -> list[int]:
        return [*self._browser, self._owners.engine]

    def check(self, client: Address, proxy: Address, decide: Decide) -> None:
        """Call back with whether the client is trusted."""
        self._owners.ask(_Question(self, client, proxy, decide))

    def wait_for_browser(self, question: _Question) -> None:
        """Decide about a client when the browser is known."""
        self._early.append(question)
        if len(self._early) > _MAX_WAITING:
            self._early.pop(0).decide(False)

    def list_again(self, inode: int, decide: Decide) -> None:
        """List the processes of the browser, which may have started one, and decide about a socket then."""
        self._waiting.append((inode, decide))
        if len(self._waiting) == 1:
            loop = asyncio.get_running_loop()
            loop.call_at(max(self._listed_at + _LIST_SECONDS, loop.time()), self._decide_waiting)

    def _decide_waiting(self) -> None:
        self._browser = _network_processes(self._group) if self._group else []
        self._listed_at = asyncio.get_running_loop().time()
        waiting, self._waiting = self._waiting, []
        held = HeldSockets()
        for inode, decide in waiting:
            decide(held.may_include(self.processes, inode))


class HeldSockets:
    """The sockets that processes hold, each process read once."""

    def __init__(self) -> None:
        self._inodes: dict[int, frozenset[str] | None] = {}

    def includes(self, processes: Iterable[int], inode: int) -> bool:
        return any(f"socket:[{inode}]" in (self._of(process) or ()) for process in processes)

    def may_include(self, processes: Iterable[int], inode: int) -> bool:
        """Whether a process holds the socket, or does not let us see which ones it holds."""
        return any(self._of(process) is None for process in processes) or self.includes(processes, inode)

    def _of(self, process: int) -> frozenset[str] | None:
        if process not in self._inodes:
            self._inodes[process] = _open_files(process)
        return self._inodes[process]


def can_identify() -> bool:
    """Whether this system tells which process a client is, by the process ids that we know."""
    if not hasattr(socket, "AF_NETLINK") or not os.path.exists("/proc/self/fd"):
        return False
    return os.readlink("/proc/self") == str(os.getpid())  # not so if /proc is that of another PID namespace


def _netlink_socket() -> socket.socket | None:
    try:
        return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, _NETLINK_SOCK_DIAG)
    except OSError:
        return None


def _user_and_inode(answer: bytes) -> tuple[int, int] | None:
    kind = _NETLINK_HEADER.unpack_from(answer)[1]
    if kind != _SOCK_DIAG_BY_FAMILY:
        return None
    user, inode = _USER_AND_INODE.unpack_from(answer, _USER_OFFSET)
    return (user, inode) if inode else None


def _open_files(process: int) -> frozenset[str] | None:
    """Return what the descriptors of a process refer to; None if we may not see it."""
    folder = f"/proc/{process}/fd"
    try:
        return frozenset(_links(folder, os.listdir(folder)))
    except PermissionError:
        return None
    except OSError:
        return frozenset()  # the process has ended


def _links(folder: str, names: list[str]) -> Iterator[str]:
    for name in names:
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            yield os.readlink(f"{folder}/{name}")


def _network_processes(group: int) -> list[int]:
    """Return the processes of a browser that open connections: its network service, or the browser if it has none."""
    members = [int(name) for name in os.listdir("/proc") if name.isdigit() and _group_of(name) == group]
    services = [member for member in members if _opens_connections(_read(f"/proc/{member}/cmdline"))]
    return services or [member for member in members if member == group]


def _opens_connections(command_line: bytes) -> bool:
    return any(mark in command_line for mark in _NETWORK_SERVICES)


def _group_of(process: str) -> int:
    # The name of a process stands in brackets and may hold any character, so fields are counted from its end.
    fields = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
    return int(fields[2]) if fields else 0


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # the process has ended
