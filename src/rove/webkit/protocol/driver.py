"""One WebDriver session: commands, each to the window and frame that it is for.

A driver has one current window and frame, to which every command goes. Commands to the same place run at the same time;
before the place changes, those on their way have to have arrived.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from rove.tasks import Interrupted, race
from rove.validation.record import dataclass
from rove.webkit.protocol.failures import AlertOpen, DocumentGone, DriverLost, WebDriverError, failure_of
from rove.webkit.protocol.http_client import HttpClient

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
