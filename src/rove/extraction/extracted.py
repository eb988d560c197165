"""The result of extraction: what was read, and what was left out of it as a person does not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass

MOST_CHARACTERS = 10_000
NOTHING = "There is no text that a person sees."


@dataclass(frozen=True)
class Extracted(Result):
    content: tuple[PageText | None, ...]
    is_cut: bool = False
    # The parts of the text that a person looking at the page would not see, and how many there are in all.
    unseen: tuple[PageText, ...] = ()
    unseen_count: int = 0
    # Where each of `content` and then of `unseen` is from, if not all of it is from the page itself.
    origins: tuple[Own, ...] = ()
    # Says that elements do not have the attribute that was asked for.
    note: Own = Own("")

    def __str__(self) -> str:
        cut = [self.cut_note] if self.is_cut else []
        return "\n".join([*("null" if value is None else value for value in self.content), *cut])

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell what was read, then, outside of the page's own text, what was left out as a person does not see it."""
        if self.note:
            yield Passage(self.note)
        if all(value is None for value in self.content):
            return
        if str(self):
            yield from self._by_origin(self.content, 0, origin, is_raw=True)
        else:
            yield Passage(self.nothing_note)
        if self.is_cut:
            yield Passage(self.cut_note)
        if self.unseen_count:
            yield Passage(f"Left out of this text is what a person does not see{self._unseen_number()}:")
            yield from self._by_origin(self.unseen, len(self.content), origin, is_raw=False)

    @property
    def nothing_note(self) -> str:
        """What is said where no text was found."""
        return NOTHING

    @property
    def cut_note(self) -> str:
        """What is said where there is more than was read."""
        return f"[cut at {MOST_CHARACTERS} characters]"

    def _unseen_number(self) -> str:
        shown = len(self.unseen)
        parts = "1 part" if self.unseen_count == 1 else f"{self.unseen_count} parts"
        return f" ({parts})" if shown == self.unseen_count else f" ({parts}, of which these are the first {shown})"

    def _by_origin(self, values: Sequence[str | None], start: int, page: str, *, is_raw: bool) -> Iterator[Passage]:
        origins = self.origins[start:] or ("",) * len(values)
        for origin, group in groupby(zip(origins, values, strict=False), key=lambda pair: pair[0]):
            text = "\n".join("null" if value is None else value for _, value in group)
            yield Passage(text, origin or page, is_raw=is_raw)
