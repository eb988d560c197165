"""The isolated worlds of a page's frames, in the page's process and in others."""

from __future__ import annotations

import asyncio

from rove.chromium.frames.frame_trees import has_failed, request_tree, tree_of
from rove.chromium.frames.world import World
from rove.chromium.protocol.connection import CdpResult, CdpSession
from rove.page.frames import worlds
from rove.page.frames.world import WORLD
from rove.page.frames.worlds import FRAME_TIMEOUT, MAX_FRAMES
from rove.refs import RefNumbers


class Worlds(worlds.Worlds[World]):
    """The worlds of one tab's frames, whichever process each runs in."""

    def __init__(self, cdp: CdpSession, main_frame: str, numbers: RefNumbers) -> None:
        super().__init__(World(cdp, main_frame, "", None, numbers=numbers))
        self._cdp = cdp
        # The CDP sessions of frames in processes of their own, by frame id, and the commands sent to them.
        self._out_of_process: dict[str, CdpSession] = {}
        self._tree_requests: dict[str, asyncio.Task[CdpResult]] = {}
        # All frames, in a snapshot or not, and the latest contexts of each: the page's own (True) and rove's (False).
        self._attached: set[str] = set()
        self._contexts: dict[tuple[str, bool], tuple[CdpSession, int]] = {}

    def listen(self, cdp: CdpSession) -> None:
        """Follow the frames and contexts that a CDP session reports."""
        cdp.on("Page.frameAttached", lambda event: self._attached.add(event["frameId"]))
        cdp.on("Page.frameDetached", lambda event: self._on_frame_detached(event["frameId"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context_created(cdp, event["context"]))

    def _on_frame_detached(self, frame: str) -> None:
        self._attached.discard(frame)
        self._changes += 1
        for is_page in (True, False):
            self._contexts.pop((frame, is_page), None)

    def _on_context_created(self, cdp: CdpSession, context: CdpResult) -> None:
        frame, is_page = context["auxData"].get("frameId", ""), bool(context["auxData"].get("isDefault"))
        if is_page or context["name"] == WORLD:
            self._contexts[frame, is_page] = cdp, context["id"]
            if (world := self._by_frame.get(frame)) is not None:
                self._apply_context(world, is_page)

    def _apply_context(self, world: World, is_page: bool) -> None:
        cdp, context = self._contexts.get((world.frame_id, is_page), (None, 0))
        if cdp is not world.cdp:
            return
        if is_page:
            world.page_context, world.listener_probe = context, None
        else:
            world.set_context(context)

    def has_frame(self, frame: str) -> bool:
        return frame == self.main.frame_id or frame in self._attached or frame in self._out_of_process

    def add_out_of_process_frame(self, frame: str, cdp: CdpSession) -> None:
        """Add a frame that runs in a process of its own, with its CDP session."""
        self.note_frame()
        self._out_of_process[frame] = cdp
        cdp.on("closed", lambda _: self._remove_out_of_process_frame(frame))

    def _remove_out_of_process_frame(self, frame: str) -> None:
        self._changes += 1  # a frame that moves back into the page's process needs another world
        self._out_of_process.pop(frame, None)

    @property
    def may_hang_apart(self) -> bool:
        return bool(self._out_of_process)

    @property
    def cdp_sessions(self) -> list[CdpSession]:
        """The CDP sessions of the frames in processes of their own."""
        return list(self._out_of_process.values())

    async def refresh(self, timeout: float = FRAME_TIMEOUT) -> list[World]:
        """Ask the browser which frames there are; return all worlds but the main one, parents first."""
        changes = self._changes
        worlds: dict[str, World] = {self.main.frame_id: self.main}
        own, trees = await asyncio.gather(self._cdp.send("Page.getFrameTree"), self._out_of_process_trees(timeout))
        self._collect(self._cdp, self.main, own["frameTree"], worlds)
        for frame_id, tree in trees.items():
            cdp = self._out_of_process.get(frame_id)
            if cdp is not None and frame_id not in worlds:
                self._collect_out_of_process(cdp, frame_id, tree, worlds)
        self._by_frame, self._refreshed_at_change = worlds, changes
        return [world for world in worlds.values() if world is not self.main]

    async def _out_of_process_trees(self, timeout: float) -> dict[str, CdpResult | None]:
        """Return the frame tree of each other process, by its frame; None where the process does not answer.

        A process gets no second command before it has answered the first, so one that hangs costs one timeout only.
        """
        frames = list(self._out_of_process.items())[:MAX_FRAMES]
        running = {frame_id: task for frame_id, task in self._tree_requests.items() if not task.done()}
        new = {frame_id: request_tree(cdp) for frame_id, cdp in frames if frame_id not in running}
        self._tree_requests = requests = {**running, **new}
        if new:
            await asyncio.wait(new.values(), timeout=timeout)
        return {frame_id: tree_of(requests[frame_id]) for frame_id, _ in frames if not has_failed(requests[frame_id])}

    def _collect_out_of_process(
        self, cdp: CdpSession, frame_id: str, tree: CdpResult | None, worlds: dict[str, World]
    ) -> None:
        if tree is None:
            known = self._by_frame.get(frame_id)
            parent = known.parent if known else None
            worlds[frame_id] = self._world(cdp, frame_id, parent if isinstance(parent, World) else self.main)
            worlds[frame_id].is_unresponsive = True
            return
        world = self._world(cdp, frame_id, worlds.get(tree["frame"].get("parentId", ""), self.main))
        world.is_unresponsive = False
        worlds[frame_id] = world
        self._collect(cdp, world, tree, worlds)

    def _collect(self, cdp: CdpSession, root: World, tree: CdpResult, worlds: dict[str, World]) -> None:
        queue = [(child, root) for child in tree.get("childFrames", [])]
        while queue and len(worlds) < MAX_FRAMES:
            node, parent = queue.pop(0)
            frame_id = node["frame"]["id"]
            world = self._world(cdp, frame_id, parent)
            worlds[frame_id] = world
            queue += [(child, world) for child in node.get("childFrames", [])]

    def _world(self, cdp: CdpSession, frame_id: str, parent: World) -> World:
        known = self._by_frame.get(frame_id)
        if known is not None and known.cdp is cdp:
            known.parent = parent
            return known
        if known is None:
            number = self.main.numbers.add_frame(self.main.numbered)
            world = World(cdp, frame_id, f"f{number}", parent)
        else:
            # The frame has moved to another process: its refs continue where they were.
            world = World(cdp, frame_id, known.prefix, parent, numbers=known.numbers, numbered=known.numbered)
        world.redact = self.main.redact
        for is_page in (True, False):
            self._apply_context(world, is_page)
        return world
