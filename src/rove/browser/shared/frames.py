"""The frames of a page, and rove's script in each of them.

Every frame has a world, in which `page_script` is installed, out of reach of the page's own scripts where the engine
can isolate it. All that drives a page calls functions of that script and gets plain values.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any, Generic, TypeVar

from rove.browser.failures import BrowserError
from rove.browser.page_data import Box
from rove.browser.refs import NumberedDocument, RefNumbers
from rove.errors import ElementGone, ElementNotReady, InvalidArguments, ScriptFailed
from rove.outcome import origin_in
from rove.page_text import NOWHERE, PageText
from rove.target import Ref, parse_target

WEB = ("http://", "https://")
# More frames than that were attached by a page that does so on purpose: the oldest are forgotten.
MAX_KNOWN_ORIGINS = 2000
EMPTY = ("", "about:blank")
R = TypeVar("R")
# The name of rove's world in a page.
WORLD = "rove"
# What happened to a document that another has replaced.
LEFT = "the tab has left that page, or loaded it again, since"
# Returns a text as the words of the page or frame that a script runs in.
Quote = Callable[[str], PageText]
# Further frames of a page are left out.
MAX_FRAMES = 60
# Seconds that a frame may take to answer.
FRAME_TIMEOUT = 2.0
FRAME_ORIGIN = "(ref, x, y) => rove.frameOrigin(ref, x, y)"


class FrameOrigins:
    """Follows the documents of all frames.

    `page_url` returns the address of the page itself; `may_read`, whether the agent may read an origin.
    """

    def __init__(
        self, main_frame: str, page_url: Callable[[], str], may_read: Callable[[str], bool] = lambda origin: True
    ) -> None:
        self._main_frame = main_frame
        self._may_read = may_read
        self._page_url = page_url
        # The address that was asked about last, and its origin if it is one of the web.
        self._last_url = self._last_origin = ""
        # The origin of the main document, for one whose address does not tell it.
        self._page_origin = ""
        self._origins: dict[str, str] = {}
        # All origins that frames of this document have had: what one shows may be written by the one before it.
        self._past: dict[str, str] = {}

    @property
    def page(self) -> str:
        """The origin of the page that the tab shows.

        `about:blank` and `blob:` have that of the document which made them, and an error page that of the address
        which could not be loaded.
        """
        url = self._page_url()
        if url is not self._last_url:
            self._last_url, self._last_origin = url, origin_in(url) if url.startswith(WEB) else ""
        return self._last_origin or self._page_origin or origin_in(url)

    @property
    def all(self) -> frozenset[str]:
        """The origins that the page and its frames have, or have had since the page was loaded."""
        return frozenset({self.page, *self._past})

    def inherit(self, origin: str) -> None:
        """Note the origin of the opener, which is that of an empty window until it loads a document."""
        self._page_origin = self._page_origin or web_origin(origin)

    def of(self, frame: str | None) -> str:
        """Return the origin of a frame, or of any if the frame is not known."""
        return self.page if frame == self._main_frame else self._origins.get(frame or "") or self.of_any

    def of_document(self, url: str, frame: str | None = None) -> str:
        """Return the origin of a document by its address, or by its frame if the address does not tell."""
        return web_origin(url) or self.of(frame)

    @property
    def of_any(self) -> str:
        """The origin of words that any frame may have written.

        It is one that may not be read, if there is one, or the one that all frames have in common; else NOWHERE.
        """
        unread = sorted(origin for origin in self.all if not self._may_read(origin))
        return unread[0] if unread else self.page if self.all == frozenset((self.page,)) else NOWHERE

    def start_document(self) -> None:
        """Forget the frames of the document that was replaced."""
        self._origins.clear()
        self._past.clear()

    def note_document(self, frame: str, parent: str | None, url: str, *other_addresses: str) -> None:
        """Note that a frame shows another document. `other_addresses`: where its words are from if `url` says nothing.

        What a sandboxed frame says is the words of the server at its address, though its origin is opaque.
        """
        origin = next(filter(None, map(web_origin, (url, *other_addresses))), "")
        if not origin and url.startswith("about:"):
            # The page around it has written it, or the document that was there before.
            origin = self._page_origin if frame == self._main_frame else self.of(parent)
        self._note(frame, origin)

    def note_realm(self, frame: str, realm_origin: str) -> None:
        """Note the origin that the browser gives for the scripts of a frame's document."""
        origin = web_origin(realm_origin)
        if frame == self._main_frame and (origin or self._page_url().startswith("about:")):
            self._page_origin = origin
        elif frame != self._main_frame and (origin or frame not in self._origins):
            self._note(frame, origin)

    def _note(self, frame: str, origin: str) -> None:
        if frame == self._main_frame:
            self._page_origin = origin
            return
        self._origins.pop(frame, None)
        # An opaque origin, as that of a sandboxed frame, is written as `null`.
        self._origins[frame] = origin or "null"
        self._past[self._origins[frame]] = ""
        bound(self._origins)
        bound(self._past)


