"""The keyboard: type text, press keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Own, Result, Text
from rove.target import secret_named
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.consequences import Cause
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class Typed(Result):
    characters: int
    element: Text | None = None
    secret: Own | None = None

    def __str__(self) -> str:
        count = "1 character" if self.characters == 1 else f"{self.characters} characters"
        what = f"the secret {self.secret}" if self.secret else count
        return f"Typed {what}" + (f" into {self.element}." if self.element else ".")


@action(Effect.ACT)
class Type(TabAction[Typed]):
    """Type text with real keystrokes, after what is there. To replace a value use fill."""

    text: str = arg("What to type; secret:NAME for a password.")
    target: Target | None = arg("Where; what has the focus if not given.", default=None)
    submit: bool = arg("Press Enter afterwards.", default=False)
    replace: bool = arg("Replace what is there, at once, in the target.", default=False, rare=True)

    @property
    def uses_focus(self) -> bool:
        return self.target is None

    @property
    def activates(self) -> Cause | None:
        return "enter" if self.submit or "\n" in self.text or "\r" in self.text else None

    @property
    def secrets(self) -> tuple[str, ...]:
        name = secret_named(self.text)
        return (name,) if name else ()

    async def perform(self, tab: Tab) -> Typed:
        element = await tab.resolve(self.target) if self.target else None
        if self.replace and element is not None:
            return await self._replace(tab, element)
        if name := secret_named(self.text):
            element = element or await tab.focused_element()
            await element.type_secret(name)
        else:
            await tab.keyboard.type(self.text, element)
        if self.submit:
            await tab.keyboard.press("Enter")
        line = element.line if element else None
        return Typed(0, line, Own(name)) if name else Typed(len(self.text), line)

    async def _replace(self, tab: Tab, element: Element) -> Typed:
        await element.fill(self.text)
        if self.submit:
            await tab.keyboard.press("Enter", 0, element)
        return Typed(len(self.text), element.line)


# The keys that activate what has the focus, in lower case.
_ACTIVATING: dict[str, Cause] = {
    "enter": "enter",
    "return": "enter",
    "numpadenter": "enter",
    "space": "space",
    " ": "space",
}


@dataclass(frozen=True)
class Pressed(Result):
    key: Own

    def __str__(self) -> str:
        return f"Pressed {self.key}."


@action(Effect.ACT)
class Press(TabAction[Pressed]):
    """Press a key or a combination."""

    key: str = arg("Such as Enter, ArrowDown, a, Control+A.", min_length=1)
    target: Target | None = arg("Element to focus first.", default=None)
    hold: float = arg("Seconds to hold it down.", default=0, ge=0, le=30)

    @property
    def uses_focus(self) -> bool:
        return self.target is None

    @property
    def takes(self) -> float:
        return self.hold

    @property
    def activates(self) -> Cause | None:
        return _ACTIVATING.get(self.key.rpartition("+")[2].lower() or "+")

    async def perform(self, tab: Tab) -> Pressed:
        await tab.keyboard.press(self.key, self.hold, await tab.resolve(self.target) if self.target else None)
        return Pressed(Own(self.key))
