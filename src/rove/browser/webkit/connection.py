"""WebDriver over HTTP: requests, failures, and commands to a window or a frame.

Not with httpx, which takes longer to import than all that starting a browser needs, and whose features (redirects,
proxies, cookies, TLS) no driver uses.

A driver has one current window and frame, to which every command goes. Commands to the same place run at the same time;
before the place changes, those on their way have to have arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from rove.browser.failures import BrowserError
from rove.records import dataclass
from rove.tasks import Interrupted, race

# More than a screenshot of the largest page that rove takes.
MAX_ANSWER_BYTES = 200 * 2**20
MAX_HEAD_LINES = 100

# The name under which WebDriver writes an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Seconds for commands that the driver, or the browser's own process, answers without asking a page.
COMMAND_SECONDS = 20.0
# Seconds in which a command that was sent has reached the browser.
ARRIVAL_SECONDS = 1.0
# A window that could not be made the current one so often is not reached any more, and nor is its dialog.
MAX_SWITCHES = 2
# Seconds between two looks at whether the dialog of the current window has been closed.
DIALOG_SECONDS = 0.1


class WebDriverError(BrowserError):
    """The driver refused a command, or no longer answers. `code` is WebDriver's, such as `no such window`."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.detail = message


class DriverLost(WebDriverError):
    """The driver, or the browser that it drives, has ended."""


class DocumentGone(WebDriverError):
    """The document, frame or window that a command was for is no longer there."""


class ElementStale(WebDriverError):
    """The element that a command was for is no longer in the document."""


class AlertOpen(WebDriverError):
    """A dialog is open, and the browser answers no other command. `text` is the dialog's message."""

    def __init__(self, code: str, message: str, text: str) -> None:
        super().__init__(code, message)
        self.text = text


class ScriptThrew(WebDriverError):
    """The script has thrown; `detail` is the message of what it threw."""


_LOST = frozenset({"invalid session id", "session not created"})
_GONE = frozenset({"no such window", "no such frame"})
_STALE = frozenset({"stale element reference", "no such element", "detached shadow root", "no such shadow root"})


def failure_of(value: dict[str, Any]) -> WebDriverError:
    """Return the failure that the driver's answer describes."""
    code, message = str(value.get("error", "unknown error")), str(value.get("message", ""))
    if code == "unexpected alert open":
        data = value.get("data")
        return AlertOpen(code, message, str(data.get("text", "")) if isinstance(data, dict) else "")
    if code == "javascript error":
        return ScriptThrew(code, message)
    kinds = ((_LOST, DriverLost), (_GONE, DocumentGone), (_STALE, ElementStale))
    kind = next((kind for codes, kind in kinds if code in codes), WebDriverError)
    return kind(code, message)


class HttpClient:
    """Sends requests to one port of the loopback; each goes over a connection that no other request uses then."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[_Connection] = []
        self._is_closed = False

    async def send(self, method: str, path: str, body: bytes, on_written: Callable[[], object] = bool) -> bytes:
        """Return the body of the answer. Raises DriverLost if the driver does not answer with HTTP.

        `on_written` is called when the request has been handed to the system.
        """
        connection = await self._connection()
        try:
            await connection.write(method, path, body)
            on_written()
            answer = await connection.read()
        except (OSError, EOFError, ValueError) as error:
            connection.close()
            raise DriverLost("connection lost", type(error).__name__) from error
        except BaseException:
            connection.close()  # the answer would be taken for that of the next request
            raise
        if self._is_closed or not connection.stays_open:
            connection.close()
        else:
            self._idle.append(connection)
        return answer

    async def _connection(self) -> _Connection:
        if self._is_closed:
            raise DriverLost("connection closed")
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable:
                return connection
            connection.close()
        try:
            return _Connection(*await asyncio.open_connection("127.0.0.1", self._port, limit=2**20))
        except OSError as error:
            raise DriverLost("connection refused", error.strerror or "") from error

    def close(self) -> None:
        """Close the connections that are not in use; those in use are closed after their answer."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()


class _Connection:
    """One connection, on which a request follows the answer to the one before it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.stays_open = True

    @property
    def is_usable(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    async def write(self, method: str, path: str, body: bytes) -> None:
        """Send a request."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json; charset=utf-8\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await self._writer.drain()

    async def read(self) -> bytes:
        """Return the body of the answer."""
        if not (await self._reader.readline()).startswith(b"HTTP/1."):
            raise EOFError
        headers = await self._headers()
        self.stays_open = headers.get(b"connection", b"").lower() != b"close"
        if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
            return await self._chunks()
        return await self._reader.readexactly(_checked(int(headers[b"content-length"])))

    async def _headers(self) -> dict[bytes, bytes]:
        headers = dict[bytes, bytes]()
        for _ in range(MAX_HEAD_LINES):
            line = (await self._reader.readline()).strip()
            if not line:
                return headers
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        raise ValueError("too many headers")

    async def _chunks(self) -> bytes:
        received = bytearray()
        while size := int(await self._reader.readline(), 16):
            received += await self._reader.readexactly(_checked(len(received) + size) - len(received))
            await self._reader.readline()
        await self._headers()
        return bytes(received)

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._writer.close()


def _checked(size: int) -> int:
    if not 0 <= size <= MAX_ANSWER_BYTES:
        raise ValueError("the answer is too large")
    return size


