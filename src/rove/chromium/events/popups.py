"""Windows that a page opens by itself: tabs as long as there is room, and turned away when it is a storm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from rove.browser.page_events import PageEvents
from rove.browser.schemes import is_web, scheme_refusal
from rove.chromium.protocol.connection import CdpSession

# Windows that one document may open while nobody acts on it.
UNASKED = 5
# A page that is turned away this often is in a loop, which is broken off, and its way to open windows taken away.
STORM = 10
EMPTY = ("", "about:blank")
TAKE_AWAY = "window.open = () => null"


class Popups:
    """The popups of one tab: announced by its page, then admitted or refused."""

    def __init__(self, page_events: PageEvents, most_tabs: int, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._events = page_events
        self._most_tabs = most_tabs
        self._tell = tell
        self._pointless = 0
        self._unasked = 0
        self._refused = 0
        # Where those lead that have been announced and are not there yet.
        self._ahead: deque[str] = deque()
        self.is_acting = False

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.windowOpen", self._on_window_open)

    def start_document(self) -> None:
        """Another document: what the last one did is not held against it."""
        self._refused = self._unasked = 0

    @property
    def announced(self) -> int:
        return len(self._ahead)

    def admit(self, tab: str, url: str) -> None:
        announced = self._arrive()
        # A window begins empty, and is on its way to where the page said.
        self._events.add("new tab", f"{tab} {announced or url if url in EMPTY else url}")

    def is_refused(self, open_tabs: int) -> bool:
        """Whether a window that has just come into being has to go."""
        self._unasked += not self.is_acting
        if self._pointless:
            self._pointless -= 1
        elif open_tabs >= self._most_tabs:
            self._refuse("as many tabs as are allowed are open")
        elif self._unasked > UNASKED:
            self._refuse("the page opens more windows by itself than it may")
        else:
            return False
        self._arrive()
        return True

    def _refuse(self, reason: str) -> None:
        self._refused += 1
        self._events.add("popup blocked", reason)
        if self._refused % STORM == 0:
            self._events.add("script broken off", "It opened one window after the other.")
            self._tell("Runtime.terminateExecution", {})
            self._tell("Runtime.evaluate", {"expression": TAKE_AWAY})

    def _arrive(self) -> str:
        return self._ahead.popleft() if self._ahead else ""

    def _on_window_open(self, event: dict[str, Any]) -> None:
        self._ahead.append(event["url"])
        if event["url"] and not is_web(event["url"]):
            self._pointless += 1
            self._events.add("address refused", scheme_refusal(event["url"]))
