"""Elements of a page, points of its viewport, the keyboard, and what an element can be found by later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Literal, NamedTuple, Protocol

from rove.browser.page_data import Box
from rove.page_text import PageText, Text
from rove.validation.record import dataclass

Button = Literal["left", "right", "middle"]
Modifier = Literal["Alt", "Control", "Meta", "Shift"]
# A point of the viewport, in CSS pixels.
Point = tuple[float, float]
# x, y and how many pixels are below, after scrolling.
ScrollPosition = dict[str, int]


class DragStop(NamedTuple):
    """A point to drag to, and the box that it is in."""

    point: Point
    box: Box


class ChosenOptions(NamedTuple):
    """The labels of the options that are chosen now, and whether others were chosen before."""

    labels: tuple[PageText, ...]
    was_changed: bool


class TypedSecret(Protocol):
    """A secret's value, and whether it may go into fields that show what is typed."""

    @property
    def value(self) -> str: ...
    @property
    def goes_anywhere(self) -> bool: ...


class FoundSecret(Protocol):
    """A secret, or a part of one, in a text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def is_whole(self) -> bool: ...


class SecretSource(Protocol):
    """Gives the value of a named secret to an origin that it is bound to, and finds secrets in texts."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def find(self, text: str, /) -> Sequence[FoundSecret]:
        """Return the secrets and parts of secrets in a text, in their order."""
        ...

    def held_in(self, text: str, /) -> list[dict[str, str]]:
        """Return each secret in a text, and each long part of one: its name, and how the text writes it."""
        ...

    def is_bound(self, name: str, origin: str, /) -> bool:
        """Whether a secret may be typed at an origin."""
        ...

    def use(self, name: str, origin: str, /) -> TypedSecret:
        """Return the secret, or raise `Denied` if this origin may not have it."""
        ...

    def offer(self, origin: str, /) -> str:
        """Say which secrets could be typed at this origin, for a hint."""
        ...


class DocumentSecrets(Protocol):
    """Gives the value of a named secret that the owner allows for documents."""

    def use_for_document(self, name: str, /) -> TypedSecret:
        """Return the secret, or raise `Denied` if it may not open documents."""
        ...


class Frame(Protocol):
    """A frame of a page; the main frame is one too."""

    @property
    def frame_id(self) -> str: ...
    async def origin(self) -> str | None:
        """Return the origin of the document; None for an opaque one."""
        ...

    async def origins(self) -> tuple[str | None, ...]:
        """Return the origin of the document; for a sandboxed one, None and the origin of its URL."""
        ...


class PointerTarget(Protocol):
    """An element or a point of the viewport: what the pointer can act on. `line` describes it for a model."""

    @property
    def line(self) -> Text: ...
    @property
    def ref(self) -> str: ...
    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None: ...
    async def hover(self) -> None: ...
    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        """Press it, drag it from stop to stop and release it at the last."""

    async def drag_stop(self, start: Point | None, /) -> DragStop:
        """Return where in the viewport a drag to it ends.

        An item of a list that comes from `start` ends past the middle; without a start, at the middle.
        """
        ...

    async def scroll_into_view(self) -> ScrollPosition: ...
    async def scroll(self, direction: str, amount: int | None) -> ScrollPosition: ...


