"""A client for WebDriver BiDi: one connection to a Firefox, its commands, and its events by page."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from rove.browser.failures import BrowserError
from rove.browser.firefox.flood import EVENT_PREFIX, Admission, context_of, dropped_event, method_of
from rove.browser.shared.connection import (
    MAX_UNSENT_BYTES,
    SMALL_RESPONSE_BYTES,
    Connection,
    EventSource,
    Handler,
    PendingCommand,
    Transport,
)
from rove.browser.shared.flood import HELD_SECONDS, Verdict
from rove.patterns import pattern

log = logging.getLogger(__name__)
BidiResult = dict[str, Any]
# A caller mostly has less time than this; it ends commands that Firefox would never answer.
COMMAND_SECONDS = 60.0
# A longer message ends the connection; no screenshot and no body that rove asks for comes near it.
MAX_MESSAGE_BYTES = 256 * 2**20
_RESPONSE_ID = pattern(rb'\{"type":"(?:success|error)","id":(\d+),')
# Without these, no event could be passed to the page that it belongs to.
_ALWAYS_READ = frozenset(
    {
        "browsingContext.contextCreated",
        "browsingContext.contextDestroyed",
        "script.realmCreated",
        "script.realmDestroyed",
    }
)
DEFAULT_USER_CONTEXT = "default"
# Parameters that say where a command acts.
_NAMES_A_PLACE = frozenset({"context", "contexts", "target", "userContext", "userContexts"})

# The code of rove's own for an answer that exceeds the limit of its command.
TOO_LARGE = "too large"


class BidiError(BrowserError):
    """Firefox refused a command, or the connection to it is closed.

    `code` is the error of the protocol, such as `no such frame`; it is empty if the command was not answered.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class BidiConnection(Connection):
    """Sends commands to one Firefox, and passes its answers to the callers and its events to handlers."""

    error_type = BidiError

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._handlers: dict[str, list[Handler]] = {}
        # The top-level browsing context of each context, and each window realm's context.
        self._top_of: dict[str, str] = {}
        self._context_of_realm: dict[str, str] = {}
        self._pages: dict[str, PageChannel] = {}
        self._subscribed: set[str] = set()
        # Held while keys are sent: Firefox has one active window, and pages of all sessions share it.
        self.keyboard_lock = asyncio.Lock()

    async def send(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        context: str | None = None,
        timeout: float = COMMAND_SECONDS,
        max_bytes: int | None = None,
    ) -> BidiResult:
        """Send a command and return its result; raise BidiError if it is refused or not answered in time.

        `context`: the top-level browsing context with whose end the command fails. With `max_bytes`, a larger answer
        is refused too.
        """
        if not self.is_open or self._transport.unsent > MAX_UNSENT_BYTES:
            raise self._refusal(method)
        self._last_id += 1
        command_id = self._last_id
        response: asyncio.Future[BidiResult] = asyncio.get_running_loop().create_future()
        self._pending[command_id] = PendingCommand(context, response, max_bytes)
        self._transport.write(json.dumps({"id": command_id, "method": method, "params": params or {}}).encode())
        # A caller that is cancelled, or has less time, must get its own exception and not this one.
        backstop = asyncio.get_running_loop().call_later(timeout, self._give_up, command_id, method, timeout)
        try:
            return await response
        finally:
            backstop.cancel()
            self._pending.pop(command_id, None)

    def _give_up(self, command_id: int, method: str, timeout: float) -> None:
        if (command := self._pending.get(command_id)) is not None:
            self._fail([command.response], f"{method} was not answered within {timeout:g} seconds")

    async def subscribe(self, *events: str) -> None:
        """Ask Firefox for events, or for all events of a module, of every page; once each."""
        wanted = [event for event in events if event not in self._subscribed]
        self._subscribed.update(wanted)
        if wanted:
            await self.send("session.subscribe", {"events": wanted})

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` for every such event, whichever page it belongs to."""
        self._handlers.setdefault(event, []).append(handler)

    def page(self, context: str) -> PageChannel:
        """Return the channel of a top-level browsing context, which is there from `contextCreated` on."""
        if context not in self._pages:
            self._top_of[context] = context
            self._pages[context] = PageChannel(self, context)
        return self._pages[context]

    def top_of(self, context: str) -> str | None:
        """Return the top-level browsing context that a context is in; None if it is not known."""
        return self._top_of.get(context)

    def page_of(self, context: str | None) -> PageChannel | None:
        """Return the page that a context is, or is a frame of; None if it is not known."""
        top = self._top_of.get(context) if context is not None else None
        return self._pages.get(top) if top is not None else None

    @property
    def spare_window(self) -> PageChannel | None:
        """The empty window that Firefox has opened by itself, which belongs to no session."""
        return next((page for page in self._pages.values() if page.user_context == DEFAULT_USER_CONTEXT), None)

    def end_targets(self) -> None:
        for page in self._pages.values():
            page.end()

    def handle_message(self, data: bytes, size: int) -> None:
        if data.startswith(EVENT_PREFIX):
            self._handle_event(data, size)
        elif not self._refuse_if_large(data):
            self._resolve(json.loads(data))

    # Answers

    def _resolve(self, message: BidiResult) -> None:
        command = self._pending.get(message.get("id") or 0)
        if command is None or command.response.done():
            return  # the caller no longer waits
        if message["type"] == "error":
            command.response.set_exception(BidiError(message.get("message", "refused"), message.get("error", "")))
        else:
            command.response.set_result(message["result"])

    def _refuse_if_large(self, data: bytes) -> bool:
        """Return whether an answer is too large for its command, which then fails."""
        if len(data) < SMALL_RESPONSE_BYTES or (match := _RESPONSE_ID.match(data)) is None:
            return False
        return self._is_too_large(int(match[1]), len(data))

    def too_large(self, message: str) -> BidiError:
        return BidiError(message, TOO_LARGE)

    # Events

    def _handle_event(self, data: bytes, size: int) -> None:
        method = method_of(data)
        page = self.page_of(context_of(method, data))
        if not self._is_wanted(method, page):
            return
        if page is not None:
            verdict = page.admission.verdict(method, data, size)
            if method.startswith("browsingContext."):
                self.read_held(page)  # what is known of a message's author changes with such an event
            if verdict is not Verdict.READ:
                self._leave_out(verdict, method, data, page)
                return
        self._read(data)

    def _read(self, data: bytes) -> None:
        message: BidiResult = json.loads(data)
        self._dispatch(message["method"], message["params"])

    def _leave_out(self, verdict: Verdict, method: str, data: bytes, page: PageChannel) -> None:
        """Drop an event, or hold it for the next second; the oldest of too many are dropped."""
        dropped = page.admission.hold(data) if verdict is Verdict.HOLD else [data]
        for each in dropped:
            page.emit("dropped", dropped_event(method, each))
        if verdict is Verdict.HOLD and not page.admission.held.is_scheduled:
            page.admission.held.is_scheduled = True
            asyncio.get_running_loop().call_later(HELD_SECONDS, self.read_held, page, True)

    def read_held(self, page: PageChannel, is_due: bool = False) -> None:
        """Read the console messages of a page that came too fast."""
        if is_due:
            page.admission.held.is_scheduled = False
        for data in page.admission.take_held() if page.admission.held and self.is_open else ():
            try:
                self._read(data)
            except Exception:
                log.exception("cannot handle a message from the browser: %s", data[:200])

    def _is_wanted(self, method: str, page: PageChannel | None) -> bool:
        """Return whether an event has a handler; one that has none is not parsed, to save time."""
        return method in _ALWAYS_READ or method in self._handlers or (page is not None and page.handles(method))

    def _dispatch(self, method: str, params: BidiResult) -> None:
        if method == "browsingContext.contextCreated" and not self._add_context(params):
            return
        if method == "script.realmCreated":
            self._add_realm(params)
        elif method == "script.realmDestroyed":
            # Firefox names the realm alone.
            params["context"] = self._context_of_realm.pop(params["realm"], None)
        context = params.get("context") or (params.get("source") or {}).get("context")
        page = self.page_of(context)
        for handler in tuple(self._handlers.get(method, ())):
            handler(params)
        if page is not None:
            page.emit(method, params)
        if method == "browsingContext.contextDestroyed":
            self._remove_context(params)

    def _add_realm(self, params: BidiResult) -> None:
        """Note which frame a realm is in; that of a dedicated worker is in the frame of its owner."""
        for owner in params.get("owners") or ():
            params.setdefault("context", self._context_of_realm.get(owner))
        if params.get("context") is not None:
            self._context_of_realm[params["realm"]] = params["context"]

    def _add_context(self, params: BidiResult) -> bool:
        """Note which page a context is in; return False for a frame of a page that has made too many."""
        context, parent = params["context"], params.get("parent")
        page = self.page_of(parent) if parent is not None else self.page(context)
        if page is None:
            return False  # a frame in one that is not followed
        if parent is not None and not page.admission.admits_frame(context):
            page.emit("dropped", {"method": "browsingContext.contextCreated"})
            return False
        self._top_of[context] = page.context
        page.user_context = params.get("userContext", "")
        return True

    def _remove_context(self, params: BidiResult) -> None:
        for child in params.get("children") or ():
            self._remove_context(child)
        context = params["context"]
        self._top_of.pop(context, None)
        if (page := self._pages.pop(context, None)) is None:
            return
        self._fail_commands_of(context)
        for inner in [inner for inner, top in self._top_of.items() if top == context]:
            del self._top_of[inner]
        page.end()


class PageChannel(EventSource):
    """A page as the protocol knows it; `context` is the id of its top-level browsing context.

    Its events are those of the page and of the frames in it; `context` in each says which.
    """

    def __init__(self, connection: BidiConnection, context: str) -> None:
        super().__init__()
        self.connection = connection
        self.context = context
        # The id of the user context that it is in.
        self.user_context = ""
        # Whether its requests are answered by what opened it, and not by rules.
        self.is_hidden = False
        self.admission = Admission(context)

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set() or not self.connection.is_open

    async def send(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        timeout: float = COMMAND_SECONDS,
        max_bytes: int | None = None,
    ) -> BidiResult:
        """Send a command; raise BidiError if it is refused or the page goes away meanwhile.

        The page itself is the `context` of the command, unless the parameters name a frame, or a `target`.
        """
        if self._closed.is_set():
            raise BidiError(f"{method}: the page is closed")
        params = dict(params or {})
        if not _NAMES_A_PLACE & params.keys():
            params["context"] = self.context
        return await self.connection.send(method, params, context=self.context, timeout=timeout, max_bytes=max_bytes)

    def handles(self, event: str) -> bool:
        """Return whether an event has a handler."""
        return bool(self._handlers.get(event))
