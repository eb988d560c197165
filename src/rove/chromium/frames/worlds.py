"""Isolated worlds: rove's JavaScript in the frames of a page, out of reach of the page's own scripts.

Every frame has a world, an isolated execution context in which `page_script` is installed. A page that redefines `JSON`
or `Array.prototype` changes only its own context.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from rove.browser.scripts import page_script
from rove.chromium.frames.execution_context import Call, ExecutionContext, exception_text
from rove.chromium.frames.frame_trees import has_failed, request_tree, tree_of
from rove.chromium.protocol.connection import CdpError, CdpResult, CdpSession
from rove.errors import ScriptFailed
from rove.page_text import NOWHERE, PageText
from rove.refs import NumberedDocument, RefNumbers
from rove.validation.record import dataclass

WORLD = "rove"
# What happened to a document that another has replaced.
LEFT = "the tab has left that page, or loaded it again, since"
# Further frames of a page are left out.
MAX_FRAMES = 60
# Seconds that the process of an out-of-process frame may take to answer.
FRAME_TIMEOUT = 2.0


@dataclass
class World:
    """The isolated context of one frame, created when it is first needed and again after each navigation."""

    cdp: CdpSession
    frame_id: str
    prefix: str
    parent: World | None
    owner: str | None = None
    numbers: RefNumbers = field(default_factory=RefNumbers, repr=False)
    numbered: NumberedDocument = field(default_factory=lambda: NumberedDocument(""), repr=False)
    # The number that the page gave to the last snapshot of the frame.
    snapshot_number: int = 0
    # Whether the frame's process has not answered the last command.
    is_unresponsive: bool = False
    # The page's own context in this frame, and rove's object in it (`frames/event_listeners.py`).
    page_context: int | None = field(default=None, repr=False)
    listener_probe: str | None = field(default=None, repr=False)
    listening_nodes: set[int] = field(default_factory=set, repr=False)
    # Removes secrets from each answer of the script.
    redact: Callable[[Any], Any] = field(default=lambda answer: answer, repr=False)
    _context: int | None = field(default=None, repr=False)
    # Whether a call has been answered in the context, and the next free number that the last answer gave.
    _has_answered: bool = field(default=False, repr=False)
    _next_ref: int = field(default=0, repr=False)
    # How often the script was installed, by which a failed call sees that another call has installed it meanwhile.
    _install_count: int = field(default=0, repr=False)

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function expression in the world with plain arguments and return a plain value."""
        answer: dict[str, Any] = (await self._call(Call(function, arguments, as_user=as_user)))["value"]
        return self.redact(answer.get("value"))

    async def handle(self, function: str, *arguments: Any) -> str | None:
        """Call a function expression like `call`, but return the id of the resulting object, or None for null."""
        object_id: str | None = (await self._call(Call(function, arguments, by_value=False))).get("objectId")
        return object_id

    async def document(self) -> ExecutionContext:
        """Return the context of the current document, for calls that must not reach the document after it."""
        context = await self.context()
        current = ExecutionContext(self.cdp, context, "")
        return ExecutionContext(self.cdp, context, await current.call("() => self.origin"))

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
        """Drop all that belonged to the last document: it is gone, and its contexts with it."""
        self._context = None
        self._has_answered = False
        self.numbers.end_document(self.numbered, LEFT)
        self.numbered = NumberedDocument(self.numbered.tab)
        self.page_context = self.listener_probe = None
        self.listening_nodes.clear()

    def set_context(self, context: int) -> None:
        """Use the context that the browser reports for rove's world, which saves a command to create one."""
        self._context = context
        self._has_answered = False

    async def context(self) -> int:
        """Return the id of the isolated context; create it if there is none."""
        if self._context is None:
            self._context = await self._create_context()
        return self._context

    async def _call(self, call: Call) -> dict[str, Any]:
        had_context = self._context is not None
        try:
            return await self._attempt(call)
        except CdpError:
            # A context that existed before may have died with its document, so try once more in a new one.
            self._context, self._has_answered = None, False
            if not had_context and not self.cdp.is_terminating_scripts:
                raise
            return await self._attempt(call)

    async def _attempt(self, call: Call) -> dict[str, Any]:
        is_new = not self._has_answered
        install_count, context = self._install_count, await self.context()
        answer = await self._send_call(call)
        if is_new and "exceptionDetails" in answer and await self._is_worth_retrying(install_count, context):
            answer = await self._send_call(call)
        if "exceptionDetails" in answer:
            raise ScriptFailed(PageText(exception_text(answer["exceptionDetails"]), NOWHERE))
        self._has_answered = True
        result: dict[str, Any] = answer["result"]
        return result

    async def _is_worth_retrying(self, install_count: int, context: int) -> bool:
        """Install the script; return whether the script or the context is another than at the failed call."""
        return await self._install() or self._install_count > install_count or self._context != context

    async def _send_call(self, call: Call) -> CdpResult:
        context = await self.context()
        if not call.by_value:
            return await self.cdp.send("Runtime.callFunctionOn", call.params(context))
        # Refs continue after those of the last document, so that an old ref never means a new element.
        first = self.numbers.begin_call(self.numbered)
        function = f"(first, ...rest) => rove.callNumbered(first, {call.function}, rest)"
        numbered = Call(function, (first, *call.arguments), as_user=call.as_user)
        return await self._send_numbered(numbered.params(context), first)

    async def _send_numbered(self, params: dict[str, Any], first: int) -> CdpResult:
        """Send a call that numbers elements from `first` on; if it is cancelled, the numbers stay kept free for it."""
        document, following = self.numbered, first
        try:
            answer = await self.cdp.send("Runtime.callFunctionOn", params)
        except CdpError:
            self.numbers.end_call(document, first, first)
            raise
        if "exceptionDetails" not in answer:
            following = answer["result"]["value"]["next"]
        self.numbers.end_call(document, max(first, self._next_ref), following)
        self._next_ref = max(following, self._next_ref)
        return answer

    async def ref_of_node(self, node: int) -> str:
        """Return the ref of an element, given by its backend node id."""
        resolving = {"backendNodeId": node, "executionContextId": await self.context()}
        element = (await self.cdp.send("DOM.resolveNode", resolving))["object"]["objectId"]
        first = self.numbers.begin_call(self.numbered)
        params = {
            "functionDeclaration": "function (first) { return rove.callNumbered(first, rove.ref, [this]) }",
            "objectId": element,
            "arguments": [{"value": first}],
            "returnByValue": True,
        }
        answer = await self._send_numbered(params, first)
        ref: str = answer["result"]["value"]["value"]
        return ref

    async def _create_context(self) -> int:
        answer = await self.cdp.send("Page.createIsolatedWorld", {"frameId": self.frame_id, "worldName": WORLD})
        context: int = answer["executionContextId"]
        return context

    async def _install(self) -> bool:
        """Install the script in a document that is older than our CDP session; return whether it was missing."""
        answer = await self.cdp.send(
            "Runtime.evaluate",
            {"expression": page_script(), "contextId": await self.context(), "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(PageText(exception_text(answer["exceptionDetails"]), NOWHERE))
        was_missing = bool(answer["result"].get("value") == "installed")
        self._install_count += was_missing
        return was_missing


class Worlds:
    """The worlds of one tab's frames, and the prefixes of their refs, which are never reused."""

    def __init__(self, cdp: CdpSession, main_frame: str, numbers: RefNumbers) -> None:
        self._cdp = cdp
        self.main = World(cdp, main_frame, "", None, numbers=numbers)
        self._by_frame: dict[str, World] = {main_frame: self.main}
        # Whether the main document has had frames, how often its frames changed, and that number at the last refresh.
        self._has_frames = False
        self._changes = 0
        self._refreshed_at_change = 0
        # Whether any frame was visible in the last snapshot of the page.
        self.has_visible_frames = False
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

    def note_frame(self) -> None:
        """Note that there is a new frame, so that the next use of the frames refreshes them."""
        self._has_frames = True
        self._changes += 1

    @property
    def cdp_sessions(self) -> list[CdpSession]:
        """The CDP sessions of the frames in processes of their own."""
        return list(self._out_of_process.values())

    def with_prefix(self, prefix: str) -> World:
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

    def __iter__(self) -> Iterator[World]:
        return iter(self._by_frame.values())

    async def owner(self, world: World) -> str:
        """Return the ref, in the parent's world, of the element that holds a frame."""
        if world.owner is None:
            assert world.parent is not None
            world.owner = await _owner_ref(world, world.parent)
        return world.owner

    async def current(self) -> list[World]:
        """Return the worlds of all frames; ask the browser only if frames may have changed."""
        if not self._has_frames:
            return [self.main]
        if not self._is_up_to_date:
            await self.refresh()
        return list(self._by_frame.values())

    @property
    def known_subframes(self) -> list[World]:
        """All worlds but the main one; empty if frames may have changed since the last refresh."""
        return [world for world in self._by_frame.values() if world is not self.main] if self._is_up_to_date else []

    @property
    def _is_up_to_date(self) -> bool:
        return self._refreshed_at_change == self._changes and not any(world.is_unresponsive for world in self)

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
            worlds[frame_id] = self._world(cdp, frame_id, (known and known.parent) or self.main)
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


async def resolve_node(cdp: CdpSession, object_id: str, context: int | None = None, group: str = "") -> str:
    """Return the id that a node has in another context, by default in that of the page's own scripts."""
    node = (await cdp.send("DOM.describeNode", {"objectId": object_id}))["node"]
    params: dict[str, Any] = {"backendNodeId": node["backendNodeId"], "objectGroup": group}
    if context is not None:
        params["executionContextId"] = context
    resolved: str = (await cdp.send("DOM.resolveNode", params))["object"]["objectId"]
    return resolved


async def _owner_ref(world: World, parent: World) -> str:
    owner = await parent.cdp.send("DOM.getFrameOwner", {"frameId": world.frame_id})
    return await parent.ref_of_node(owner["backendNodeId"])
