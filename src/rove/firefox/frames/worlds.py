"""The sandboxes of a page's frames."""

from __future__ import annotations

import asyncio
from typing import Any

from rove.firefox.frames.world import World
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.page.frames import worlds
from rove.page.frames.worlds import FRAME_TIMEOUT, MAX_FRAMES
from rove.refs import RefNumbers


class Worlds(worlds.Worlds[World]):
    """The worlds of one tab's frames; each frame is a browsing context of its own."""

    def __init__(self, channel: PageChannel, numbers: RefNumbers) -> None:
        super().__init__(World(channel, channel.context, "", None, numbers=numbers))
        self._channel = channel
        self._attached: set[str] = set()

    def listen(self) -> None:
        """Follow the frames that Firefox reports."""
        self._channel.on("browsingContext.contextCreated", lambda event: self._on_created(event["context"]))
        self._channel.on("browsingContext.contextDestroyed", lambda event: self._on_destroyed(event["context"]))

    def _on_created(self, frame: str) -> None:
        if frame != self.main.frame_id:
            self._attached.add(frame)
            self.note_frame()

    def _on_destroyed(self, frame: str) -> None:
        self._attached.discard(frame)
        self._changes += 1

    def has_frame(self, frame: str) -> bool:
        return frame == self.main.frame_id or frame in self._attached

    async def refresh(self, timeout: float = FRAME_TIMEOUT) -> list[World]:
        """Ask Firefox which frames there are; return all worlds but the main one, parents first."""
        changes, found = self._changes, {self.main.frame_id: self.main}
        answer = await self._channel.send("browsingContext.getTree", {"root": self.main.frame_id}, timeout=timeout * 2)
        queue: list[tuple[dict[str, Any], World]] = [
            (child, self.main) for tree in answer["contexts"] for child in tree.get("children") or ()
        ]
        while queue and len(found) < MAX_FRAMES:
            node, parent = queue.pop(0)
            world = found[node["context"]] = self._world(node["context"], parent)
            queue += [(child, world) for child in node.get("children") or ()]
        self._by_frame, self._refreshed_at_change = found, changes
        await self._find_unresponsive(timeout)
        return [world for world in found.values() if world is not self.main]

    async def _find_unresponsive(self, timeout: float) -> None:
        """Note which frames do not answer: each may be in a process of its own, and hang there."""
        below = [world for world in self._by_frame.values() if world is not self.main]
        answers = await asyncio.gather(*(_answers(world, timeout) for world in below))
        for world, answers_now in zip(below, answers, strict=True):
            world.is_unresponsive = not answers_now

    def _world(self, frame_id: str, parent: World) -> World:
        if (known := self._by_frame.get(frame_id)) is not None:
            known.parent = parent
            return known
        number = self.main.numbers.add_frame(self.main.numbered)
        world = World(self._channel, frame_id, f"f{number}", parent)
        world.redact = self.main.redact
        return world


async def _answers(world: World, timeout: float) -> bool:
    try:
        async with asyncio.timeout(timeout):
            await world.channel.send(
                "script.evaluate",
                {
                    "expression": "1",
                    "target": {"context": world.frame_id, "sandbox": "rove-probe"},
                    "awaitPromise": False,
                    "resultOwnership": "none",
                },
            )
    except TimeoutError:
        return False
    except BidiError:
        return True  # the frame is gone, which the next call tells
    return True
