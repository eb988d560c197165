"""What a user does with mouse, keyboard and clipboard, and answers to dialogs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from rove.action import ContextAction, Effect, TabAction, Target, action, arg
from rove.errors import NotOpen
from rove.outcome import Passage, Result, author_of
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.records import dataclass
from rove.target import secret_named

if TYPE_CHECKING:
    from rove.browser.consequences import Cause
    from rove.browser.shared.context import Context
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab

# Seconds that one leg of a drag takes: the page sees the pointer's moves one animation frame at a time.
LEG_SECONDS = 0.2
MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Touched(Result):
    """An element that the pointer acted on; subclasses say how."""

    DID: ClassVar[Own]
    element: Text
    ref: Own

    def __str__(self) -> str:
        return f"{self.DID} {self.element}."


class Clicked(Touched):
    DID = Own("Clicked")


@action(Effect.ACT)
class Click(TabAction[Clicked]):
    """Click an element, or a point (x,y) of the viewport."""

    target: Target
    button: Literal["left", "right", "middle"] = arg("Mouse button.", default="left")
    count: int = arg("2 for a double click.", default=1, ge=1, le=3)
    modifiers: tuple[Literal["Alt", "Control", "Meta", "Shift"], ...] = arg("Keys held down.", default=())
    hold: float = arg("Seconds to hold it down.", default=0, ge=0, le=30)

    @property
    def takes(self) -> float:
        return self.hold

    @property
    def activates(self) -> Cause | None:
        return None if self.button == "right" else "press"

    async def perform(self, tab: Tab) -> Clicked:
        element = await tab.resolve_pointer_target(self.target)
        await element.click(self.button, self.count, self.modifiers, self.hold)
        return Clicked(element.line, Own(element.ref))


class Hovered(Touched):
    DID = Own("Pointing at")


@action(Effect.ACT)
class Hover(TabAction[Hovered]):
    """Move the pointer over an element."""

    target: Target

    async def perform(self, tab: Tab) -> Hovered:
        element = await tab.resolve_pointer_target(self.target)
        await element.hover()
        return Hovered(element.line, Own(element.ref))


@dataclass(frozen=True)
class Dragged(Result):
    source: Text
    target: Text

    def __str__(self) -> str:
        return f"Dragged {self.source} onto {self.target}."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell both elements, each as the words of its own page or frame."""
        if author_of(self, origin) != NOWHERE:
            yield Passage(str(self), author_of(self, origin))
            return
        yield Passage("Dragged")
        yield Passage(self.source)
        yield Passage("onto")
        yield Passage(self.target)


@action(Effect.ACT)
class Drag(TabAction[Dragged]):
    """Drag from one element, or point (x,y), onto another."""

    source: Target
    target: Target
    through: tuple[Target, ...] = arg("Elements or points on the way.", default=(), max_length=100)
    hold: float = arg("Seconds to stay before moving and before dropping.", default=0, ge=0, le=10)

    @property
    def takes(self) -> float:
        return 2 * self.hold + LEG_SECONDS * len(self.through)

    async def perform(self, tab: Tab) -> Dragged:
        source = await tab.resolve_pointer_target(self.source)
        way = [await tab.resolve_pointer_target(stop) for stop in self.through]
        target = await tab.resolve_pointer_target(self.target)
        await source.drag([*way, target], self.hold)
        return Dragged(source.line, target.line)


@dataclass(frozen=True)
class Scrolled(Result):
    x: int
    y: int
    below: int

    def __str__(self) -> str:
        return f"Scrolled to y={self.y}; {self.below} px below."


@action(Effect.ACT)
class Scroll(TabAction[Scrolled]):
    """Scroll the page, a scrollable element, or an element into view."""

    target: Target | None = arg(
        "What to scroll to, or with `direction`, in; x,y to turn the wheel there.", default=None
    )
    direction: Literal["up", "down", "left", "right"] | None = arg("Down if no target.", default=None)
    amount: int | None = arg("Pixels; most of a screenful if not given.", default=None, ge=1)

    async def perform(self, tab: Tab) -> Scrolled:
        if self.target is None:
            where = await tab.scroll(self.direction or "down", self.amount)
        elif self.direction is None:
            where = await (await tab.resolve_pointer_target(self.target)).scroll_into_view()
        else:
            where = await (await tab.resolve_pointer_target(self.target)).scroll(self.direction, self.amount)
        return Scrolled(**where)


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


@dataclass(frozen=True)
class Copied(Result):
    text: Text
    is_cut: bool = False

    def __str__(self) -> str:
        cut = f"\n[cut at {MOST_CHARACTERS} characters]" if self.is_cut else ""
        return f"{self.text}{cut}" if self.text else "The clipboard is empty."


@action(Effect.ACT, observes=False, group="clipboard")
class Clipboard(ContextAction[Copied]):
    """Read the session's clipboard, or put text on it. To copy, cut or paste press Control+C, X or V."""

    text: str | None = arg("Text to put on it.", default=None, max_length=1_000_000)

    async def perform(self, context: Context) -> Copied:
        if self.text is not None:
            context.set_clipboard(self.text)
        text = context.clipboard_text
        clear = context.redact(text)  # before it is cut: the beginning of a secret is not known for one
        shown = clear[:MOST_CHARACTERS]
        said = text.around(shown) if isinstance(text, PageText) else Own(shown)
        return Copied(said, is_cut=len(clear) > MOST_CHARACTERS)


@dataclass(frozen=True)
class DialogAnswered(Result):
    kind: Own
    message: PageText
    accepted: bool

    def __str__(self) -> str:
        return f'{"Accepted" if self.accepted else "Dismissed"} the {self.kind} "{self.message}".'


# An action on the context, not on the tab: the answer must not wait for the tab's lock, which the action that the
# dialog blocks still holds.
@action(Effect.ACT)
class Dialog(ContextAction[DialogAnswered]):
    """Answer the dialog that is open on the page."""

    accept: bool = arg("True for OK, false for Cancel.")
    text: str | None = arg("Answer to a prompt.", default=None)
    tab: str | None = arg("Whose dialog, if several are open.", default=None)

    def concerns(self, context: Context) -> Tab | None:
        return next((tab for tab in self._meant(context) if tab.page.dialogs.open), None)

    async def perform(self, context: Context) -> DialogAnswered:
        for tab in self._meant(context):
            if answered := await tab.page.dialogs.answer(self.accept, self.text):
                return DialogAnswered(answered.kind, answered.message, self.accept)
        raise NotOpen("No dialog is open.", hint="Take a {snapshot} to see the page.")

    def _meant(self, context: Context) -> list[Tab]:
        """Return the tab that was named, or all tabs, the front one first."""
        if self.tab is not None:
            return [tab for tab in context.tabs if tab.id == self.tab]
        return sorted(context.tabs, key=lambda tab: tab is not context.current)
