"""Windows that a page opens, and pages that opened each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from rove.browser.network import is_web, scheme_refusal
from rove.browser.page_data import OpenDialog
from rove.browser.page_state import PageEvents
from rove.browser.shared.dialogs import Asker
from rove.browser.shared.frames import FrameOrigins
from rove.browser.shared.live_page import LivePage
from rove.page_text import Own, PageText

# Windows that one document may open while no action runs.
MAX_UNREQUESTED = 5
# A page that is refused this many windows opens them in a loop: its script is terminated and `window.open` disabled.
REFUSALS_BEFORE_TERMINATION = 10
EMPTY_URLS = ("", "about:blank")
DISABLE_WINDOW_OPEN = "window.open = () => null"

# A page that has not answered by then, while the dialog of a related page is open, is blocked by that dialog.
ANSWER_TIMEOUT = 0.3


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


class OpenerGroup:
    """A page, the windows it opened, and the windows those opened, each by the id of its tab."""

    def __init__(self) -> None:
        self._pages: dict[str, LivePage] = {}

    def add(self, tab: str, page: LivePage) -> None:
        self._pages[tab] = page
        page.dialogs.on_open = lambda dialog, asker: self._on_dialog_open(page, dialog, asker)
        page.dialogs.on_close = lambda: self._on_dialog_close(page)

    def remove(self, page: LivePage) -> None:
        """Remove a closed page, and its dialog from the others."""
        for tab in [tab for tab, known in self._pages.items() if known is page]:
            del self._pages[tab]
            page.dialogs.on_open = page.dialogs.on_close = None
            self._on_dialog_close(page)

    def rename(self, page: LivePage, tab: str) -> None:
        """Note that a page now goes by another tab id."""
        self._pages = {tab if known is page else name: known for name, known in self._pages.items()}

    def _others(self, page: LivePage) -> list[LivePage]:
        return [other for other in self._pages.values() if other is not page]

    def _on_dialog_open(self, owner: LivePage, dialog: OpenDialog, asker: Asker) -> None:
        for page in self._others(owner):
            page.tasks.start(self._share(page, owner, dialog, asker))

    async def _share(self, page: LivePage, owner: LivePage, dialog: OpenDialog, asker: Asker) -> None:
        if not await page.answers_within(ANSWER_TIMEOUT) and owner.dialogs.open is dialog:
            tab = next((tab for tab, known in self._pages.items() if known is owner), "")
            page.dialogs.share(replace(dialog, tab=Own(tab)), asker)

    def _on_dialog_close(self, owner: LivePage) -> None:
        for page in self._others(owner):
            page.dialogs.unshare()
