"""What is needed to find an element again, also in a page that has been changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Protocol

from rove.page_text import PageText
from rove.validation.record import dataclass


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
