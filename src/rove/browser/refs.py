"""The numbers of refs. A session gives each number once, whatever becomes of its pages, tabs and browser.

A page numbers its elements itself, in each call from a number that it is told. So the numbers of a call that has not
answered are not known: they are kept free for it.
"""

from __future__ import annotations

from dataclasses import field

from rove.errors import ElementGone, ElementNotFound, RoveError
from rove.records import dataclass

# No call numbers more elements than this.
MAX_PER_CALL = 10_000
# Of older numbers it is not known any more what they belonged to.
MAX_RUNS = 1000


class NumberedDocument:
    """A document whose elements have refs: the id of its tab and, once it is gone, what happened to it."""

    def __init__(self, tab: str) -> None:
        self.tab = tab
        self.end = ""


@dataclass
class _Run:
    """The numbers from `first` up to, but not including, `next` belong to one document."""

    first: int
    next: int
    document: NumberedDocument


@dataclass
class RefNumbers:
    """The numbers of the elements in a session's tabs, or in one frame, and the documents that they belong to."""

    next: int = 1
    # How many frames have been numbered, and the documents that the latest of them were in.
    frames: int = 0
    _runs: list[_Run] = field(default_factory=list[_Run])
    _frame_documents: dict[int, NumberedDocument] = field(default_factory=dict[int, NumberedDocument])
    # The calls that have not answered: of each document the first number that is kept free, and how many there are.
    _open: dict[NumberedDocument, tuple[int, int]] = field(default_factory=dict[NumberedDocument, tuple[int, int]])

    def begin_call(self, document: NumberedDocument) -> int:
        """Return the number from which a call may number elements of a document."""
        kept_free = (first for other, (first, _) in self._open.items() if other is not document)
        first = max([self.next, *(other + MAX_PER_CALL for other in kept_free)])
        _, count = self._open.get(document, (first, 0))
        self._open[document] = first, count + 1
        return first

    def end_call(self, document: NumberedDocument, first: int, following: int) -> None:
        """Note that the call has numbered elements from `first` up to, but not including, `following`."""
        _, count = self._open.pop(document, (first, 1))
        if count > 1:
            self._open[document] = following, count - 1
        if following > first:
            self._add_run(first, following, document)
        self.next = max(self.next, following)

    def _add_run(self, first: int, following: int, document: NumberedDocument) -> None:
        last = self._runs[-1] if self._runs else None
        if last is not None and last.document is document and last.next >= first:
            last.next = max(last.next, following)
            return
        self._runs.append(_Run(first, following, document))
        del self._runs[:-MAX_RUNS]

    def add_frame(self, document: NumberedDocument) -> int:
        """Return the number of a frame in a document."""
        self.frames += 1
        self._frame_documents[self.frames] = document
        self._frame_documents.pop(self.frames - MAX_RUNS, None)
        return self.frames

    def end_document(self, document: NumberedDocument, end: str) -> None:
        """Note what happened to a document; numbers that a lost call may have given in it mean nothing now."""
        document.end = document.end or end
        self._open.pop(document, None)

    def end_all(self, end: str) -> None:
        """Note what happened to all documents that are still there."""
        for document in (*(run.document for run in self._runs), *self._frame_documents.values()):
            self.end_document(document, end)
        self._open.clear()

    def continued(self, end: str) -> RefNumbers:
        """Return numbers that continue after these, all of which ended in the same way."""
        document = NumberedDocument("")
        document.end = end
        return RefNumbers(self.next, self.frames, [_Run(1, self.next, document)])

    def missing_element(self, ref: str, document: NumberedDocument) -> RoveError:
        """Return the error for a ref that means no element of a document: it says what became of the element."""
        prefix, _, number = ref.rpartition("e")
        if int(number) >= self.next:
            newest = f"{prefix}e{self.next - 1}" if self.next > 1 else ""
            return _never_given(f"ref {ref}", newest, "no page has been looked at yet")
        run = next((run for run in self._runs if run.first <= int(number) < run.next), None)
        return _gone(ref, run.document if run else None, document)

    def missing_frame(self, prefix: str, document: NumberedDocument) -> RoveError:
        """Return the error for the prefix of a frame that is not in a document."""
        number = int(prefix.removeprefix("f"))
        if number > self.frames:
            newest = f"f{self.frames}" if self.frames else ""
            return _never_given(f"frame {prefix}", newest, "the page has shown no frames")
        return _gone(f"The frame {prefix}", self._frame_documents.get(number), document)


def _never_given(what: str, newest: str, otherwise: str) -> ElementNotFound:
    rest = f"the newest is {newest}" if newest else otherwise
    return ElementNotFound(f"There is no {what}: {rest}.")


def _gone(what: str, owner: NumberedDocument | None, document: NumberedDocument) -> RoveError:
    if owner is None:
        return ElementGone(f"{what} is not on the page; it was given out long ago.")
    if owner is document:
        return ElementGone(f"{what} has been removed from the page.")
    if owner.end:
        return ElementGone(f"{what} cannot be used any more: {owner.end}.")
    return ElementNotFound(
        f"{what} belongs to the tab {owner.tab}, and this is {document.tab}.", hint=f"Pass `tab`: {owner.tab}."
    )
