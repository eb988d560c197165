"""Sends the input of a person who drives a tab to its page, as the person gives it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from rove.browser.failures import BrowserError
from rove.browser.input_event import InputEvent
from rove.browser.page_data import TypedField
from rove.browser.shared.frames import DocumentScript, World
from rove.browser.shared.input import InputDevices
from rove.browser.shared.keys import MODIFIER_BITS
from rove.errors import ScriptFailed
from rove.page_text import NOWHERE

R = TypeVar("R")
# Seconds to wait until the page has handled an event. A busy page handles it later, in its turn.
HANDLING_SECONDS = 1.0
TYPED_PREFIX = "typed "
COMMAND_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Meta"] | MODIFIER_BITS["Alt"]
# AltGr is told as both of these, and writes text.
ALT_GR_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Alt"]
# Keys that a browser reports while a character is being composed; the text follows.
_COMPOSING = frozenset({"Dead", "Process", "Unidentified", "Compose"})


class PersonInput(ABC):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab.

    `on_typed` is called with the value of a field each time that the person has typed into it.
    """

    def __init__(self, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        self._page = page = devices.page
        self._devices = devices
        self._on_typed = on_typed
        # Watches documents that load while the person drives.
        self._script: DocumentScript = page.document_script("rove.watchPerson(true)")
        self._has_typed = False
        # Whether what the person has typed stays covered between pictures, for a recording.
        self._is_kept_covered = False
        # What the person holds down, which is released when they hand back.
        self._buttons: dict[str, InputEvent] = {}
        self._keys: dict[str, InputEvent] = {}
        self._order = asyncio.Lock()

    @abstractmethod
    def dispatch(self, event: InputEvent) -> Coroutine[Any, Any, object]:
        """Send one event of the mouse, the keyboard, the wheel or a touch screen, or a text, to the page."""

    async def send(self, event: InputEvent) -> None:
        """Send one event, after those before it."""
        async with self._order:
            await self._watch_typing()
            self._page.allow_navigation()
            if event.type == "dialog":
                await self._page.dialogs.answer(event.accept, event.text or None)
            elif event.type == "paste":
                await self._paste(event.text)
            else:
                await self._handled(event)

    async def covered(self, capture: Coroutine[Any, Any, R]) -> R:
        """Return a picture that may be kept, with dots in place of secrets and of what the person has typed."""
        await self._devices.secret_fields.protect()
        if not self._has_typed:
            return await capture
        await self._tell_worlds("coverTyped", True)
        try:
            return await capture
        finally:
            if not self._is_kept_covered:
                await self._tell_worlds("coverTyped", False)

    async def keep_covered(self) -> bool:
        """Cover secrets and what the person has typed until the person types again.

        Returns whether what the page has shown until now may be recorded: nothing had to be covered, and the agent may
        read every frame.
        """
        has_found = await self._devices.secret_fields.protect()
        if self._has_typed:
            self._is_kept_covered = True
            # A frame that does not answer may show what was typed.
            has_found |= any(shown is not False for shown in await self._tell_worlds("coverTyped", True))
        return not has_found and self._page.may_read(NOWHERE)

    async def release(self) -> None:
        """Release the buttons and keys that the person still holds."""
        for event in [*self._buttons.values(), *self._keys.values()]:
            await self.send(replace(event, type="mouseUp" if event.type == "mouseDown" else "keyUp", modifiers=()))
        if self._script.is_on:
            await self._end_watching()

    def on_report(self, report: str, document: str) -> None:
        """Handle what rove's script reports; `document`: an id of the document that it runs in."""
        if report.startswith(TYPED_PREFIX):
            self._has_typed = True
            number, value, is_password = json.loads(report.removeprefix(TYPED_PREFIX))
            place = f"{self._page.target_id} {self._page.load_state.documents} {document}"
            self._on_typed(TypedField(place, number, value, is_password))

    async def _watch_typing(self) -> None:
        """Withhold what the person types from now on, in every frame and in documents that load meanwhile."""
        if self._script.is_on:
            return
        self._script.is_on = True
        try:
            if self._is_kept_covered:
                self._is_kept_covered = False
                await self._tell_worlds("coverTyped", False)  # the person sees what they type
            await self._script.begin(await self._page.every_world())
            await self._tell_worlds("watchPerson", True)
        except BaseException:
            self._script.is_on = False  # nothing is typed into a page that cannot be watched
            raise

    async def _end_watching(self) -> None:
        await asyncio.gather(self._script.end(), self._tell_worlds("watchPerson", False))

    async def _tell_worlds(self, function: str, is_on: bool) -> list[Any]:
        """Call a function in every frame; return the results, None of a frame that did not answer."""
        worlds = await self._page.every_world()
        return await asyncio.gather(*(_tell_world(world, function, is_on) for world in worlds))

    def _note_held(self, event: InputEvent) -> None:
        """Note what the person holds down once the event is handled."""
        if event.type == "mouseDown":
            self._buttons[event.button] = event
        elif event.type == "mouseUp":
            self._buttons.pop(event.button, None)
        elif event.type == "keyDown":
            self._keys[event.code or event.key] = event
        elif event.type == "keyUp":
            self._keys.pop(event.code or event.key, None)

    async def _paste(self, text: str) -> None:
        """Paste a text of the person's own. It does not stay in the session's clipboard, which the agent can read."""
        worlds = await self._page.every_world()
        await self._devices.clipboard.offer(worlds, text)
        try:
            for kind in ("keyDown", "keyUp"):
                await self._handled(InputEvent(kind, key="v", code="KeyV", modifiers=("Control",)))
        finally:
            await self._devices.clipboard.offer(worlds, None)

    async def _handled(self, event: InputEvent) -> None:
        self._note_held(event)
        with contextlib.suppress(TimeoutError, BrowserError):  # the page is busy, or was closed by this very event
            async with asyncio.timeout(HANDLING_SECONDS):
                await self._page.dialogs.run_until_dialog(self.dispatch(event))


async def _tell_world(world: World, function: str, is_on: bool) -> Any:
    with contextlib.suppress(TimeoutError, BrowserError, ScriptFailed):  # a frame that is busy or going away
        async with asyncio.timeout(HANDLING_SECONDS):
            return await world.call(f"isOn => rove.{function}(isOn)", is_on)
    return None


def modifier_bits(event: InputEvent) -> int:
    """Return the modifiers that are held, as the bits of the DevTools protocol."""
    return sum(MODIFIER_BITS[modifier] for modifier in set(event.modifiers))


def written_text(event: InputEvent) -> str:
    """Return the text that a key writes; none if it is a command, or a part of a character that is composed."""
    bits = modifier_bits(event)
    if event.key == "Enter":
        return "\r"
    is_command = bits & COMMAND_BITS and bits & ALT_GR_BITS != ALT_GR_BITS
    return "" if is_command or len(event.key) != 1 or event.key in _COMPOSING else event.key
