"""What was found at an address: the answer of its server, or the page that a browser shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from rove.fetching.http.answer import HttpAnswer
from rove.reading.page_source import PageSource
from rove.validation.record import dataclass


@dataclass(frozen=True)
class WebDocument:
    """`page`: what the browser shows, with `reason` why it was used; otherwise `answer` is all there is.

    `unused`: why the browser should have been used, but was not allowed. `file`: where the browser saved it.
    """

    url: str
    status: int
    answer: HttpAnswer | None = None
    page: PageSource | None = None
    reason: str = ""
    hops: tuple[str, ...] = ()
    unused: str = ""
    file: str = ""

    def notes(self) -> Iterator[str]:
        """Say, in rove's words, how it was read, where that is not just over HTTP."""
        if self.reason:
            yield f"Read with the browser: {self.reason}."
        yield from self.page.notes if self.page is not None else ()
        if self.unused:
            yield f"The browser was not used, as asked, although {self.unused}."
        if self.answer is not None and self.answer.cache_note:
            yield self.answer.cache_note
        if self.answer is not None and self.answer.missing:
            yield f"Incomplete: {self.answer.missing}. This is the part that arrived."
        if self._is_downgraded:
            yield "A redirect led from https: to http:, which anyone on the way can read and change."

    @property
    def _is_downgraded(self) -> bool:
        chain = [*self.hops, self.url]
        return any(one.startswith("https:") and other.startswith("http:") for one, other in pairwise(chain))