def web_origin(url: str) -> str:
    """Return the origin of an address of the web, or of what a document of the web made; empty if it has none."""
    inner = url.removeprefix("blob:")
    return origin_in(inner) if inner.startswith(WEB) else ""


def bound(known: dict[Any, str]) -> None:
    """Forget the oldest entry of too many."""
    if len(known) > MAX_KNOWN_ORIGINS:
        del known[next(iter(known))]


class FrameOrder:
    """Numbers frames in the order in which they were attached; the main frame is 0 at first.

    The main frame gets another number with each document after its first, so that no ref is given twice.
    """

    def __init__(self, main_frame: str) -> None:
        self._main = main_frame
        self._numbers = {main_frame: 0}
        self._count = 1
        self._url = ""

    def note_document(self, frame: str, url: str) -> None:
        """Note that a frame shows another document."""
        if frame == self._main:
            if self._url not in EMPTY:
                self._numbers[self._main] = self._take()
            self._url = url

    def number(self, frame: str) -> int:
        """Return the number of a frame."""
        if frame not in self._numbers:
            self._numbers[frame] = self._take()
        return self._numbers[frame]

    def _take(self) -> int:
        self._count += 1
        return self._count - 1

    def prefix(self, frame: str) -> str:
        """Return what the refs of a frame begin with: `f2`, nothing for the frame 0."""
        number = self.number(frame)
        return f"f{number}" if number else ""


class Document(ABC):
    """One document of a frame; a call never reaches a document that replaces it."""

    # Whose words it has.
    origin: str

    @abstractmethod
    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function with plain arguments and return a plain value; raise ElementGone if the document is gone."""


class DocumentScript(ABC):
    """A statement that runs in rove's world of each document that loads while the script is in use."""

    def __init__(self, source: str) -> None:
        self.source = source
        # Whether it is in use, also in frames that appear from now on; set before the frames are listed for `begin`.
        self.is_on = False

    @abstractmethod
    async def begin(self, worlds: Sequence[World]) -> None:
        """Run it in the documents that will load in these frames, or in frames inside them.

        A frame that does not answer in time is marked as unresponsive. Raises BrowserError if the page itself fails.
        """

    @abstractmethod
    async def end(self) -> None:
        """Run it no more."""


class World(ABC):
    """Rove's script in one frame, whatever document the frame shows.

    `channel` is what answers for the frame: frames of different ones are asked at the same time.
    """

    def __init__(
        self,
        channel: object,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
        numbered: NumberedDocument | None = None,
    ) -> None:
        self.channel = channel
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


W_co = TypeVar("W_co", bound=World, covariant=True)


class Worlds(ABC, Generic[W_co]):
    """The worlds of one tab; its engine reports frames as they come and go."""

    def __init__(self, main: W_co) -> None:
        self._main = main
        self._by_frame: dict[str, W_co] = {main.frame_id: main}
        # Whether the main document has had frames, how often its frames changed, and that number at the last refresh.
        self._has_frames = False
        self._changes = 0
        self._refreshed_at_change = 0
        # Whether any frame was visible in the last snapshot of the page.
        self.has_visible_frames = False

    @property
    def main(self) -> W_co:
        return self._main

    # Primitives of an engine

    @abstractmethod
    async def refresh(self, timeout: float = FRAME_TIMEOUT) -> list[W_co]:
        """Ask the browser which frames there are; return all worlds but the main one, parents first."""

    @property
    def may_hang_apart(self) -> bool:
        """Whether a frame may hang while the page answers, as one in a process of its own does."""
        return self._has_frames

    @abstractmethod
    def has_frame(self, frame: str) -> bool:
        """Return whether the tab has a frame, which may be left out of its worlds."""

    # What follows from them

    def note_frame(self) -> None:
        """Note that there is a new frame, so that the next use of the frames refreshes them."""
        self._has_frames = True
        self._changes += 1

    def with_prefix(self, prefix: str) -> W_co:
        """Return the world whose refs have a prefix; raise what became of it if there is none."""
        for world in self._by_frame.values():
            if world.prefix == prefix:
                return world
        raise self.main.numbers.missing_frame(prefix, self.main.numbered)

    def set_tab(self, tab: str) -> None:
        """Note the id of the tab, by which an error can say where a ref belongs."""
        self.main.numbered.tab = tab

    def end(self, reason: str) -> None:
        """Note why no ref of this page can be used any more."""
        self.main.numbers.end_document(self.main.numbered, reason)

    def reset(self) -> None:
        """Drop all contexts: the main document has been replaced."""
        self._has_frames = False
        self._changes += 1
        for world in self._by_frame.values():
            world.reset()

    def __iter__(self) -> Iterator[W_co]:
        return iter(self._by_frame.values())

    async def owner(self, world: World) -> str:
        """Return the ref, in the parent's world, of the element that holds a frame."""
        if world.owner is None:
            world.owner = await world.find_owner()
        return world.owner

    async def current(self, timeout: float = FRAME_TIMEOUT) -> list[W_co]:
        """Return the worlds of all frames; ask the browser only if it has reported that frames changed."""
        if not self._has_frames:
            return [self.main]
        if not self._is_up_to_date:
            await self.refresh(timeout)
        return list(self._by_frame.values())

    @property
    def known_subframes(self) -> list[W_co]:
        """All worlds but the main one; empty if frames may have changed since the last refresh."""
        return [world for world in self._by_frame.values() if world is not self.main] if self._is_up_to_date else []

    @property
    def _is_up_to_date(self) -> bool:
        return self._refreshed_at_change == self._changes and not any(world.is_unresponsive for world in self)


