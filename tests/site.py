"""A web site for tests: serves given pages, and records all requests."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# A held page is sent after this many seconds, so that a failing test does not block the others.
LONGEST_HOLD = 60.0

# The hosts of test pages, for `allow_host`: by default pages cannot reach this machine.
OWN_SITES = ("127.0.0.1", "localhost", "*.localhost")


@dataclass(frozen=True)
class Request:
    """One request as the server received it."""

    method: str
    path: str
    host: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Page:
    """The response for a path, and the event that it waits for, if any."""

    body: bytes
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None
    # The Authorization header without which the server asks for a password.
    authorization: str | None = None


class Site:
    """Pages by path on a loopback server, reachable as 127.0.0.1 and, as another site, as localhost."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[Request] = []
        self._pages: dict[str, Page] = {}
        # Pages for requests with a header, which may need a value.
        self._for_headers: dict[str, tuple[str, str, Page]] = {}

    def file(self, path: str, data: bytes, kind: str, headers: dict[str, str] | None = None) -> str:
        """Serve a file at a path; return its address."""
        self._pages[path] = Page(data, 200, kind, headers or {}, None, None)
        return self.url(path)

    def page(
        self,
        path: str,
        body: str,
        *,
        status: int = 200,
        kind: str = "text/html; charset=utf-8",
        headers: dict[str, str] | None = None,
        hold: threading.Event | None = None,
        authorization: str | None = None,
    ) -> str:
        """Serve a page at a path; return its address."""
        whole = body if kind != "text/html; charset=utf-8" or "<!doctype" in body else f"<!doctype html>\n{body}"
        self._pages[path] = Page(whole.encode(), status, kind, headers or {}, hold, authorization)
        return self.url(path)

    def for_cookie(self, cookie: str, path: str, body: str) -> None:
        """Serve another page at a path to clients that send a cookie."""
        self._for_headers[path] = ("Cookie", cookie, Page(body.encode()))

    def for_header(self, name: str, path: str, body: str) -> None:
        """Serve another page at a path to clients that send a header."""
        self._for_headers[path] = (name, "", Page(body.encode()))

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def asked(self, path: str) -> list[Request]:
        """Return the requests for one path."""
        return [request for request in self.requests if urlsplit(request.path).path == path]

    def answer(self, request: Request) -> Page:
        self.requests.append(request)
        page = self._pages.get(urlsplit(request.path).path)
        name, value, other = self._for_headers.get(urlsplit(request.path).path, ("", "", None))
        if other is not None and name in request.headers and value in request.headers[name]:
            page = other
        if page is None:
            return Page(b"Not found", 404, "text/plain")
        if page.hold is not None:
            page.hold.wait(LONGEST_HOLD)
        if page.authorization not in (None, request.headers.get("Authorization")):
            return Page(b"Members only", 401, headers={"WWW-Authenticate": 'Basic realm="Members"'})
        return page

    def clear(self) -> None:
        for page in self._pages.values():
            if page.hold is not None:
                page.hold.set()
        self._pages.clear()
        self._for_headers.clear()
        self.requests.clear()


@contextmanager
def serving() -> Generator[Site]:
    """Serve a site on a free port until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.site = site = Site(server.server_address[1])  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.clear()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        host = self.headers.get("Host", "").partition(":")[0]
        request = Request(self.command, self.path, host, dict(self.headers), self.rfile.read(length))
        page: Page = self.server.site.answer(request)  # type: ignore[attr-defined]
        self.send_response(page.status)
        self.send_header("Content-Type", page.kind)
        body = (
            b"" if page.status in (204, 304) else page.body
        )  # these have none: it would stand before the next response
        if page.status != 204:
            self.send_header("Content-Length", str(len(page.body)))
        for name, value in page.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing; tests check `Site.requests`."""

    def handle(self) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # the browser closed the connection
            super().handle()
