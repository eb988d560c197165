"""A server whose connections are answered by a function of the test, byte by byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

# Gets the connection, and the request as it was read.
Serve = Callable[[socket.socket, bytes], None]


@contextmanager
def raw_server(serve: Serve) -> Generator[str]:
    """Answer each connection by hand; yield the address."""
    server = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                serve(connection, connection.recv(65536))

    threading.Thread(target=run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    finally:
        server.close()
