"""What a page takes hold of: the pointer, the whole screen, the printer."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from rove.browser.page_events import PageEvents
from rove.chromium.frames.worlds import WORLD, World
from rove.chromium.protocol.connection import CdpSession

# By this name our own world, and nobody else's, speaks to us.
TELLING = "roveTell"


class PageModes:
    """The modes of one tab, as its world tells of them (`browser/scripts/page/modes.js`)."""

    def __init__(self, world: World, page_events: PageEvents) -> None:
        self._world = world
        self._events = page_events
        self._is_pointer_held = False
        self._is_printing = False

    @contextlib.contextmanager
    def printing(self) -> Generator[None]:
        """A page is told when it is printed, also by us; for as long as this lasts it has not asked for it."""
        self._is_printing = True
        try:
            yield
        finally:
            self._is_printing = False

    async def listen(self, cdp: CdpSession) -> None:
        cdp.on("Runtime.bindingCalled", self._on_told)
        await cdp.send("Runtime.addBinding", {"name": TELLING, "executionContextName": WORLD})

    def start_document(self) -> None:
        """Another document, which holds nothing yet."""
        self._is_pointer_held = False

    async def free_pointer(self) -> None:
        """Take the pointer back from a page that holds it, as it would get every press, wherever it is aimed."""
        if self._is_pointer_held:
            await self._world.call("() => rove.releasePointer()")

    async def leave(self) -> None:
        """What a browser does by itself on Escape: give back the whole screen and the pointer."""
        if await self._world.call("() => rove.leaveModes()"):
            self._events.add("mode left", "The page no longer holds the screen or the pointer.")

    def _on_told(self, event: dict[str, Any]) -> None:
        if event["name"] != TELLING:
            return
        match event["payload"]:
            case "print" if self._is_printing:
                return  # we do
            case "print":
                self._events.add("print ignored", "The page asked to be printed.")
            case "pointer held" | "pointer free" as told:
                self._is_pointer_held = told == "pointer held"
            case _:
                return  # said to someone else
