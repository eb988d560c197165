"""What a page takes hold of: the pointer, the whole screen, the printer."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from rove.chromium.happenings import Happenings
from rove.chromium.wire import Wire
from rove.chromium.worlds import WORLD, World

# By this name our own world, and nobody else's, speaks to us.
TELLING = "roveTell"


class Modes:
    """The modes of one tab, as its world tells of them (`browser/scripts/page/modes.js`)."""

    def __init__(self, world: World, happenings: Happenings) -> None:
        self._world = world
        self._happenings = happenings
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

    async def listen(self, wire: Wire) -> None:
        wire.on("Runtime.bindingCalled", self._on_told)
        await wire.send("Runtime.addBinding", {"name": TELLING, "executionContextName": WORLD})

    def start_anew(self) -> None:
        """Another document, which holds nothing yet."""
        self._is_pointer_held = False

    async def free_pointer(self) -> None:
        """Take the pointer back from a page that holds it, as it would get every press, wherever it is aimed."""
        if self._is_pointer_held:
            await self._world.call("() => rove.releasePointer()")

    async def leave(self) -> None:
        """What a browser does by itself on Escape: give back the whole screen and the pointer."""
        if await self._world.call("() => rove.leaveModes()"):
            self._happenings.add("mode left", "The page no longer holds the screen or the pointer.")

    def _on_told(self, event: dict[str, Any]) -> None:
        if event["name"] != TELLING:
            return
        match event["payload"]:
            case "print" if self._is_printing:
                return  # we do
            case "print":
                self._happenings.add("print ignored", "The page asked to be printed.")
            case "pointer held" | "pointer free" as told:
                self._is_pointer_held = told == "pointer held"
            case _:
                return  # said to someone else