class Element(PointerTarget, Protocol):
    """An element that a target was resolved to. Every method acts on it or raises the reason why it cannot."""

    @property
    def frame(self) -> Frame: ...
    async def box(self) -> Box:
        """Return where the element is in the viewport, after scrolling it into view."""
        ...

    async def describe(self) -> Text:
        """Return the element as the page shows it now, in one line."""
        ...

    async def identity(self) -> int:
        """Return a number that no other element of the document has, not even one that is drawn in its place."""
        ...

    async def fill(self, value: str, /) -> PageText | None:
        """Replace the value of a field; return the new value, or None if it may not be shown."""
        ...

    async def type_secret(self, name: str, /) -> None: ...
    async def check_value(self, value: str, /) -> None:
        """Raise if this value must not go into the field, without touching it."""

    async def focus(self, watches: bool = False, /) -> Any:
        """Give it the focus. If text is typed next, the page `watches` where that goes; return what it watches."""
        ...

    async def is_select(self) -> bool:
        """Whether its value is chosen from options and cannot be typed."""
        ...

    async def is_checkbox(self) -> bool:
        """Whether it is a checkbox, a radio button or a switch."""
        ...

    async def select(self, values: tuple[str, ...], /) -> ChosenOptions:
        """Choose these options, by label or value."""
        ...

    async def set_checked(self, checked: bool, /) -> bool:
        """Click it if its state is not the wanted one; returns whether it was clicked."""
        ...

    async def read_html(self) -> PageText: ...
    async def read_attribute(self, name: str, /) -> PageText | None: ...
    async def evaluate(self, expression: str, await_promise: bool = True, /) -> Any:
        """Run JavaScript in the page with this element as its argument."""
        ...

    async def upload(self, paths: tuple[str, ...], drop: bool, data: dict[str, str] | None = None, /) -> list[str]:
        """Give files of the workspace to the element; returns their names. `data`: texts to drop, by MIME type."""
        ...

    async def frames_within(self) -> Sequence[Frame]:
        """Return the frame that this element is and the frames in it; none if it is another kind of element."""
        ...


class Keyboard(Protocol):
    """Sends keys to the element that has the focus."""

    async def press(self, combination: str, hold: float = 0, into: Element | None = None, /) -> None:
        """Press a key or a combination, and release it after `hold` seconds; `into` gets the focus first."""

    async def type(self, text: str, into: Element | None = None, /) -> None:
        """Type every character with a key; `into` gets the focus first."""


@dataclass(frozen=True)
class ElementDescription:
    """An element as a page has it: what it is called, where it is, and what is around it. All of it is page text."""

    role: str = ""
    name: str = ""
    # What it shows where it has no name: words that the page's code has for it, and `#` with a number of the drawing.
    icon: str = ""
    tag: str = ""
    selector: str = ""
    # Those of its attributes that are likely to last; `path` is that of a link's address.
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    # The nearest landmark around it, and the heading before it.
    landmark: str = ""
    heading: str = ""
    # The other texts of the row or list item that it is in.
    item: str = ""
    before: str = ""
    after: str = ""
    # Which it is, from 1, of the elements that have the same role and name or icon, and how many these are.
    place: int = 1
    equals: int = 1
    # The words that stand by this one of the equals alone, and where: `item`, `heading`, `before`, ...
    distinct: str = ""
    distinct_in: str = ""
    # How many of the equals share these words, as the buttons of one row do, and which of these it is.
    group: int = 1
    group_place: int = 1
    # How many elements have the same role, whatever they are called.
    alike: int = 1
    # The frames that it is in, from the outermost: their selectors and names.
    frames: tuple[str, ...] = ()
    # Its ref in the session that it was described in.
    ref: str = ""
    # A locator of Playwright for it.
    locator: str = ""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ElementDescription:
        """Read a description. Raises ValueError for a key that is not known or a value of another type."""
        kinds = {each.name: type(getattr(_EMPTY, each.name)) for each in fields(cls)}
        for name, value in data.items():
            kind = kinds.get(name)
            if kind is None:
                raise ValueError(f"`{name}` is no part of the description of an element")
            if not isinstance(value, (list, tuple) if kind is tuple else kind):
                raise ValueError(f"`{name}` must be {_WORDS[kind]}")
        made: dict[str, Any] = {name: tuple(value) if kinds[name] is tuple else value for name, value in data.items()}
        return cls(**made)

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON data, without what is empty or usual."""
        told = {name: value for name, value in vars(self).items() if value != getattr(_EMPTY, name)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}


_EMPTY = ElementDescription()
_WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", dict: "an object", tuple: "a list"}


@dataclass(frozen=True)
class Candidate:
    """An element that a description may mean: its ref, its line, its own description, and how alike the names are."""

    ref: str
    line: PageText
    description: ElementDescription
    # From 0 to 1.
    likeness: float


class Descriptions(Protocol):
    """Describes the elements of a tab, and finds what a description may mean."""

    async def of(self, ref: str, /) -> tuple[ElementDescription, str]:
        """Return what the element of a ref can be found by later, and the origin that wrote it; raise if it is gone."""
        ...

    async def candidates(self, wanted: ElementDescription, /) -> Sequence[Candidate]:
        """Return the elements, in all frames that the agent may read, that a description may mean."""
        ...
