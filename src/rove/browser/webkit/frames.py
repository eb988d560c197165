"""The frames of a page, and rove's script in each: in the page's own world, as WebDriver has no isolated ones."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from rove.browser.refs import RefNumbers
from rove.browser.shared import frames
from rove.browser.shared.frames import FRAME_ORIGIN, FRAME_TIMEOUT, MAX_FRAMES, Quote
from rove.browser.shared.frames import World as SharedWorld
from rove.browser.webkit.connection import ELEMENT, DocumentGone, Place, WebDriverError
from rove.browser.webkit.evaluation import FIND, MISSING, PageCommands, evaluate_with, execute, install, run_call
from rove.errors import ElementGone, ScriptFailed
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

MAX_ATTEMPTS = 4
# Functions of rove's script that give an element the focus.
_FOCUSING = ("rove.fillIn(", "rove.focusOn(")
# The centre of an element that has not the focus, in a document of another origin than the one around it.
_UNFOCUSED_CENTRE = """ref => {
  const element = rove.element(ref);
  if (!element || element === document.activeElement) return null;
  try { if (parent.document) return null; } catch {}
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""

# Numbers are given to elements that hold frames, so that the next free one is told too.
_LIST_FRAMES = f"""{FIND}
if (!rove || window.length === 0) return [];
const found = [];
const search = (root) => {{
  for (const element of root.querySelectorAll("*")) {{
    if (/^(iframe|frame|object|embed)$/.test(element.localName)) found.push(element);
    if (element.shadowRoot) search(element.shadowRoot);
  }}
}};
search(document);
rove.startRefs(arguments[0]);
const source = (element) => new URL(element.src || element.data || "about:blank", document.baseURI).href;
return [rove.startRefs(0), ...found.slice(0, arguments[1]).map((each) => [rove.ref(each), each, source(each)])]
  .concat([rove.startRefs(0)]);"""


class _AnotherDocument(DocumentGone):
    """The frame shows another document than at the last call; the call is made again."""


class World(frames.World):
    """The script in one frame, installed when it is first needed and again after each navigation."""

    def __init__(
        self,
        page: PageCommands,
        place: Place,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
    ) -> None:
        super().__init__(page, frame_id, prefix, parent, numbers)
        self._page = page
        self.place = place
        # The document that answered last, by the number that rove's script has given it.
        self.document_id = ""
        # The address that the element which holds the frame names.
        self.source = ""

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function expression with plain arguments and return a plain value. No call gives a user activation."""
        if self.parent is not None and any(name in function for name in _FOCUSING):
            await self._give_focus(str(arguments[0]))
        return self.redact(await self.raw_call(function, *arguments))

    async def _give_focus(self, ref: str) -> None:
        """Click a field in a frame of another origin: WebKit lets no script focus it without a user's hand."""
        centre = await self.raw_call(_UNFOCUSED_CENTRE, ref)
        if centre is not None:
            await self._scroll_into_tab(*centre)
            with contextlib.suppress(WebDriverError):  # what cannot be clicked is told by the call after this
                await self._page.send_to(self.place, "POST", f"/element/{await self.element_id(ref)}/click")

    async def _scroll_into_tab(self, x: float, y: float) -> None:
        """Scroll the pages around this frame until a point of it is in view: the driver scrolls only the frame."""
        world: World = self
        while world.parent is not None:
            assert isinstance(world.parent, World), "frames of one page"
            corner = await world.parent.raw_call(FRAME_ORIGIN, world.owner, x, y)
            x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
            world = world.parent

    async def raw_call(self, function: str, *arguments: Any) -> Any:
        """Call like `call`, with the answer as it is."""
        number, attempts = self._page.next_call(), 0
        while True:
            try:
                answer = await self._numbered(function, number, arguments)
                break
            except _AnotherDocument:
                attempts += 1
                if attempts >= MAX_ATTEMPTS:
                    raise
            except DocumentGone:
                if self.parent is not None or not self.document_id or attempts:
                    raise
                attempts += 1  # another document may have replaced the one that was there, so try once more in that one
        if "thrown" in answer:
            raise ScriptFailed(PageText(answer["thrown"], NOWHERE))
        return answer.get("value")

    async def _numbered(self, function: str, number: int, arguments: tuple[Any, ...]) -> dict[str, Any]:
        async def send(first: int) -> dict[str, Any]:
            return await self._answer(function, number, first, [*arguments])

        return await self.send_numbered(send, lambda answer: answer.get("next"))

    async def _answer(self, function: str, number: int, first: int, arguments: list[Any]) -> dict[str, Any]:
        answer = await run_call(self._page, self.place, function, number, first, arguments)
        if answer == MISSING:
            await self._enter(await install(self._page, self.place))
        elif answer["document"] != self.document_id:
            await self._note_document()
        else:
            return dict(answer)
        # The numbers of the call were kept free for the document that was there before.
        raise _AnotherDocument("no such document", "one document follows the other")

    async def _note_document(self) -> None:
        """Note a document that rove's script was installed in before: one that the page went back to."""
        state = await run_call(self._page, self.place, "() => rove.documentState()", self._page.next_call(), 0, [])
        if state != MISSING and "value" in state:
            await self._enter(state["value"])

    async def _enter(self, state: dict[str, Any]) -> None:
        if state["id"] == self.document_id:
            return
        if self.parent is None:
            self.document_id = state["id"]
            await self._page.enter_document(state)
        else:
            self._replace(state["id"])
            # A document without an address that tells whose it is was made by the one that was there before.
            self._page.note_frame(self.frame_id, self.parent.frame_id, state["url"], self.source)

    def _replace(self, identity: str) -> None:
        if self.document_id:
            self.reset()
        self.document_id = identity

    async def document(self) -> Document:
        """Return the current document, for calls that must not reach the document after it."""
        origin: str = await self.raw_call("() => self.origin")
        return Document(self, self.document_id, origin)

    async def ref_of_node(self, node: Any) -> str:
        """Return the ref of an element that rove's script has reported, which is what it reports it by."""
        return str(node)

    async def find_owner(self) -> str:
        """Return the ref, in the parent's world, of the element that holds the frame."""
        raise WebDriverError("no such frame", "the element that holds it is known when the frame is listed")

    async def prepare_listeners(self) -> None:
        """Do nothing: WebDriver does not tell which elements have listeners."""

    async def wait_for_press_listener(self, ref: str, seconds: float) -> bool:
        return False

    async def open_closed_roots(self) -> bool:
        """Return False: WebDriver opens no closed shadow roots."""
        return False

    async def open_focused_root(self) -> bool:
        return False

    async def element_id(self, ref: str) -> str:
        """Return WebDriver's id of an element. Raises ElementGone."""
        answer = await execute(self._page, self.place, f"{FIND}\nreturn rove ? rove.element(arguments[0]) : null;", ref)
        if not isinstance(answer, dict) or ELEMENT not in answer:
            raise ElementGone(f"{self.prefix}{ref} is no longer on the page.")
        identity: str = answer[ELEMENT]
        return identity

    async def evaluate_with(self, ref: str, expression: str, quote: Quote, await_promise: bool) -> Any:
        """Run the caller's JavaScript in the page, with an element as its argument."""
        element = {ELEMENT: await self.element_id(ref)}
        return await evaluate_with(self._page, self.place, expression, element, quote, await_promise)

    async def set_files(self, files: list[str], ref: str | None = None, node: Any = None) -> None:
        """Put files into a file input, given by its ref, by which rove's script reports it too."""
        ref = str(node) if ref is None else ref
        element = await self.element_id(ref)
        # WebDriver adds to the files that a field for several has, in place of replacing them.
        await self.call("ref => rove.clearFiles(ref)", ref)
        await self._page.send_to(self.place, "POST", f"/element/{element}/value", {"text": "\n".join(files)})


@dataclass(frozen=True)
class Document(frames.Document):
    """One document of a frame; a call does not reach a document that replaces it."""

    world: World
    identity: str
    origin: str

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function with plain arguments and return a plain value; raise ElementGone if the document is gone."""
        checked = f"(identity, ...rest) => rove.documentState().id === identity ? [({function})(...rest)] : null"
        awaited = f"async (...all) => {{ const found = ({checked})(...all); return found && [await found[0]]; }}"
        try:
            answer = await self.world.raw_call(awaited, self.identity, *arguments)
        except WebDriverError as error:
            raise ElementGone("The page went away before that could be done.") from error
        if answer is None:
            raise ElementGone("The page went away before that could be done.")
        return answer[0]


class Worlds(frames.Worlds[World]):
    """The worlds of one tab. WebDriver reports no frames, so that they are looked for whenever they are needed."""

    def __init__(self, page: PageCommands, window: str, numbers: RefNumbers) -> None:
        super().__init__(World(page, Place(window), window, "", None, numbers))
        self._page = page

    async def current(self, timeout: float = FRAME_TIMEOUT) -> list[World]:
        await self.refresh(timeout)
        return list(self._by_frame.values())

    def has_frame(self, frame: str) -> bool:
        return frame in self._by_frame

    async def refresh(self, timeout: float = FRAME_TIMEOUT) -> list[World]:
        """Look for the frames that there are; return all worlds but the main one, parents first."""
        found: dict[str, World] = {self.main.frame_id: self.main}
        queue = [self.main]
        while queue and len(found) < MAX_FRAMES:
            parent = queue.pop(0)
            for ref, element, source in await self._frames_in(parent, timeout):
                if len(found) < MAX_FRAMES:
                    world = self._world(parent, ref, element, source)
                    found[world.frame_id] = world
                    queue.append(world)
        self._by_frame, self._has_frames = found, len(found) > 1
        self._refreshed_at_change = self._changes
        return [world for world in found.values() if world is not self.main]

    async def _frames_in(self, parent: World, timeout: float) -> list[tuple[str, str, str]]:
        try:
            async with asyncio.timeout(timeout if parent.parent else None):
                answer = await self._list(parent)
        except TimeoutError:
            parent.is_unresponsive = True
            return []
        except WebDriverError:
            if parent.parent is None:
                raise
            return []  # the frame has gone, or holds no document
        parent.is_unresponsive = False
        return answer

    async def _list(self, parent: World) -> list[tuple[str, str, str]]:
        if await parent.raw_call("() => window.length") == 0:
            return []

        async def send(first: int) -> list[Any]:
            return list(await execute(self._page, parent.place, _LIST_FRAMES, first, MAX_FRAMES) or [])

        answer = await parent.send_numbered(send, lambda answer: answer[-1] if answer else None)
        return [(each[0], each[1][ELEMENT], str(each[2])) for each in answer if isinstance(each, list)]

    def _world(self, parent: World, ref: str, element: str, source: str) -> World:
        """Return the world of a frame. `source`: the address that the element which holds it names."""
        # A ref is never given to another element of the document, whose id is random.
        identity = f"{parent.frame_id}/{parent.document_id}{ref}"
        place = Place(parent.place.window, (*parent.place.frames, element))
        known = self._by_frame.get(identity)
        if known is not None:
            known.parent, known.place = parent, place
            return known
        number = self.main.numbers.add_frame(self.main.numbered)
        world = World(self._page, place, identity, f"f{number}", parent)
        world.owner, world.redact, world.source = ref, self.main.redact, source
        # One that runs no scripts tells nothing of its document.
        self._page.note_frame(identity, parent.frame_id, source)
        return world


class DocumentScript(frames.DocumentScript):
    """A statement that runs in each document that loads while it is in use, once rove's script is installed there.

    WebDriver runs nothing ahead of the page's own scripts, so that the first moments of a document are without it.
    """

    async def begin(self, worlds: Sequence[SharedWorld]) -> None:
        """Do nothing: documents that load are given it when rove's script is."""

    async def end(self) -> None:
        self.is_on = False
