"""Alerts, confirms and prompts: noticed at once, kept until answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from rove.chromium.wire import Wire, WireError
from rove.errors import DialogOpen


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

    def __init__(self) -> None:
        self._waiting: tuple[OpenDialog, Wire] | None = None
        self._opened = asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()

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

    def _on_opening(self, event: dict[str, Any], wire: Wire) -> None:
        if event["type"] == "beforeunload":
            # Leaving was asked for by the agent or by the page itself: a trap must not hold it.
            task = asyncio.ensure_future(_handle(wire, True, None))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
            return
        dialog = OpenDialog(event["type"], event["message"], event.get("defaultPrompt", ""))
        self._waiting = (dialog, wire)
        self._opened.set()

    def _close(self) -> None:
        self._waiting = None
        self._opened.clear()


def _let_go(work: asyncio.Future[Any]) -> None:
    """Nobody waits for it any more, so nobody is to be told how it ended."""
    if not work.cancelled():
        work.exception()


async def _handle(wire: Wire, accept: bool, text: str | None) -> None:
    answer = {"accept": accept, **({"promptText": text} if text is not None else {})}
    with contextlib.suppress(WireError):  # the page went away first
        await wire.send("Page.handleJavaScriptDialog", answer)
