"""The frames of a page, found by the elements that hold them."""

from __future__ import annotations

import asyncio
from typing import Any

from rove.page.frames import worlds
from rove.page.frames.worlds import FRAME_TIMEOUT, MAX_FRAMES
from rove.refs import RefNumbers
from rove.webkit.frames.commands import FIND, PageCommands, execute
from rove.webkit.frames.world import World
from rove.webkit.protocol.driver import ELEMENT, Place
from rove.webkit.protocol.failures import WebDriverError

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


class Worlds(worlds.Worlds[World]):
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
