"""A TCP port that is bound, and at which no server listens yet."""

from __future__ import annotations

from _socket import socket  # the `socket` module, which wraps it, takes 8 ms to import


def reserved_port() -> socket:
    """Bind a free port. Connections are refused until its owner listens, and no other process can bind it."""
    taken = socket()
    taken.bind(("127.0.0.1", 0))
    return taken
