"""JavaScript dialogs (alert, confirm, prompt, beforeunload): reported, answered, dismissed and suppressed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from rove.browser.page_data import OpenDialog
from rove.browser.page_state import PageEvents
from rove.browser.shared.frames import FrameOrigins
from rove.errors import DialogOpen
from rove.page_text import Own, PageText
from rove.tasks import BackgroundTasks, Interrupted, Interruption, Signal

# Dialogs in a row are suppressed once their weights add up to more than `MAX_CONSECUTIVE`. A confirm or a prompt
# weighs less than an alert, since a page may have a reason to ask several questions.
MAX_CONSECUTIVE = 5.0
KIND_WEIGHTS = {"alert": 1.0}
DEFAULT_WEIGHT = 0.25
CONSECUTIVE_SECONDS = 2.0
# A script that opens dialogs in a loop blocks its page: it is terminated each time this many were suppressed.
SUPPRESSED_BEFORE_TERMINATION = 10
# Cross-origin frames, which throw here, may open no dialogs anyway.
SUPPRESS_DIALOGS = """(function suppress(view) {
  for (const name of ["alert", "confirm", "prompt"]) view[name] = () => (name === "confirm" ? false : null);
  for (let i = 0; i < view.length; i++) try { suppress(view[i]) } catch {}
})(window)"""


class Asker(ABC):
    """The page or frame that has opened a dialog, as its engine reaches it."""

    @abstractmethod
    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        """Close the dialog; it may be closed already."""

    @abstractmethod
    async def suppress_dialogs(self) -> None:
        """Keep its scripts from opening more dialogs."""

    @abstractmethod
    async def terminate_script(self) -> None:
        """End a script that opens dialogs in a loop, where the engine can."""


class Dialogs:
    """The dialog that blocks a tab, if there is one."""

    def __init__(
        self, events: PageEvents, answer_timeout: float, tasks: BackgroundTasks, origins: FrameOrigins
    ) -> None:
        self._origins = origins
        self._events = events
        self._tasks = tasks
        self._answer_timeout = answer_timeout
        self._current: tuple[OpenDialog, Asker] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # Held while a dialog is open.
        self.opened = Signal()
        self._latest: OpenDialog | None = None
        self._closed = asyncio.Event()
        self._closed.set()
        self._is_dismissing = False
        self._consecutive = 0.0
        self._suppressed = 0
        self._last_closed = -CONSECUTIVE_SECONDS
        self._opened_at = 0.0
        # Seconds that a dialog is open at least: pages measure how soon it is answered.
        self.shortest_answer = 0.0
        # While an action runs, a dialog is likely a response to it and does not count as one in a row.
        self.is_acting = False
        # Called for every dialog that waits for an answer, and when it is closed.
        self.on_open: Callable[[OpenDialog, Asker], object] | None = None
        self.on_close: Callable[[], object] | None = None

    @property
    def open(self) -> OpenDialog | None:
        return self._current[0] if self._current else None

    @property
    def latest(self) -> OpenDialog:
        """The dialog that was opened last, open or not."""
        assert self._latest is not None, "no dialog was opened"
        return self._latest

    @property
    def are_recent(self) -> bool:
        """Whether a dialog is open or was closed just now, so that more may follow."""
        return self.open is not None or self._follows_another()

    async def wait_until_open(self) -> OpenDialog:
        """Wait until a dialog is open."""
        while (dialog := self.open) is None:
            await self.opened.wait()
        return dialog

    async def wait_until_closed(self) -> None:
        """Wait until no dialog is open."""
        await self._closed.wait()

    async def run_until_dialog(self, work: Awaitable[Any]) -> bool:
        """Wait for the work or for a dialog, whichever is first; True if it was a dialog.

        The browser does not respond to a click, a key or a navigation while a dialog is open.
        """
        try:
            with Interruption(self.opened):
                await work
        except Interrupted:
            return True
        return False

    def raise_if_open(self) -> None:
        """Raise `DialogOpen` if a dialog blocks the tab."""
        if dialog := self.open:
            raise DialogOpen(f"The page is blocked by {'this' if dialog.tab else 'its'} dialog: ", dialog.told)

    def share(self, dialog: OpenDialog, asker: Asker) -> None:
        """Show the dialog of another page, which blocks this page too, so that either tab can answer it."""
        if self._current is None:
            self._show(dialog, asker)

    def unshare(self) -> None:
        """Forget the dialog of another page, which has been closed."""
        if (dialog := self.open) is not None and dialog.tab:
            self.note_closed()

    async def _wait_for_person(self) -> None:
        """Wait for as long as the fastest person takes, where pages must not notice that none is there."""
        await asyncio.sleep(max(self._opened_at + self.shortest_answer - time.monotonic(), 0))

    async def answer(self, accept: bool, text: str | None) -> OpenDialog | None:
        """Answer the open dialog; None when there is none."""
        await self._wait_for_person()
        if self._current is None:
            return None
        dialog, asker = self._current
        self.note_closed()
        # Without a text, Chromium would answer a prompt with an empty string instead of its default.
        await asker.answer_dialog(accept, dialog.default if text is None else text)
        return dialog

    @contextlib.contextmanager
    def dismissing(self) -> Generator[None]:
        """Dismiss the open dialog and every other that opens in this block, so that none delays a navigation."""
        self._is_dismissing = True
        if self._current is not None:
            self._dismiss(*self._current, "as the page was left")
        try:
            yield
        finally:
            self._is_dismissing = False

    def stop_timer(self) -> None:
        """Stop waiting for an answer to the open dialog, which is then not dismissed."""
        if self._timer is not None:
            self._timer.cancel()

    def start_document(self) -> None:
        """Forget the dialogs of the previous document."""
        self._consecutive = 0.0
        self._suppressed = 0
        self._is_dismissing = False

    def note_opened(self, asker: Asker, kind: str, origin: str, message: str, default: str) -> None:
        """Handle a dialog that a page has opened: it is shown, unless it would delay what the agent asked for."""
        dialog = OpenDialog(Own(kind), PageText(message, origin), PageText(default, origin))
        if dialog.kind == "beforeunload":
            # The agent or the page itself asked for the navigation, and the page must not prevent it.
            self._tasks.start(asker.answer_dialog(True, None))
        elif self._is_dismissing:
            if self._follows_another():
                self._suppress_more(asker)
            self._dismiss(dialog, asker, "as the page was left")
        elif self._is_excessive(dialog):
            self._suppress(asker)
        else:
            self._opened_at = time.monotonic()
            self._show(dialog, asker)
            self._wait_for_answer(dialog, asker)

    def _show(self, dialog: OpenDialog, asker: Asker) -> None:
        self._current = (dialog, asker)
        self._latest = dialog
        self._closed.clear()
        self.opened.hold()

    def _wait_for_answer(self, dialog: OpenDialog, asker: Asker) -> None:
        reason = f"as it was not answered within {self._answer_timeout:g} s"
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._answer_timeout, self._dismiss, dialog, asker, reason)
        if self.on_open is not None:
            self.on_open(dialog, asker)

    def _is_excessive(self, dialog: OpenDialog) -> bool:
        if self._suppressed:
            return True
        is_consecutive = self._follows_another() and not self.is_acting
        weight = KIND_WEIGHTS.get(dialog.kind, DEFAULT_WEIGHT)
        self._consecutive = weight + (self._consecutive if is_consecutive else 0.0)
        return self._consecutive > MAX_CONSECUTIVE

    def _follows_another(self) -> bool:
        return time.monotonic() - self._last_closed < CONSECUTIVE_SECONDS

    def _suppress(self, asker: Asker) -> None:
        """Dismiss a dialog and keep the page from opening more, as a browser offers its user."""
        self._tasks.start(asker.answer_dialog(False, None))
        if self._suppressed == 0:
            self._events.add("dialogs suppressed", Own("The page opens one dialog after another: no more are shown."))
        self._suppress_more(asker)

    def _suppress_more(self, asker: Asker) -> None:
        """Keep the page from opening more dialogs, and terminate a script that opens them in a loop."""
        if self._suppressed == 0:
            self._tasks.start(asker.suppress_dialogs())
        self._suppressed += 1
        if self._suppressed % SUPPRESSED_BEFORE_TERMINATION == 0:
            self._tasks.start(asker.terminate_script())

    def _dismiss(self, dialog: OpenDialog, asker: Asker, reason: str) -> None:
        self._events.add("dialog dismissed", dialog.message.around(f"{dialog.told}, {reason}"))
        self.note_closed()
        self._tasks.start(asker.answer_dialog(False, None))

    def note_closed(self) -> None:
        """Handle that no dialog is open any more."""
        self._current = None
        self._last_closed = time.monotonic()
        self.opened.clear()
        self._closed.set()
        self.stop_timer()
        if self.on_close is not None:
            self.on_close()