async def bounded(world: World, work: Coroutine[Any, Any, Any], is_required: bool) -> Any:
    """Return the result; None if the frame is gone or took too long. The main frame has no time limit of its own."""
    try:
        async with asyncio.timeout(FRAME_TIMEOUT if world.parent else None):
            return await work
    except TimeoutError:
        world.is_unresponsive = True
    except (BrowserError, ScriptFailed):
        if is_required:
            raise
    return None


async def world_inside(worlds: Worlds[World], parent: World, owner_ref: str, line: PageText) -> World | None:
    """Return the world of the frame that an element holds; None where the element holds no document."""
    for world in await worlds.current():
        if world.parent is parent and await worlds.owner(world) == owner_ref:
            if world.is_unresponsive:
                # The frame cannot tell its origin, so the policy cannot decide on it.
                raise ElementNotReady(line, " does not answer.", hint="Wait, then call again.")
            return world
    return None


async def worlds_within(worlds: Worlds[World], frame: World) -> list[World]:
    """Return a frame and all frames inside it."""
    return [world for world in await worlds.current() if frame in _ancestors(world)]


def _ancestors(world: World | None) -> list[World]:
    """Return a world and those around it, the innermost first."""
    ancestors: list[World] = []
    while world is not None:
        ancestors.append(world)
        world = world.parent
    return ancestors


async def frame_transform(
    worlds: Worlds[World], world: World, point: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Return the position of a frame's top left corner in the tab's viewport, and its horizontal and vertical scale.

    `point`: the point of the frame that is scrolled into view first.
    """
    x, y, scale_x, scale_y = 0.0, 0.0, 1.0, 1.0
    while world.parent is not None:
        corner = await _corner(worlds, world, x + point[0] * scale_x, y + point[1] * scale_y)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        scale_x, scale_y, world = scale_x * corner["across"], scale_y * corner["down"], world.parent
    return x, y, scale_x, scale_y


async def to_tab_point(worlds: Worlds[World], world: World, x: float, y: float) -> tuple[float, float]:
    """Convert a point of a frame to a point of the tab; raise ElementNotReady if another element covers it there."""
    while world.parent is not None:
        owner, parent = await worlds.owner(world), world.parent
        corner = await _corner(worlds, world, x, y)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        cover = await parent.call("(ref, x, y) => rove.hitsFrame(ref, x, y)", owner, x, y)
        if cover is not None:
            said = PageText(cover, await parent.origin() or NOWHERE)
            raise ElementNotReady(f"The frame {world.prefix} is covered at that point by ", said, ".")
        world = parent
    return x, y


async def box_of(worlds: Worlds[World], ref: str) -> Box:
    """Return where the element of a ref is in the viewport now, without scrolling."""
    target = parse_target(ref)
    if not isinstance(target, Ref):
        raise InvalidArguments(f"`ref`: {ref!r} is not a ref.")
    return await box_in_tab(worlds, worlds.with_prefix(target.frame), target.local)


async def box_in_tab(worlds: Worlds[World], world: World, ref: str) -> Box:
    """Return where the element of a ref is in the tab's viewport now, without scrolling. Raises ElementGone."""
    box = await _read_box(world, "boxNow", ref)
    while world.parent is not None:
        frame = await _read_box(world.parent, "frameBoxNow", await worlds.owner(world))
        box = {
            "x": frame["x"] + box["x"] * frame["across"],
            "y": frame["y"] + box["y"] * frame["down"],
            "width": box["width"] * frame["across"],
            "height": box["height"] * frame["down"],
        }
        world = world.parent
    return box


async def _read_box(world: World, question: str, ref: str) -> Box:
    box: dict[str, Any] = await world.call(f"ref => rove.{question}(ref)", ref)
    if "gone" in box:
        raise ElementGone(f"{world.prefix}{ref} is no longer on the page.")
    return {side: number for side, number in box.items() if isinstance(number, int | float)}


async def _corner(worlds: Worlds[World], world: World, x: float, y: float) -> dict[str, float]:
    """Scroll a point of a frame into view; return the frame's corner and scale in its parent."""
    assert world.parent is not None
    corner: dict[str, float] = await world.parent.call(FRAME_ORIGIN, await worlds.owner(world), x, y)
    if "gone" in corner:
        raise ElementGone(f"The frame {world.prefix} is no longer on the page.")
    return corner
