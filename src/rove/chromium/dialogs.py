"""Alerts, confirms and prompts: noticed at once, kept until answered, and no more of them than a page is worth."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Coroutine, Generator
from typing import Any

from rove.chromium.happenings import Happenings
from rove.chromium.wire import Wire, WireError
from rove.errors import DialogOpen
from rove.record import dataclass

# Dialogs that follow each other like this are a storm. An alert asks for nothing; a question may have a follow-up.
STORM = 5.0
WEIGHTS = {"alert": 1.0}
QUESTION = 0.25
IN_A_ROW = 2.0
# A script that opens dialogs in a loop never lets go of its page: after this many more it is broken off.
PATIENCE_WITH_LOOPS = 10
SILENCE = "for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => name === 'confirm' ? false : null"


@dataclass(frozen=True)
class OpenDialog:
    """A dialog as a person would see it."""

    kind: str
    message: str
    default: str

    def __str__(self) -> str:
        return f'{self.kind} dialog "{self.message}"'


class Dialogs:
    """The dialog that blocks a tab, if any."""

    def __init__(self, happenings: Happenings, patience: float) -> None:
        self._happenings = happenings
        self._patience = patience
        self._waiting: tuple[OpenDialog, Wire] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._opened = asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()
        self._is_leaving = False
        self._storm = 0.0
        self._suppressed = 0
        self._last_closed = -IN_A_ROW
        # While an act runs, a dialog is most likely its answer rather than one more of a storm.
        self.is_acting = False

    def listen(self, wire: Wire) -> None:
        wire.on("Page.javascriptDialogOpening", lambda event: self._on_opening(event, wire))
        wire.on("Page.javascriptDialogClosed", lambda _: self._close())

    @property
    def open(self) -> OpenDialog | None:
        return self._waiting[0] if self._waiting else None

    async def opening(self) -> OpenDialog:
        """Wait until a dialog is open."""
        while (dialog := self.open) is None:
            await self._opened.wait()
        return dialog

    async def interrupts(self, work: Awaitable[Any]) -> bool:
        """Wait for the work or for a dialog, whichever is first; True if it was a dialog.

        The browser holds back its answer to a click, a key or a load for as long as a dialog is open.
        """
        working, opening = asyncio.ensure_future(work), asyncio.ensure_future(self.opening())
        try:
            await asyncio.wait({working, opening}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
                return False
            return True
        finally:
            opening.cancel()
            if not working.done():
                working.add_done_callback(_let_go)
                working.cancel()

    def refuse_if_open(self) -> None:
        if dialog := self.open:
            raise DialogOpen(f"The page is blocked by its {dialog}.")

    async def answer(self, accept: bool, text: str | None) -> OpenDialog | None:
        """Answer the open dialog; None when there is none."""
        if self._waiting is None:
            return None
        shown, wire = self._waiting
        self._close()
        # Left as it is, a prompt would be answered with nothing rather than with what it offers.
        await _handle(wire, accept, shown.default if text is None else text)
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

    def start_anew(self) -> None:
        """Another document: what the last one did is not held against it."""
        self._storm = 0.0
        self._suppressed = 0
        self._is_leaving = False

    def _on_opening(self, event: dict[str, Any], wire: Wire) -> None:
        dialog = OpenDialog(event["type"], event["message"], event.get("defaultPrompt", ""))
        if dialog.kind == "beforeunload":
            # Leaving was asked for by the agent or by the page itself: a trap must not hold it.
            self._do(_handle(wire, True, None))
        elif self._is_leaving:
            if self._follows_another():
                self._hush(wire)
            self._dismiss(dialog, wire, "as the page was left")
        elif self._is_one_too_many(dialog):
            self._suppress(wire)
        else:
            self._waiting = (dialog, wire)
            self._opened.set()
            reason = f"as nobody answered it within {self._patience:g} s"
            self._expiry = asyncio.get_running_loop().call_later(self._patience, self._dismiss, dialog, wire, reason)

    def _is_one_too_many(self, dialog: OpenDialog) -> bool:
        if self._suppressed:
            return True
        is_more = self._follows_another() and not self.is_acting
        self._storm = (self._storm if is_more else 0.0) + WEIGHTS.get(dialog.kind, QUESTION)
        return self._storm > STORM

    def _follows_another(self) -> bool:
        return time.monotonic() - self._last_closed < IN_A_ROW

    def _suppress(self, wire: Wire) -> None:
        """What a browser offers its user: no more dialogs from this page."""
        self._do(_handle(wire, False, None))
        if self._suppressed == 0:
            self._happenings.add("dialogs suppressed", "The page opens one dialog after the other: no more are shown.")
        self._hush(wire)

    def _hush(self, wire: Wire) -> None:
        """Keep the page from opening more, however its script goes about it."""
        if self._suppressed == 0:
            self._do(_tell(wire, "Runtime.evaluate", {"expression": SILENCE}))
        self._suppressed += 1
        if self._suppressed % PATIENCE_WITH_LOOPS == 0:
            self._do(_tell(wire, "Runtime.terminateExecution", {}))

    def _dismiss(self, dialog: OpenDialog, wire: Wire, reason: str) -> None:
        self._happenings.add("dialog dismissed", f"{dialog}, {reason}")
        self._close()
        self._do(_handle(wire, False, None))

    def _close(self) -> None:
        self._waiting = None
        self._last_closed = time.monotonic()
        self._opened.clear()
        if self._expiry is not None:
            self._expiry.cancel()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)


def _let_go(work: asyncio.Future[Any]) -> None:
    """Nobody waits for it any more, so nobody is to be told how it ended."""
    if not work.cancelled():
        work.exception()


async def _handle(wire: Wire, accept: bool, text: str | None) -> None:
    answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
    await _tell(wire, "Page.handleJavaScriptDialog", answer)


async def _tell(wire: Wire, method: str, params: dict[str, Any]) -> None:
    with contextlib.suppress(WireError):  # the page went away first
        await wire.send(method, params)
