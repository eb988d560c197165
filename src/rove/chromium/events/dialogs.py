"""Alerts, confirms and prompts: noticed at once, kept until answered, and no more of them than a page is worth."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from rove.browser.page_events import PageEvents
from rove.browser.page_state import OpenDialog
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import DialogOpen
from rove.tasks import BackgroundTasks, Interrupted, race

# Dialogs that follow each other like this are a storm. An alert asks for nothing; a question may have a follow-up.
STORM = 5.0
WEIGHTS = {"alert": 1.0}
QUESTION = 0.25
IN_A_ROW = 2.0
# A script that opens dialogs in a loop never lets go of its page: after this many more it is broken off.
PATIENCE_WITH_LOOPS = 10
# Frames of other sites may open none anyway.
SUPPRESS_DIALOGS = """(function suppress(view) {
  for (const name of ["alert", "confirm", "prompt"]) view[name] = () => (name === "confirm" ? false : null);
  for (let i = 0; i < view.length; i++) try { suppress(view[i]) } catch {}
})(window)"""


class Dialogs:
    """The dialog that blocks a tab, if any."""

    def __init__(self, events: PageEvents, patience: float, tasks: BackgroundTasks) -> None:
        self._events = events
        self._tasks = tasks
        self._patience = patience
        self._waiting: tuple[OpenDialog, CdpSession] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._opened = asyncio.Event()
        self._is_leaving = False
        self._storm = 0.0
        self._suppressed = 0
        self._last_closed = -IN_A_ROW
        # While an act runs, a dialog is most likely its answer rather than one more of a storm.
        self.is_acting = False
        # Told of every dialog that waits for an answer, and of its end.
        self.on_waiting: Callable[[OpenDialog, CdpSession], object] | None = None
        self.on_over: Callable[[], object] | None = None

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.javascriptDialogOpening", lambda event: self._on_opening(event, cdp))
        cdp.on("Page.javascriptDialogClosed", lambda _: self._close())

    @property
    def open(self) -> OpenDialog | None:
        return self._waiting[0] if self._waiting else None

    @property
    def are_recent(self) -> bool:
        """Whether there is one, or was just now: more may follow."""
        return self.open is not None or self._follows_another()

    async def opening(self) -> OpenDialog:
        """Wait until a dialog is open."""
        while (dialog := self.open) is None:
            await self._opened.wait()
        return dialog

    async def interrupts(self, work: Awaitable[Any]) -> bool:
        """Wait for the work or for a dialog, whichever is first; True if it was a dialog.

        The browser holds back its answer to a click, a key or a load for as long as a dialog is open.
        """
        try:
            await race(work, self.opening())
        except Interrupted:
            return True
        return False

    def refuse_if_open(self) -> None:
        if dialog := self.open:
            raise DialogOpen(f"The page is blocked by {'the' if dialog.tab else 'its'} {dialog}.")

    def share(self, dialog: OpenDialog, cdp: CdpSession) -> None:
        """A dialog of another page blocks this one too: it can be seen and answered from both."""
        if self._waiting is None:
            self._waiting = (dialog, cdp)
            self._opened.set()

    def unshare(self) -> None:
        """The other page's dialog is over."""
        if (dialog := self.open) is not None and dialog.tab:
            self._close()

    async def answer(self, accept: bool, text: str | None) -> OpenDialog | None:
        """Answer the open dialog; None when there is none."""
        if self._waiting is None:
            return None
        shown, cdp = self._waiting
        self._close()
        # Left as it is, a prompt would be answered with nothing rather than with what it offers.
        await _handle(cdp, accept, shown.default if text is None else text)
        return shown

    @contextlib.contextmanager
    def leaving(self) -> Generator[None]:
        """While a page is being left none of its dialogs holds anything up."""
        self._is_leaving = True
        if self._waiting is not None:
            self._dismiss(*self._waiting, "as the page was left")
        try:
            yield
        finally:
            self._is_leaving = False

    def start_document(self) -> None:
        """Another document: what the last one did is not held against it."""
        self._storm = 0.0
        self._suppressed = 0
        self._is_leaving = False

    def _on_opening(self, event: dict[str, Any], cdp: CdpSession) -> None:
        dialog = OpenDialog(event["type"], event["message"], event.get("defaultPrompt", ""))
        if dialog.kind == "beforeunload":
            # Leaving was asked for by the agent or by the page itself: a trap must not hold it.
            self._tasks.start(_handle(cdp, True, None))
        elif self._is_leaving:
            if self._follows_another():
                self._suppress_more(cdp)
            self._dismiss(dialog, cdp, "as the page was left")
        elif self._is_one_too_many(dialog):
            self._suppress(cdp)
        else:
            self._waiting = (dialog, cdp)
            self._opened.set()
            reason = f"as nobody answered it within {self._patience:g} s"
            self._expiry = asyncio.get_running_loop().call_later(self._patience, self._dismiss, dialog, cdp, reason)
            if self.on_waiting is not None:
                self.on_waiting(dialog, cdp)

    def _is_one_too_many(self, dialog: OpenDialog) -> bool:
        if self._suppressed:
            return True
        is_more = self._follows_another() and not self.is_acting
        self._storm = (self._storm if is_more else 0.0) + WEIGHTS.get(dialog.kind, QUESTION)
        return self._storm > STORM

    def _follows_another(self) -> bool:
        return time.monotonic() - self._last_closed < IN_A_ROW

    def _suppress(self, cdp: CdpSession) -> None:
        """What a browser offers its user: no more dialogs from this page."""
        self._tasks.start(_handle(cdp, False, None))
        if self._suppressed == 0:
            self._events.add("dialogs suppressed", "The page opens one dialog after the other: no more are shown.")
        self._suppress_more(cdp)

    def _suppress_more(self, cdp: CdpSession) -> None:
        """Keep the page from opening more, however its script goes about it."""
        if self._suppressed == 0:
            self._tasks.start(_tell(cdp, "Runtime.evaluate", {"expression": SUPPRESS_DIALOGS}))
        self._suppressed += 1
        if self._suppressed % PATIENCE_WITH_LOOPS == 0:
            self._tasks.start(_tell(cdp, "Runtime.terminateExecution", {}))

    def _dismiss(self, dialog: OpenDialog, cdp: CdpSession, reason: str) -> None:
        self._events.add("dialog dismissed", f"{dialog}, {reason}")
        self._close()
        self._tasks.start(_handle(cdp, False, None))

    def _close(self) -> None:
        self._waiting = None
        self._last_closed = time.monotonic()
        self._opened.clear()
        if self._expiry is not None:
            self._expiry.cancel()
        if self.on_over is not None:
            self.on_over()


async def _handle(cdp: CdpSession, accept: bool, text: str | None) -> None:
    answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
    await _tell(cdp, "Page.handleJavaScriptDialog", answer)


async def _tell(cdp: CdpSession, method: str, params: dict[str, Any]) -> None:
    with contextlib.suppress(CdpError):  # the page went away first
        await cdp.send(method, params)
