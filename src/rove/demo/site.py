"""A small web site with a tea shop, served on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

PAGES = {"/": "index.html", "/teas": "teas.html"}


class _Handler(BaseHTTPRequestHandler):
    """Serves the two pages, and gives each order a number."""

    orders = 1

    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        if page is None:
            self._answer(404, "text/plain", b"Not found")
        else:
            self._answer(200, "text/html; charset=utf-8", (files("rove.demo") / "pages" / page).read_bytes())

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _Handler.orders += 1
        self._answer(200, "application/json", json.dumps({**order, "number": _Handler.orders}).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, as the tour prints what happens."""


@contextmanager
def tea_room() -> Generator[str]:
    """Serve the tea shop while the context is open; yield its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