@dataclass(frozen=True)
class Place:
    """A window, and the elements that hold the frame in it, from the outside in; none for the page itself."""

    window: str
    frames: tuple[str, ...] = ()


class Driver:
    """Sends commands to a driver process and keeps track of where it is."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client
        self._session = ""
        self.capabilities: dict[str, Any] = {}
        self._place: Place | None = None
        self._moving = asyncio.Lock()
        self._under_way = 0
        self._failed_switches = 0
        self.is_open = True
        # Called when the driver, or its browser, has ended by itself.
        self.on_lost: Callable[[], object] = lambda: None

    async def start(self, capabilities: dict[str, Any], timeout: float) -> None:
        """Start the browser."""
        answer = await self._request("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}}, timeout)
        self._session, self.capabilities = answer["sessionId"], answer["capabilities"]

    async def send(self, method: str, path: str, body: Any = None, timeout: float = COMMAND_SECONDS) -> Any:
        """Send a command that does not depend on the current window."""
        return await self._request(method, f"/session/{self._session}{path}", body, timeout)

    async def send_to(
        self, place: Place, method: str, path: str, body: Any = None, timeout: float = COMMAND_SECONDS
    ) -> Any:
        """Send a command to a window or frame. Raises DocumentGone if it is no longer there."""
        while (sending := await self._begin(place, method, path, body, timeout)) is None:  # noqa: ASYNC110 - no event
            await asyncio.sleep(DIALOG_SECONDS)
        try:
            return await sending
        finally:
            sending.cancel()

    async def _begin(
        self, place: Place, method: str, path: str, body: Any, timeout: float
    ) -> asyncio.Future[Any] | None:
        """Write a command; return its answer to come, or None if a dialog has to be closed before it can be sent."""
        async with self._moving:
            if place != self._place and not await self._move(place):
                return None
            written = asyncio.Event()
            path = f"/session/{self._session}{path}"
            sending = asyncio.ensure_future(self._request(method, path, body, timeout, written.set))
            self._under_way += 1
            sending.add_done_callback(self._finish)
            try:
                # What is sent later must arrive later.
                await race(written.wait(), asyncio.wait({sending}))
            except Interrupted:
                pass  # it has failed, and tells that to its caller
            except BaseException:
                sending.cancel()
                raise
            return sending

    def _finish(self, sending: asyncio.Future[Any]) -> None:
        self._under_way -= 1
        if not sending.cancelled():
            sending.exception()  # the caller may have been cancelled, and then none retrieves it

    async def new_window(self) -> str:
        """Open a window and return its handle."""
        async with self._moving:
            handle: str = (await self.send("POST", "/window/new", {"type": "window"}))["handle"]
            return handle

    async def windows(self) -> list[str]:
        handles: list[str] = await self.send("GET", "/window/handles")
        return handles

    def close(self) -> None:
        """Send no more commands."""
        self.is_open = False
        self._client.close()

    async def _move(self, place: Place) -> bool:
        """Go to a window or frame; return False where a dialog keeps the driver in the window that it is in.

        Windows of one process wait for its dialog, and the driver for them. It could not answer the dialog then.
        """
        current = self._place
        leaves = current is not None and current.window != place.window
        if (self._under_way or leaves) and not await self._is_arrived() and leaves:
            return False
        self._place = None
        if current is None or current.window != place.window:
            await self._switch(place.window)
        elif current.frames:
            await self.send("POST", "/frame", {"id": None})
        for frame in place.frames:
            await self.send("POST", "/frame", {"id": {ELEMENT: frame}})
        self._place = place
        return True

    async def _switch(self, window: str) -> None:
        try:
            await self.send("POST", "/window", {"handle": window})
        except WebDriverError as error:
            self._failed_switches += error.code == "timeout"
            if self._failed_switches < MAX_SWITCHES:
                raise
            self._lose()
            raise DriverLost("no such window", "its page does not answer") from error
        self._failed_switches = 0

    async def _is_arrived(self) -> bool:
        """Wait until every command that was sent has reached the window that was current when it was sent.

        This command asks the browser twice, the second time after all commands that were sent before it have asked
        once: those have looked up the current window by then. Returns False if a dialog is open there, which may keep
        the answer back if it opens just now.
        """
        try:
            await self.send("GET", "/url", timeout=ARRIVAL_SECONDS)
        except DocumentGone:
            return True  # an answer all the same
        except AlertOpen:
            return False
        except WebDriverError as error:
            if error.code != "timeout":
                raise
            return False
        return True

    def _lose(self) -> None:
        self.close()
        self.on_lost()

    async def _request(
        self, method: str, path: str, body: Any, timeout: float, on_written: Callable[[], object] = bool
    ) -> Any:
        if not self.is_open:
            raise DriverLost("connection closed")
        data = b"" if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        try:
            async with asyncio.timeout(timeout):
                answer = await self._client.send(method, path, data, on_written)
            return _value(answer)
        except TimeoutError as error:
            raise WebDriverError("timeout", f"no answer within {timeout:g} s") from error
        except DriverLost:
            if self._session and self.is_open:
                self._lose()
            raise


def _value(answer: bytes) -> Any:
    try:
        value = json.loads(answer)["value"]
    except (ValueError, KeyError, TypeError) as error:
        raise DriverLost("invalid answer") from error
    if isinstance(value, dict) and "error" in value and "stacktrace" in value:
        raise failure_of(value)
    return value
