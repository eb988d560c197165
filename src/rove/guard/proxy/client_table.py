"""The clients of one session's proxy, and how much of its memory they may hold.

Any program on this machine can connect to the proxy. What it sends before its request is complete is stored, so all of
that is limited: the number of clients, their bytes, and the time for one request to arrive.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

# A browser opens about 256 connections to a proxy.
MAX_CLIENTS = 1024
# What all clients together have sent and the proxy has not handled yet.
MAX_UNREAD_BYTES = 4 * 2**20


class Client(Protocol):
    """A connection to the proxy."""

    @property
    def is_idle(self) -> bool:
        """Whether the client has no request under way."""
        ...

    @property
    def has_sent_request(self) -> bool: ...
    def drop(self) -> None:
        """Reset the connection, without waiting for its tasks."""


C = TypeVar("C", bound=Client)


class ClientTable(Generic[C]):
    """The connected clients, oldest first, each with the number of its unread bytes."""

    def __init__(self) -> None:
        self._unread: dict[C, int] = {}
        self._total = 0

    def __len__(self) -> int:
        return len(self._unread)

    def add(self, client: C) -> bool:
        """Add a client, in place of the oldest idle one if there are too many. False if none is idle."""
        if len(self._unread) >= MAX_CLIENTS and not self._drop_idle():
            return False
        self._unread[client] = 0
        return True

    def remove(self, client: C) -> None:
        self._total -= self._unread.pop(client, 0)

    def set_unread(self, client: C, count: int) -> None:
        """Note how many bytes of a client are unread, and drop the oldest holders if all of them are too many."""
        if client not in self._unread:
            return
        self._total += count - self._unread[client]
        self._unread[client] = count
        while self._total > MAX_UNREAD_BYTES:
            self._drop(next(each for each, unread in self._unread.items() if unread))

    def all(self) -> tuple[C, ...]:
        return tuple(self._unread)

    def _drop_idle(self) -> bool:
        idle = [client for client in self._unread if client.is_idle]
        # A client that has never sent a request is less likely to be the browser.
        chosen = next((client for client in idle if not client.has_sent_request), idle[0] if idle else None)
        if chosen is not None:
            self._drop(chosen)
        return chosen is not None

    def _drop(self, client: C) -> None:
        self.remove(client)
        client.drop()
