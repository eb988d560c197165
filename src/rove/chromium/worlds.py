"""Our own JavaScript in a page, where the page's cannot reach it.

Every frame has a world: an isolated JavaScript context in which `page_script` is installed. A page that
redefines `JSON` or `Array.prototype` changes only its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rove.chromium.scripts import page_script
from rove.chromium.wire import Answer, Wire, WireError
from rove.errors import ElementGone, ScriptFailed

WORLD = "rove"
# A page with more frames than this is looked at as far as this.
MOST_FRAMES = 60
# How long a separate frame may take to answer, and how long if it did not the last time.
FRAME_PATIENCE = 1.0
ASKED_AGAIN = 0.2


@dataclass
class World:
    """One frame's isolated context, made when it is first needed and again after each navigation."""

    session: Wire
    frame_id: str
    prefix: str
    parent: World | None
    owner: str | None = None
    next_ref: int = 1
    # A frame in a process of its own may be stuck while all others answer.
    is_mute: bool = False
    _context: int | None = field(default=None, repr=False)
    _has_started: bool = field(default=False, repr=False)

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression in the world with plain arguments; returns a plain value."""
        return (await self._call(function, arguments, by_value=True)).get("value")

    async def handle(self, function: str, *arguments: Any) -> str | None:
        """Like `call`, but returns the id of the object that came back, or None for null."""
        identity: str | None = (await self._call(function, arguments, by_value=False)).get("objectId")
        return identity

    def forget(self) -> None:
        """The document is gone and its context with it."""
        self._context = None
        self._has_started = False

    async def context(self) -> int:
        if self._context is None:
            self._context = await self._enter()
        return self._context

    async def _call(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> dict[str, Any]:
        was_entered = self._context is not None
        try:
            return await self._attempt(function, arguments, by_value)
        except WireError:
            # The context died with its document, which is news only if it was a context made for this call.
            self.forget()
            if not was_entered:
                raise
            return await self._attempt(function, arguments, by_value)

    async def _attempt(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> dict[str, Any]:
        is_new = not self._has_started
        if is_new:
            # Refs go on counting where those of the last document ended.
            function = f"(...all) => {{ rove.startRefs({self.next_ref}); return ({function})(...all) }}"
        answer = await self._sent(function, arguments, by_value)
        if is_new and "exceptionDetails" in answer and await self._install():
            answer = await self._sent(function, arguments, by_value)
        if "exceptionDetails" in answer:
            raise ScriptFailed(exception_text(answer["exceptionDetails"]))
        self._has_started = True
        result: dict[str, Any] = answer["result"]
        return result

    async def _sent(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> Answer:
        return await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": await self.context(),
                "arguments": [{"value": argument} for argument in arguments],
                "returnByValue": by_value,
                "awaitPromise": True,
                "userGesture": True,
            },
        )

    async def _enter(self) -> int:
        made = await self.session.send("Page.createIsolatedWorld", {"frameId": self.frame_id, "worldName": WORLD})
        context: int = made["executionContextId"]
        return context

    async def _install(self) -> bool:
        """Put our script where the document was there before we were; True if it was missing."""
        answer = await self.session.send(
            "Runtime.evaluate",
            {"expression": page_script(), "contextId": await self.context(), "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(exception_text(answer["exceptionDetails"]))
        return bool(answer["result"].get("value") == "installed")


class Worlds:
    """The worlds of one tab's frames, and the prefixes of their refs, which are never given twice."""

    def __init__(self, session: Wire, main_frame: str) -> None:
        self._session = session
        self.main = World(session, main_frame, "", None)
        self._by_frame: dict[str, World] = {main_frame: self.main}
        self._prefixes = 0
        # Frames in processes of their own, by id: each has a wire of its own.
        self._separate: dict[str, Wire] = {}
        # Every frame there is, looked at or not.
        self._attached: set[str] = set()

    def listen(self, wire: Wire) -> None:
        wire.on("Page.frameAttached", lambda event: self._attached.add(event["frameId"]))
        wire.on("Page.frameDetached", lambda event: self._attached.discard(event["frameId"]))

    def has(self, frame: str) -> bool:
        return frame == self.main.frame_id or frame in self._attached or frame in self._separate

    def add_separate(self, frame: str, wire: Wire) -> None:
        self._separate[frame] = wire
        wire.on("closed", lambda _: self._separate.pop(frame, None))

    def with_prefix(self, prefix: str) -> World:
        for world in self._by_frame.values():
            if world.prefix == prefix:
                return world
        raise ElementGone(f"The frame {prefix} is no longer on the page.")

    def forget(self) -> None:
        for world in self._by_frame.values():
            world.forget()

    def __iter__(self) -> Iterator[World]:
        return iter(self._by_frame.values())

    async def owner(self, world: World) -> str:
        """The ref, in its parent's world, of the element that holds a frame."""
        if world.owner is None:
            assert world.parent is not None
            world.owner = await _owner_ref(world, world.parent)
        return world.owner

    async def refresh(self, patience: float = FRAME_PATIENCE) -> list[World]:
        """Look which frames there are now; returns the worlds below the main one, parents first.

        A separate frame that does not answer in time is still there, but mute.
        """
        found: dict[str, World] = {self.main.frame_id: self.main}
        separate = list(self._separate.items())[:MOST_FRAMES]
        tree = await self._session.send("Page.getFrameTree")
        trees = await asyncio.gather(*(self._tree(frame, wire, patience) for frame, wire in separate))
        self._collect_local(self._session, tree["frameTree"], self.main, found)
        for (frame, wire), answer in zip(separate, trees, strict=True):
            if frame not in found and not isinstance(answer, WireError):  # else gone since
                self._collect_separate(frame, wire, answer, found)
        self._by_frame = found
        return [world for world in found.values() if world is not self.main]

    async def _tree(self, frame: str, wire: Wire, patience: float) -> Answer | WireError | None:
        """A separate frame's own frames; None if it does not answer."""
        known = self._by_frame.get(frame)
        if known is not None and known.is_mute:
            patience = min(patience, ASKED_AGAIN)
        try:
            async with asyncio.timeout(patience):
                tree: Answer = (await wire.send("Page.getFrameTree"))["frameTree"]
                return tree
        except TimeoutError:
            return None
        except WireError as error:
            return error

    def _collect_separate(self, frame: str, wire: Wire, tree: Answer | None, found: dict[str, World]) -> None:
        known = self._by_frame.get(frame)
        if tree is None:
            parent = known.parent if known is not None and known.parent is not None else self.main
        else:
            parent = self._parent_of(tree["frame"].get("parentId"), found)
        world = found[frame] = self._world(wire, frame, parent)
        world.is_mute = tree is None
        if tree is not None:
            self._collect_local(wire, tree, world, found)

    def _collect_local(self, session: Wire, tree: Answer, root: World, found: dict[str, World]) -> None:
        waiting = [(child, root) for child in tree.get("childFrames", [])]
        while waiting and len(found) < MOST_FRAMES:
            node, parent = waiting.pop(0)
            identity = node["frame"]["id"]
            world = self._world(session, identity, parent)
            found[identity] = world
            waiting += [(child, world) for child in node.get("childFrames", [])]

    def _world(self, session: Wire, identity: str, parent: World) -> World:
        known = self._by_frame.get(identity)
        if known is not None and known.session is session:
            known.parent = parent
            return known
        if known is None:
            self._prefixes += 1
            return World(session, identity, f"f{self._prefixes}", parent)
        # Same frame, other process: its refs go on where they were.
        return World(session, identity, known.prefix, parent, next_ref=known.next_ref)

    def _parent_of(self, identity: str | None, found: dict[str, World]) -> World:
        return found.get(identity or "", self.main)


async def _owner_ref(world: World, parent: World) -> str:
    node = await parent.session.send("DOM.getFrameOwner", {"frameId": world.frame_id})
    held = await parent.session.send(
        "DOM.resolveNode",
        {"backendNodeId": node["backendNodeId"], "executionContextId": await parent.context()},
    )
    answer = await parent.session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": "function () { return rove.ref(this) }",
            "objectId": held["object"]["objectId"],
            "returnByValue": True,
        },
    )
    ref: str = answer["result"]["value"]
    return ref


def exception_text(details: dict[str, Any]) -> str:
    """`ReferenceError: foo is not defined at line 1`"""
    thrown = details.get("exception", {})
    text = thrown.get("description") or str(thrown.get("value", details.get("text", "unknown error")))
    first = text.splitlines()[0] if text else "unknown error"
    # The line of the details counts from one where code runs as in a console, and from zero elsewhere.
    place = (details.get("stackTrace", {}).get("callFrames") or [details])[0]
    return f"{first} at line {place.get('lineNumber', 0) + 1}"
