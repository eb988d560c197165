"""Windows that a page opens: reported as new tabs, or refused when there are too many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from rove.browser.network.schemes import is_web, scheme_refusal
from rove.browser.page_events import PageEvents
from rove.page.frames.frame_origins import FrameOrigins
from rove.page_text import Own, PageText

# Windows that one document may open while no action runs.
MAX_UNREQUESTED = 5
# A page that is refused this many windows opens them in a loop: its script is terminated and `window.open` disabled.
REFUSALS_BEFORE_TERMINATION = 10
EMPTY_URLS = ("", "about:blank")
DISABLE_WINDOW_OPEN = "window.open = () => null"


class Popups:
    """The popups of one tab: expected once a script has opened them, then reported or refused when they are there.

    `stop_opening` is called for a page that opens windows in a loop: it ends the script and disables `window.open`.
    """

    def __init__(
        self,
        page_events: PageEvents,
        max_tabs: int,
        stop_opening: Callable[[], object],
        origins: FrameOrigins,
    ) -> None:
        self._origins = origins
        self._events = page_events
        self._max_tabs = max_tabs
        self._stop_opening = stop_opening
        self._unopenable = 0
        self._unrequested = 0
        self._refused = 0
        # The URLs of windows that the page has opened and that have no target yet.
        self._expected_urls: deque[str] = deque()
        self.is_acting = False

    def start_document(self) -> None:
        """Forget the windows that the previous document opened."""
        self._refused = self._unrequested = 0

    @property
    def expected_count(self) -> int:
        """The number of windows that the page has opened and that have no target yet."""
        return len(self._expected_urls)

    def report(self, tab: str, url: str, frame: str | None) -> None:
        """Report a window that has become a tab. The frame that opened it, if it is known, wrote its address."""
        expected_url = self._next_expected_url()
        # A new window is empty until its URL loads.
        shown = expected_url or url if url in EMPTY_URLS else url
        origin = self._origins.of(frame) if frame else self._origins.of_any
        self._events.add("new tab", PageText(f"{tab} {shown}", origin))

    def is_refused(self, open_tabs: int) -> bool:
        """Count a window that was just opened; returns whether it has to be closed."""
        self._unrequested += not self.is_acting
        if self._unopenable:
            self._unopenable -= 1
        elif open_tabs >= self._max_tabs:
            self._refuse("as many tabs as are allowed are open")
        elif self._unrequested > MAX_UNREQUESTED:
            self._refuse("the page opens more windows by itself than it may")
        else:
            return False
        self._next_expected_url()
        return True

    def _refuse(self, reason: str) -> None:
        self._refused += 1
        self._events.add("popup blocked", Own(reason))
        if self._refused % REFUSALS_BEFORE_TERMINATION == 0:
            self._events.add("script broken off", Own("It opened one window after another."))
            self._stop_opening()

    def _next_expected_url(self) -> str:
        return self._expected_urls.popleft() if self._expected_urls else ""

    def expect(self, url: str) -> None:
        """Note that a script of the page opens a window."""
        self._expected_urls.append(url)
        if url and not is_web(url):
            self._unopenable += 1
            self._events.add("address refused", PageText(scheme_refusal(url), self._origins.of_any))
