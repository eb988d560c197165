"""Elements of a page, points of its viewport, the keyboard, and what an element can be found by later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Literal, NamedTuple, Protocol

from rove.browser.page_data import Box
from rove.page_text import PageText, Text
from rove.records import dataclass

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
