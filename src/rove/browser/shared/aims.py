"""What the targets of an action mean, as the page said when the action began: no question about them is asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from rove.browser.shared.frames import World
from rove.page_text import PageText, Text

E = TypeVar("E")


class FilledField(Protocol):
    """A field that an action has filled in."""

    world: World

    @property
    def line(self) -> Text: ...
    @property
    def ref(self) -> str: ...
    async def value(self) -> PageText | None:
        """Return what it holds; None if that may not be shown."""
        ...

    def value_in(self, answer: dict[str, Any], /) -> PageText | None:
        """Return what it holds by an answer of the page."""
        ...

    def quote(self, text: str, /) -> PageText:
        """Return a text as the words of the frame that it is in."""
        ...


class Aims(Generic[E]):
    """The elements that targets mean, and what these can be found by later; both only until the page is acted on."""

    def __init__(self) -> None:
        self._elements: dict[str, list[E]] = {}
        self._descriptions: dict[str, dict[str, Any]] = {}

    def clear(self) -> None:
        """Forget all: another action begins, or the page may be another by now."""
        self._elements.clear()
        self._descriptions.clear()

    def __contains__(self, target: str) -> bool:
        return target in self._elements

    def keep(self, target: str, elements: Sequence[E]) -> None:
        """Keep the elements that a target matches."""
        self._elements[target] = list(elements)

    def keep_description(self, ref: str, answer: dict[str, Any] | None) -> None:
        """Keep what the page says that the element of a ref can be found by, if it was asked and there is one."""
        if answer is not None:
            self._descriptions[ref] = answer

    def elements(self, target: str, keeps: bool) -> list[E]:
        """Return what is known that a target matches; unless it `keeps` that, the next look asks the page again."""
        return self._elements.get(target, []) if keeps else self._elements.pop(target, [])

    def description(self, ref: str) -> dict[str, Any] | None:
        """Return what the page has said that the element of a ref can be found by; None if it was not asked."""
        return self._descriptions.get(ref)
