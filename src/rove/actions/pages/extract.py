"""Extraction: text, HTML and attributes of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import AmbiguousTarget, InvalidArguments
from rove.outcome import Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.element import Element
    from rove.browser.tab import Tab

MOST_CHARACTERS = 10_000
MOST_UNSEEN = 100


@dataclass(frozen=True)
class Extracted(Result):
    content: tuple[str | None, ...]
    is_cut: bool = False
    # The parts of the text that a person looking at the page would not see.
    unseen: tuple[str, ...] = ()

    def __str__(self) -> str:
        cut = [f"[cut at {MOST_CHARACTERS} characters]"] if self.is_cut else []
        return "\n".join([*("null" if value is None else value for value in self.content), *cut])

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell what was read, then, outside of the page's own text, which parts of it a person does not see."""
        yield Passage(str(self), origin, is_raw=True)
        if self.unseen:
            yield Passage(f"Of this text, a person does not see {len(self.unseen)} parts:")
            yield Passage("\n".join(self.unseen), origin)


@action(Effect.READ)
class Extract(TabAction[Extracted]):
    """Read text, HTML or an attribute of an element or the page."""

    target: Target | None = arg("Which element; the page if not given.", default=None)
    mode: Literal["text", "html", "attribute"] = arg("What to read.", default="text")
    attribute: str | None = arg("Name, with mode attribute.", default=None)
    all: bool = arg("Every match, not just one.", default=False)

    async def perform(self, tab: Tab) -> Extracted:
        if self.mode == "attribute" and not self.attribute:
            raise InvalidArguments("`attribute` is missing: mode attribute needs its name.")
        elements = await self._elements(tab)
        read = [await element.read(self.mode, self.attribute) for element in elements]
        unseen = tuple(line for each in read for line in each.unseen)
        return _cut([each.value for each in read], unseen[:MOST_UNSEEN])

    async def _elements(self, tab: Tab) -> Sequence[Element]:
        if self.target is not None:
            return await tab.resolve_all(self.target) if self.all else [await self._element(tab, self.target)]
        # The first match is the page itself; the others are its frames.
        return (await tab.resolve_all("body" if self.mode == "text" else "html"))[:1]

    async def _element(self, tab: Tab, target: str) -> Element:
        try:
            return await tab.resolve(target)
        except AmbiguousTarget as error:
            error.hint = "Pass all=true, or the ref of one."
            raise


def _cut(values: list[str | None], unseen: tuple[str, ...]) -> Extracted:
    room, kept = MOST_CHARACTERS, list[str | None]()
    for value in values:
        if room <= 0:
            break
        kept.append(value if value is None else value[:room])
        room -= len(value or "")
    return Extracted(tuple(kept), is_cut=room < 0 or len(kept) < len(values), unseen=unseen)
