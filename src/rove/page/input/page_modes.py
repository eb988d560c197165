"""Modes that a page can request: pointer lock, fullscreen and printing."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from rove.browser.page_events import PageEvents
from rove.page.frames.world import World
from rove.page_text import Own

# The function by which rove's script reports modes and presses. Only rove's isolated world has it.
REPORT_BINDING = "roveTell"


class PageModes:
    """The modes of one tab, as rove's script in the page reports them (`browser/scripts/page/reports.js`)."""

    def __init__(self, world: World, page_events: PageEvents) -> None:
        self._world = world
        self._events = page_events
        self._is_pointer_locked = False
        self._is_printing = False

    @contextlib.contextmanager
    def printing(self) -> Generator[None]:
        """Ignore print reports in this block: rove prints the page itself, and the page did not ask for it."""
        self._is_printing = True
        try:
            yield
        finally:
            self._is_printing = False

    def start_document(self) -> None:
        """Forget the pointer lock of the previous document."""
        self._is_pointer_locked = False

    async def release_pointer_lock(self) -> None:
        """Release the pointer lock: a page that holds it receives every press, even outside of it."""
        if self._is_pointer_locked:
            await self._world.call("() => rove.releasePointer()")

    async def exit(self) -> None:
        """Leave fullscreen and release the pointer lock, as a browser does on Escape."""
        if await self._world.call("() => rove.leaveModes()"):
            self._events.add("mode left", Own("The page no longer holds the screen or the pointer."))

    def on_report(self, report: str) -> None:
        match report:
            case "print" if self._is_printing:
                return  # rove prints the page
            case "print":
                self._events.add("print ignored", Own("The page asked to be printed."))
            case "pointer held" | "pointer free" as state:
                self._is_pointer_locked = state == "pointer held"
            case _:
                return  # a report of another kind
