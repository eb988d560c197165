"""Rove's script in one frame of a page, and what an engine gives of the frame besides.

Every frame has a world, in which `page_script` is installed, out of reach of the page's own scripts where the engine
can isolate it. All that drives a page calls functions of that script and gets plain values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from rove.browser.failures import BrowserError
from rove.page_text import PageText
from rove.refs import NumberedDocument, RefNumbers

R = TypeVar("R")
# The name of rove's world in a page.
WORLD = "rove"
# What happened to a document that another has replaced.
LEFT = "the tab has left that page, or loaded it again, since"
# Returns a text as the words of the page or frame that a script runs in.
Quote = Callable[[str], PageText]


class Document(Protocol):
    """One document of a frame; a call never reaches a document that replaces it."""

    @property
    def origin(self) -> str: ...
    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function with plain arguments and return a plain value; raise ElementGone if the document is gone."""
        ...


class DocumentScript(Protocol):
    """A statement that runs in rove's world of each document that loads while the script is in use.

    `is_on`: whether it is in use, also in frames that appear from now on; set before the frames are listed for `begin`.
    """

    is_on: bool

    async def begin(self, worlds: Sequence[World], /) -> None:
        """Run it in the documents that will load in these frames, or in frames inside them.

        A frame that does not answer in time is marked as unresponsive. Raises BrowserError if the page itself fails.
        """

    async def end(self) -> None: ...


class World(ABC):
    """Rove's script in one frame, whatever document the frame shows."""

    def __init__(
        self,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
        numbered: NumberedDocument | None = None,
    ) -> None:
        self.frame_id = frame_id
        self.prefix = prefix
        self.parent = parent
        # The ref, in the parent's world, of the element that holds the frame, once it is known.
        self.owner: str | None = None
        self.numbers = numbers or RefNumbers()
        self.numbered = numbered or NumberedDocument("")
        # The number that the page gave to the last snapshot of the frame.
        self.snapshot_number = 0
        # Whether the frame has not answered the last command.
        self.is_unresponsive = False
        # Removes secrets from each answer of the script.
        self.redact: Callable[[Any], Any] = _unchanged
        # The next free number that the last answer gave.
        self._next_ref = 0

    # Primitives of an engine

    @property
    @abstractmethod
    def process(self) -> object:
        """What answers for the frame: frames of different ones are asked at the same time."""

    @abstractmethod
    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function expression in the world with plain arguments and return a plain value.

        `as_user`: it does what a user would do by hand, so that the page gets a user activation.
        """

    @abstractmethod
    async def document(self) -> Document:
        """Return the current document, for calls that must not reach the document after it. Answers are as they are."""

    @abstractmethod
    async def ref_of_node(self, node: Any) -> str:
        """Return the ref of an element that the engine has named in an event."""

    @abstractmethod
    async def find_owner(self) -> str:
        """Return the ref, in the parent's world, of the element that holds the frame."""

    @abstractmethod
    async def prepare_listeners(self) -> None:
        """Let rove's script know which elements listen for presses, as far as the engine can tell."""

    @abstractmethod
    async def wait_for_press_listener(self, ref: str, seconds: float) -> bool:
        """Wait until an element, or one around it, listens for presses; return whether there was a need to wait."""

    @abstractmethod
    async def open_closed_roots(self) -> bool:
        """Give rove's script access to the closed shadow roots that it knows of; return whether there were any."""

    @abstractmethod
    async def open_focused_root(self) -> bool:
        """Give rove's script access to the closed shadow root that has the focus; return whether there is one."""

    @abstractmethod
    async def evaluate_with(self, ref: str, expression: str, quote: Quote, await_promise: bool) -> Any:
        """Run the caller's JavaScript in the page's own world, with an element as its argument."""

    @abstractmethod
    async def set_files(self, files: list[str], ref: str | None = None, node: Any = None) -> None:
        """Put files into a file input, given by its ref or as the engine has named it in an event."""

    # What follows from them

    async def origin(self) -> str | None:
        """Return the document's origin; for `about:blank` that is the opener's, which the URL does not show."""
        origin: str = await self.call("() => self.origin")
        return None if origin == "null" else origin

    async def origins(self) -> tuple[str | None, ...]:
        """Return the document's origin; for an opaque one (None), as of a sandbox, also the origin of its URL."""
        origin, url_origin = await self.call("() => [self.origin, location.origin]")
        if origin != "null":
            return (origin,)
        return (None,) if url_origin == "null" else (None, url_origin)

    def reset(self) -> None:
        """Drop all that belonged to the last document: it is gone."""
        self.numbers.end_document(self.numbered, LEFT)
        self.numbered = NumberedDocument(self.numbered.tab)

    async def send_numbered(self, send: Callable[[int], Awaitable[R]], following: Callable[[R], int | None]) -> R:
        """Return the answer of a call that numbers elements from the number on that `send` is called with.

        `following` reads the next free number from the answer; None if the call has thrown. Refs continue after those
        of the last document, so that an old ref never means a new element. If the call is cancelled, its numbers stay
        kept free for it.
        """
        document = self.numbered
        first = self.numbers.begin_call(document)
        try:
            answer = await send(first)
        except BrowserError:
            self.numbers.end_call(document, first, first)
            raise
        after = following(answer) or first
        self.numbers.end_call(document, max(first, self._next_ref), after)
        self._next_ref = max(after, self._next_ref)
        return answer


def numbered_call(function: str) -> str:
    """Return the function that calls another after it has told rove's script from where to number elements."""
    return f"(first, ...rest) => rove.callNumbered(first, {function}, rest)"


def _unchanged(answer: Any) -> Any:
    return answer
