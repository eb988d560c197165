"""Keys of a US layout, and one of its own for each character that is not on it."""

from __future__ import annotations

import string

from rove.advice import nearest
from rove.errors import InvalidArguments
from rove.records import dataclass

MODIFIER_BITS: dict[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
SHIFTED_SIGNS = ')!@#$%^&*(_+{}|:"~<>?'


@dataclass(frozen=True)
class Key:
    """One key: its value, the place on the keyboard, and its number on Windows, which pages still read."""

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


def foreign_key(character: str) -> Key:
    """Return a key for a character of another layout. Inserted text would overtake keys, and reach only fields."""
    return Key(character, "", 0, character)


def split_combination(combination: str) -> list[str]:
    """Split `Control+Shift+A` into its keys; a plus sign at the end is a key itself."""
    if combination.endswith("+"):
        return [*(part for part in combination[:-1].split("+") if part), "+"]
    return combination.split("+")


def key_named(name: str) -> Key:
    """Return the key of a name; raise if there is none."""
    key = KEYS.get(name) or KEYS.get(KEY_ALIASES.get(name.lower(), ""))
    if key is None and len(name) == 1 and name.isprintable():
        return foreign_key(name)
    if key is None:
        near = nearest(name.lower(), KEY_ALIASES) if len(name) > 1 else None
        meant = f" Did you mean {KEY_ALIASES[near]}?" if near else ""
        raise InvalidArguments(
            f"`key`: {name!r} is not a key.{meant}", hint="Use names like Enter, ArrowDown, a, Control+A."
        )
    return key
