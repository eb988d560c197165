"""The server of the measured pages, in a thread of the benchmark, so that its processor time is not a session's."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    resources: ClassVar[Mapping[str, tuple[str, bytes]]] = {}

    def do_GET(self) -> None:
        kind, body = self.resources.get(self.path.partition("?")[0], ("text/plain", b""))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser moved on, or was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, to keep the output of the benchmark readable."""


@contextmanager
def serving(resources: Mapping[str, tuple[str, bytes]]) -> Generator[str]:
    """Serve these until the block ends; yield the origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    _Handler.resources = resources
    thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
