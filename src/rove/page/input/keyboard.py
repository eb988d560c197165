"""The keyboard: keys to the element that has the focus, kept out of password fields."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from rove.page.input.guards import InputGuards
from rove.page.input.keys import Key, key_named, split_combination
from rove.page.input.password_guard import FocusedElement

if TYPE_CHECKING:
    from rove.page.live_page import LivePage

# The longest that Escape waits for a dialog or a menu that is opening, and would ignore it.
MAX_LAYER_WAIT_MS = 1000
# Keys that copy, cut or paste while a modifier is held.
CLIPBOARD_KEYS = frozenset({"c", "v", "x", "insert", "delete"})


class Keyboard(ABC):
    """Sends keys to the element that has the focus."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        self._page = page
        self._secret_fields = guards.secret_fields
        self._password_guard = guards.password
        self._clipboard = guards.clipboard
        self._page_modes = guards.page_modes

    # Primitives of an engine

    @abstractmethod
    async def send_press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        """Press keys one after the other, and release them after `hold` seconds."""

    @abstractmethod
    async def send_text(self, text: str) -> None:
        """Type every character with a key."""

    @abstractmethod
    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected, as an input method does."""

    # What follows from them

    async def press(self, combination: str, hold: float = 0, into: FocusedElement | None = None) -> None:
        """Press a key or a combination, and release it after `hold` seconds; `into` gets the focus first."""
        *held_keys, last = (key_named(part) for part in split_combination(combination))
        writes = last.text not in ("", "\r") and all(key.key == "Shift" for key in held_keys)
        async with contextlib.AsyncExitStack() as stack:
            if held_keys or writes:
                # A single key that writes no text cannot change a password field; a combination may paste into it.
                await stack.enter_async_context(self._password_guard.guarding(writes, into))
            elif into is not None:
                await into.focus()
            await self._secret_fields.protect()
            if last.key == "Escape":
                await self._page.worlds.main.call("ms => rove.untilLayersRest(ms)", MAX_LAYER_WAIT_MS)
            if held_keys and last.key.lower() in CLIPBOARD_KEYS:
                await stack.enter_async_context(self._clipboard.offering(await self._page.every_world()))
            await self._page.dialogs.run_until_dialog(self.send_press(held_keys, last, hold))
        if last.key == "Escape" and self._page.dialogs.open is None:
            await self._page_modes.exit()

    async def type(self, text: str, into: FocusedElement | None = None) -> None:
        """Type every character with a key; `into` gets the focus first."""
        async with self._password_guard.guarding(into=into):
            await self._secret_fields.protect()
            await self._page.dialogs.run_until_dialog(self.send_text(text))

    async def replace(self, text: str) -> None:
        """Replace the selected text."""
        if text:
            async with self._password_guard.guarding():
                await self._page.dialogs.run_until_dialog(self.insert_text(text))
        else:
            await self.press("Delete")
