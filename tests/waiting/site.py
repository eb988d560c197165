"""The server of the pages: answers late, in pieces, or as events, where a request asks for that."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HANDLERS = "document.getElementById('other').onclick = () => add('It is on the list')"
BODIES = {
    "/text": (b"The answer of the server", "text/plain"),
    "/poll": (b"News of the server", "text/plain"),
    "/nothing": (b"", "text/plain"),
    "/picture": (b"", "image/png"),
    "/font": (b"", "font/woff2"),
    "/sink": (b"", "text/plain"),
    "/framed": (b"<!doctype html><p>Words of the frame</p>", "text/html"),
    "/handlers.js": (HANDLERS.encode(), "text/javascript"),
}
PIECES = ("A ", "reply ", "that ", "comes ", "in ", "eight ", "small ", "pieces")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        delay = int(asked.get("delay", "0")) / 1000
        if address.path == "/stream":
            self._send_pieces([each.encode() for each in PIECES], "text/plain", delay)
        elif address.path == "/events":
            self._send_pieces([f"data: Event {each}\n\n".encode() for each in (1, 2, 3)], "text/event-stream", delay)
        elif not self.server.is_over.wait(delay):
            body, kind = self.server.pages.get(address.path) or BODIES.get(address.path, (b"", "text/plain"))
            self._send_head(kind, [("Content-Length", str(len(body)))])
            self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    def _send_pieces(self, pieces: list[bytes], kind: str, delay: float) -> None:
        self._send_head(kind, [("Transfer-Encoding", "chunked")])
        for piece in pieces:
            if self.server.is_over.wait(delay):
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _send_head(self, kind: str, headers: list[tuple[str, str]]) -> None:
        self.send_response(200)
        self.send_header(
            "Content-Type", kind if kind.startswith(("image", "font", "audio")) else f"{kind}; charset=utf-8"
        )
        self.send_header("Access-Control-Allow-Origin", "*")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser moved on, or was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, to keep the output of tests and benchmarks readable."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Pages by path, and their kinds.
    pages: Mapping[str, tuple[bytes, str]]
    is_over: threading.Event


@contextmanager
def serving(pages: Mapping[str, tuple[str | bytes, str]]) -> Generator[str]:
    """Serve pages, given with their kinds by path, until the block ends; the value is the site's address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.pages = {
        path: (body.encode() if isinstance(body, str) else body, kind) for path, (body, kind) in pages.items()
    }
    server.is_over = threading.Event()
    thread = threading.Thread(target=server.serve_forever, name="waiting", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
