"""The keyboard: keys of a US layout, and one of its own for each character that is not on it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import string
import sys
from typing import TYPE_CHECKING, Any

from rove.chromium.input.clipboard import Clipboard
from rove.chromium.input.page_modes import PageModes
from rove.chromium.input.password_guard import PasswordGuard
from rove.chromium.secrets.secret_fields import SecretFields
from rove.errors import InvalidArguments
from rove.validation.record import dataclass
from rove.validation.spelling import nearest

if TYPE_CHECKING:
    from rove.chromium.input.page import Page

MODIFIER_BITS: dict[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
# Characters that are sent before the first is acknowledged: enough to hide the latency, few enough for a slow page.
MAX_CONCURRENT_KEYS = 50
# The longest that Escape waits for a dialog or a menu that is opening, and would ignore it.
MAX_LAYER_WAIT_MS = 1000
# Control characters but line breaks, such as tabs: no key writes them, so that each is inserted by itself.
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
_RUNS = re.compile(rf"{_CONTROL.pattern}|(?:(?!{_CONTROL.pattern})[\s\S]){{1,{MAX_CONCURRENT_KEYS}}}")
SHIFTED_SIGNS = ')!@#$%^&*(_+{}|:"~<>?'


@dataclass(frozen=True)
class Key:
    """One key with the values that `Input.dispatchKeyEvent` needs."""

    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0

    @property
    def shift(self) -> int:
        """The modifier bit of Shift if this character needs it, otherwise 0."""
        return MODIFIER_BITS["Shift"] if self.text.isupper() or (self.text and self.text in SHIFTED_SIGNS) else 0


def _layout() -> dict[str, Key]:
    keys = {letter: Key(letter, f"Key{letter.upper()}", ord(letter.upper()), letter) for letter in string.ascii_letters}
    keys |= {digit: Key(digit, f"Digit{digit}", ord(digit), digit) for digit in string.digits}
    for shifted, digit in zip(")!@#$%^&*(", string.digits, strict=True):
        keys[shifted] = Key(shifted, f"Digit{digit}", ord(digit), shifted)
    signs = {
        "Minus": ("-_", 189), "Equal": ("=+", 187), "BracketLeft": ("[{", 219), "BracketRight": ("]}", 221),
        "Backslash": ("\\|", 220), "Semicolon": (";:", 186), "Quote": ("'\"", 222), "Backquote": ("`~", 192),
        "Comma": (",<", 188), "Period": (".>", 190), "Slash": ("/?", 191),
    }  # fmt: skip
    for code, (both, number) in signs.items():
        keys |= {sign: Key(sign, code, number, sign) for sign in both}
    named = {
        "Backspace": 8, "Tab": 9, "Pause": 19, "CapsLock": 20, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35,
        "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44,
        "Insert": 45, "Delete": 46, "ContextMenu": 93, "NumLock": 144, "ScrollLock": 145,
    }  # fmt: skip
    keys |= {name: Key(name, name, number) for name, number in named.items()}
    keys |= {f"F{number}": Key(f"F{number}", f"F{number}", 111 + number) for number in range(1, 13)}
    modifiers = {"Shift": 16, "Control": 17, "Alt": 18, "Meta": 91}
    keys |= {name: Key(name, f"{name}Left", number, location=1) for name, number in modifiers.items()}
    keys["Enter"] = keys["\n"] = keys["\r"] = Key("Enter", "Enter", 13, "\r")
    keys["Space"] = keys[" "] = Key(" ", "Space", 32, " ")
    return keys


KEYS = _layout()
KEY_ALIASES = {
    "ctrl": "Control", "cmd": "Meta", "command": "Meta", "win": "Meta", "option": "Alt", "esc": "Escape",
    "return": "Enter", "del": "Delete", "ins": "Insert", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "pgup": "PageUp", "pgdn": "PageDown", "spacebar": "Space",
    **{name.lower(): name for name in KEYS if len(name) > 1},
}  # fmt: skip
# On macOS the system handles editing shortcuts, and it does not see keys that are sent over CDP.
MAC_COMMANDS = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}
# Keys that copy, cut or paste while a modifier is held.
CLIPBOARD_KEYS = frozenset({"c", "v", "x", "insert", "delete"})


class Keyboard:
    """Sends keys to the element that has the focus."""

    def __init__(
        self,
        page: Page,
        password_guard: PasswordGuard,
        clipboard: Clipboard,
        page_modes: PageModes,
        secret_fields: SecretFields,
    ) -> None:
        self._page = page
        self._secret_fields = secret_fields
        self._password_guard = password_guard
        self._clipboard = clipboard
        self._page_modes = page_modes

    async def press(self, combination: str, hold: float = 0) -> None:
        """Press a key or a combination, and release it after `hold` seconds."""
        *held_keys, last = (_key(part) for part in _split(combination))
        writes = last.text not in ("", "\r") and all(key.key == "Shift" for key in held_keys)
        if last.key == "Escape":
            await self._page.worlds.main.call("ms => rove.untilLayersRest(ms)", MAX_LAYER_WAIT_MS)
        await self._secret_fields.protect()
        async with contextlib.AsyncExitStack() as stack:
            if held_keys or writes:
                # A single key that writes no text cannot change a password field; a combination may paste into it.
                await stack.enter_async_context(self._password_guard.guarding(writes))
            if held_keys and last.key.lower() in CLIPBOARD_KEYS:
                await stack.enter_async_context(self._clipboard.offering(await self._page.every_world()))
            await self._page.dialogs.run_until_dialog(self._press(held_keys, last, hold))
        if last.key == "Escape" and self._page.dialogs.open is None:
            await self._page_modes.exit()

    async def type(self, text: str) -> None:
        """Type every character with a key."""
        await self._secret_fields.protect()
        async with self._password_guard.guarding():
            await self._page.dialogs.run_until_dialog(self._type(text))

    async def replace(self, text: str) -> None:
        """Replace the selected text."""
        if text:
            async with self._password_guard.guarding():
                inserting = self._page.cdp.send("Input.insertText", {"text": text})
                await self._page.dialogs.run_until_dialog(inserting)
        else:
            await self.press("Delete")

    async def _press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        # In Control+A the letter names the key, so its case does not imply Shift.
        bits = 0 if held_keys else last.shift
        for key in held_keys:
            bits |= MODIFIER_BITS.get(key.key, 0)
            await self._send("down", key, bits)
        await self._send("down", last, bits)
        if hold:
            await asyncio.sleep(hold)
        await self._send("up", last, bits)
        for key in reversed(held_keys):
            bits &= ~MODIFIER_BITS.get(key.key, 0)
            await self._send("up", key, bits)

    async def _type(self, text: str) -> None:
        for run in _RUNS.findall(text):
            # All keys are sent at once and awaited together: the browser handles them in order.
            await asyncio.gather(*map(self._type_character, run))

    async def _type_character(self, character: str) -> None:
        if _CONTROL.match(character):
            await self._page.cdp.send("Input.insertText", {"text": character})
            return
        key = KEYS.get(character) or _foreign_key(character)
        await asyncio.gather(self._send("down", key, key.shift), self._send("up", key, key.shift))

    async def _send(self, direction: str, key: Key, modifiers: int) -> None:
        # With Control, Alt or Meta held, a key is a command and writes nothing.
        text = key.text if not modifiers & ~MODIFIER_BITS["Shift"] else ""
        if modifiers & MODIFIER_BITS["Shift"] and len(text) == 1:
            text = text.upper()
        params: dict[str, Any] = {
            "type": "keyUp" if direction == "up" else "keyDown" if text else "rawKeyDown",
            "key": text if len(text) == 1 and text.isalpha() else key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.number,
            "location": key.location,
            "modifiers": modifiers,
        }
        if direction == "down" and text:
            params |= {"text": text, "unmodifiedText": text}
        if direction == "down" and sys.platform == "darwin" and modifiers & MODIFIER_BITS["Meta"]:
            params["commands"] = [MAC_COMMANDS[key.key]] if key.key in MAC_COMMANDS else []
        await self._page.cdp.send("Input.dispatchKeyEvent", params)


def _foreign_key(character: str) -> Key:
    """Return a key for a character of another layout. Inserted text would overtake keys, and reach only fields."""
    return Key(character, "", 0, character)


def _split(combination: str) -> list[str]:
    """Split `Control+Shift+A` into its keys; a plus sign at the end is a key itself."""
    if combination.endswith("+"):
        return [*(part for part in combination[:-1].split("+") if part), "+"]
    return combination.split("+")


def _key(name: str) -> Key:
    key = KEYS.get(name) or KEYS.get(KEY_ALIASES.get(name.lower(), ""))
    if key is None and len(name) == 1 and name.isprintable():
        return _foreign_key(name)
    if key is None:
        near = nearest(name.lower(), KEY_ALIASES) if len(name) > 1 else None
        meant = f" Did you mean {KEY_ALIASES[near]}?" if near else ""
        raise InvalidArguments(
            f"`key`: {name!r} is not a key.{meant}", hint="Use names like Enter, ArrowDown, a, Control+A."
        )
    return key
