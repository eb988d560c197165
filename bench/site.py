"""The loopback web server for the pages, with two host names and therefore two origins."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from bench import pages


class Site:
    """The addresses of the pages: `origin` by IP address, and `other_origin` by name, which is another site."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.other_origin = f"http://localhost:{port}"

    def url(self, path: str) -> str:
        return self.origin + path


def rendered(other_origin: str) -> dict[str, bytes]:
    """Return every page, rendered once so that serving takes no time while a task is timed."""
    html = {
        "/small": pages.small(),
        "/stories": pages.stories(),
        "/table": pages.table(),
        "/huge-table": pages.table(pages.HUGE_TABLE_ROWS),
        "/article": pages.article(),
        "/form": pages.form(other_origin),
        "/address": pages.address(),
        "/payment": pages.payment(),
        "/security": pages.security(),
    }
    return {path: text.encode() for path, text in html.items()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes; without this the second waits for a delayed acknowledgement.
    disable_nagle_algorithm = True
    bodies: ClassVar[Mapping[str, bytes]] = {}

    def do_GET(self) -> None:
        body = self.bodies.get(self.path.partition("?")[0])
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        # A page from the cache would make the second server's navigation cheaper than the first's.
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body or b"")

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser moved on, or was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, to keep the output of the benchmark readable."""


@contextmanager
def serving() -> Generator[Site]:
    """Serve the pages from a thread until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    site = Site(server.server_address[1])
    _Handler.bodies = rendered(site.other_origin)
    thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
