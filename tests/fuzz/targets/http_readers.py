"""HTTP/1 messages as h11 and httptools (llhttp, the parser of Node.js) read them."""

from __future__ import annotations

from dataclasses import dataclass, field

import h11
import httptools

MAX_HEAD_BYTES = 2**20


@dataclass
class HttpMessage:
    """A message: `start` is its method and target, or its status; `is_complete`: its end has arrived."""

    start: tuple[str, ...]
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    is_complete: bool = False

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    @property
    def facts(self) -> tuple[tuple[str, ...], list[str], bytes, bool]:
        """What all parsers must agree on."""
        return self.start, self.values("host"), self.body, self.is_complete


@dataclass
class Reading:
    """The messages in a stream, and the error that stopped the parser, or None."""

    messages: list[HttpMessage] = field(default_factory=list)
    error: str | None = None


def h11_requests(data: bytes) -> Reading:
    """Read the requests of a client."""
    reading = Reading()
    while data and reading.error is None:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        connection.receive_data(data)
        data = _h11_message(connection, reading)
    return reading


def h11_responses(data: bytes, methods: list[str], upgrades: bool) -> Reading:
    """Read the responses to requests with these methods. The stream has ended after the last byte."""
    upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket")] if upgrades else []
    reading = Reading()
    for method in methods:
        if not data or reading.error is not None:
            break
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        connection.send(h11.Request(method=method, target="/", headers=[("Host", "a.example"), *upgrade]))
        connection.send(h11.EndOfMessage())
        connection.receive_data(data)
        connection.receive_data(b"")
        data = _h11_message(connection, reading)
    return reading


def _h11_message(connection: h11.Connection, reading: Reading) -> bytes:
    """Read one message, with the interim responses before it, and return the bytes after it."""
    while True:
        try:
            event = connection.next_event()
        except h11.RemoteProtocolError as error:
            reading.error = str(error)
            return b""
        if isinstance(event, h11.Request):
            reading.messages.append(_h11_head((event.method.decode(), event.target.decode("latin-1")), event.headers))
        elif isinstance(event, h11.Response | h11.InformationalResponse):
            reading.messages.append(_h11_head((str(event.status_code),), event.headers))
            reading.messages[-1].is_complete = isinstance(event, h11.InformationalResponse)
            if event.status_code == 101:
                return b""
        elif isinstance(event, h11.Data):
            reading.messages[-1].body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            reading.messages[-1].is_complete = True
            return connection.trailing_data[0]
        else:  # more data is needed, or the connection has ended
            return b""


def _h11_head(start: tuple[str, ...], headers: h11._headers.Headers) -> HttpMessage:
    return HttpMessage(start, [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers])


class _Events:
    """Collects what httptools reports."""

    def __init__(self) -> None:
        self.reading = Reading()
        self.url = b""
        self.headers: list[tuple[str, str]] = []
        self.start: tuple[str, ...] = ()

    def on_message_begin(self) -> None:
        self.url, self.headers = b"", []

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")))

    def on_headers_complete(self) -> None:
        self.reading.messages.append(HttpMessage(self.start_line(), list(self.headers)))

    def on_body(self, body: bytes) -> None:
        self.reading.messages[-1].body += body

    def on_message_complete(self) -> None:
        self.reading.messages[-1].is_complete = True

    def start_line(self) -> tuple[str, ...]:
        raise NotImplementedError


class _RequestEvents(_Events):
    def __init__(self) -> None:
        super().__init__()
        self.parser = httptools.HttpRequestParser(self)

    def start_line(self) -> tuple[str, ...]:
        return self.parser.get_method().decode(), self.url.decode("latin-1")


class _ResponseEvents(_Events):
    def __init__(self) -> None:
        super().__init__()
        self.parser = httptools.HttpResponseParser(self)

    def start_line(self) -> tuple[str, ...]:
        return (str(self.parser.get_status_code()),)


def httptools_requests(data: bytes) -> Reading:
    """Read the requests of a client."""
    return _httptools_reading(_RequestEvents(), data)


def httptools_responses(data: bytes) -> Reading:
    """Read the responses to GET requests. The stream has ended after the last byte."""
    reading = _httptools_reading(_ResponseEvents(), data)
    if reading.messages and reading.error is None:
        last = reading.messages[-1]
        last.is_complete |= not last.values("content-length") and not last.values("transfer-encoding")
    return reading


def _httptools_reading(events: _RequestEvents | _ResponseEvents, data: bytes) -> Reading:
    try:
        events.parser.feed_data(data)
    except httptools.HttpParserUpgrade:
        pass  # what follows is another protocol
    except httptools.HttpParserError as error:
        events.reading.error = str(error)
    return events.reading
