"""The server of the pages: it answers late where a request asks for that."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from bench.site import Site

_KINDS = {".js": "text/javascript", ".css": "text/css"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bodies: ClassVar[Mapping[str, bytes]] = {}

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        (delay,) = parse_qs(address.query).get("delay", ["0"])
        time.sleep(int(delay) / 1000)
        body = self.bodies.get(address.path, b"")
        self.send_response(200)
        self.send_header("Content-Type", f"{self._kind(address.path)}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @staticmethod
    def _kind(path: str) -> str:
        return next((kind for ending, kind in _KINDS.items() if path.endswith(ending)), "text/html")

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser moved on, or was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, to keep the output of the benchmark readable."""


@contextmanager
def serving(pages: Mapping[str, str]) -> Generator[Site]:
    """Serve the pages from a thread until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    _Handler.bodies = {path: text.encode() for path, text in pages.items()}
    thread = threading.Thread(target=server.serve_forever, name="told", daemon=True)
    thread.start()
    try:
        yield Site(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
