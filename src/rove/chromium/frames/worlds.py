"""Our own JavaScript in a page, where the page's cannot reach it.

Every frame has a world: an isolated JavaScript context in which `page_script` is installed. A page that
redefines `JSON` or `Array.prototype` changes only its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from rove.browser.scripts import page_script
from rove.chromium.protocol.connection import CdpError, CdpResult, CdpSession
from rove.errors import ElementGone, ScriptFailed
from rove.record import dataclass

WORLD = "rove"
# A page with more frames than this is looked at as far as this.
MOST_FRAMES = 60
# How long a separate frame may take to answer.
FRAME_PATIENCE = 2.0


@dataclass
class World:
    """One frame's isolated context, made when it is first needed and again after each navigation."""

    cdp: CdpSession
    frame_id: str
    prefix: str
    parent: World | None
    owner: str | None = None
    next_ref: int = 1
    # Its process was asked something and has not answered since.
    is_silent: bool = False
    # The page's own context in this frame, and what we keep there (`chromium/listeners.py`).
    page_context: int | None = field(default=None, repr=False)
    listener_probe: str | None = field(default=None, repr=False)
    heard_at: float = 0.0
    _context: int | None = field(default=None, repr=False)
    _has_started: bool = field(default=False, repr=False)
    # How often our script was put in by one call, for which another that failed for the lack of it need not do so.
    _installed: int = field(default=0, repr=False)

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression in the world with plain arguments; returns a plain value."""
        return (await self._call(function, arguments, by_value=True)).get("value")

    async def handle(self, function: str, *arguments: Any) -> str | None:
        """Like `call`, but returns the id of the object that came back, or None for null."""
        identity: str | None = (await self._call(function, arguments, by_value=False)).get("objectId")
        return identity

    async def document(self) -> ExecutionContext:
        """The document that is there now, for what must not be said to whichever comes after it."""
        context = await self.context()
        held = ExecutionContext(self.cdp, context, "")
        return ExecutionContext(self.cdp, context, await held.call("() => self.origin"))

    async def origin(self) -> str | None:
        """Whose the document is, also where its address does not tell: `about:blank` belongs to who opened it."""
        said: str = await self.call("() => self.origin")
        return None if said == "null" else said

    async def origins(self) -> tuple[str | None, ...]:
        """Whose the document is; for one that a sandbox made nobody's, also whose address it came from."""
        said, address = await self.call("() => [self.origin, location.origin]")
        if said != "null":
            return (said,)
        return (None,) if address == "null" else (None, address)

    def forget(self) -> None:
        """The document is gone and its context with it."""
        self._context = None
        self._has_started = False
        self.page_context = self.listener_probe = None
        self.heard_at = 0.0

    def enter(self, context: int) -> None:
        """The browser has told of the context that it made for our script, which spares us asking."""
        self._context = context
        self._has_started = False

    async def context(self) -> int:
        if self._context is None:
            self._context = await self._enter()
        return self._context

    async def _call(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> dict[str, Any]:
        was_entered = self._context is not None
        try:
            return await self._attempt(function, arguments, by_value)
        except CdpError:
            # The context died with its document, which is news only if it was a context made for this call.
            self._context, self._has_started = None, False
            if not was_entered and not self.cdp.is_terminating_scripts:
                raise
            return await self._attempt(function, arguments, by_value)

    async def _attempt(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> dict[str, Any]:
        is_new = not self._has_started
        if is_new:
            # Refs go on counting where those of the last document ended.
            function = f"(...all) => {{ rove.startRefs({self.next_ref}); return ({function})(...all) }}"
        installed, asked = self._installed, await self.context()
        answer = await self._sent(function, arguments, by_value)
        if is_new and "exceptionDetails" in answer and await self._has_script_now(installed, asked):
            answer = await self._sent(function, arguments, by_value)
        if "exceptionDetails" in answer:
            raise ScriptFailed(exception_text(answer["exceptionDetails"]))
        self._has_started = True
        result: dict[str, Any] = answer["result"]
        return result

    async def _has_script_now(self, installed: int, asked: int) -> bool:
        """Whether it is worth asking again: we have put our script there, or another call, or another document has."""
        return await self._install() or self._installed > installed or self._context != asked

    async def _sent(self, function: str, arguments: tuple[Any, ...], by_value: bool) -> CdpResult:
        call = _call_in(await self.context(), function, arguments, by_value)
        return await self.cdp.send("Runtime.callFunctionOn", call)

    async def _enter(self) -> int:
        made = await self.cdp.send("Page.createIsolatedWorld", {"frameId": self.frame_id, "worldName": WORLD})
        context: int = made["executionContextId"]
        return context

    async def _install(self) -> bool:
        """Put our script where the document was there before we were; True if it was missing."""
        answer = await self.cdp.send(
            "Runtime.evaluate",
            {"expression": page_script(), "contextId": await self.context(), "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(exception_text(answer["exceptionDetails"]))
        is_ours = bool(answer["result"].get("value") == "installed")
        self._installed += is_ours
        return is_ours


@dataclass(frozen=True)
class ExecutionContext:
    """One document of a frame: what is said to it reaches no other."""

    cdp: CdpSession
    context: int
    origin: str

    async def call(self, function: str, *arguments: Any) -> Any:
        try:
            answer = await self.cdp.send("Runtime.callFunctionOn", _call_in(self.context, function, arguments))
        except CdpError as error:
            raise ElementGone("The page went away before that could be done.") from error
        if "exceptionDetails" in answer:
            raise ScriptFailed(exception_text(answer["exceptionDetails"]))
        return answer["result"].get("value")


def _call_in(context: int, function: str, arguments: tuple[Any, ...], by_value: bool = True) -> dict[str, Any]:
    return {
        "functionDeclaration": function,
        "executionContextId": context,
        "arguments": [{"value": argument} for argument in arguments],
        "returnByValue": by_value,
        "awaitPromise": True,
        "userGesture": True,
    }


class Worlds:
    """The worlds of one tab's frames, and the prefixes of their refs, which are never given twice."""

    def __init__(self, cdp: CdpSession, main_frame: str) -> None:
        self._cdp = cdp
        self.main = World(cdp, main_frame, "", None)
        self._by_frame: dict[str, World] = {main_frame: self.main}
        self._prefixes = 0
        # Whether the main document has had frames in it, how many arrived so far, and how many had when we last looked.
        self._has_frames = False
        self._arrivals = 0
        self._looked_at = 0
        # Whether any of the frames could be seen when the page was last looked at.
        self.are_shown = False
        # Frames in processes of their own, by id: each has a wire of its own.
        self._separate: dict[str, CdpSession] = {}
        self._questions: dict[str, asyncio.Task[CdpResult]] = {}
        # Every frame there is, looked at or not, and the latest contexts of each: the page's own, and ours.
        self._attached: set[str] = set()
        self._contexts: dict[tuple[str, bool], tuple[CdpSession, int]] = {}

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.frameAttached", lambda event: self._attached.add(event["frameId"]))
        cdp.on("Page.frameDetached", lambda event: self._detach(event["frameId"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))

    def _detach(self, frame: str) -> None:
        self._attached.discard(frame)
        for is_page in (True, False):
            self._contexts.pop((frame, is_page), None)

    def _on_context(self, cdp: CdpSession, context: CdpResult) -> None:
        frame, is_page = context["auxData"].get("frameId", ""), bool(context["auxData"].get("isDefault"))
        if is_page or context["name"] == WORLD:
            self._contexts[frame, is_page] = cdp, context["id"]
            if (world := self._by_frame.get(frame)) is not None:
                self._enter(world, is_page)

    def _enter(self, world: World, is_page: bool) -> None:
        cdp, context = self._contexts.get((world.frame_id, is_page), (None, 0))
        if cdp is not world.cdp:
            return
        if is_page:
            world.page_context, world.listener_probe = context, None
        else:
            world.enter(context)

    def has(self, frame: str) -> bool:
        return frame == self.main.frame_id or frame in self._attached or frame in self._separate

    def add_separate(self, frame: str, cdp: CdpSession) -> None:
        self.note_frame()
        self._separate[frame] = cdp
        cdp.on("closed", lambda _: self._drop_separate(frame))

    def _drop_separate(self, frame: str) -> None:
        self._arrivals += 1  # a frame that moves back in with the page is another world
        self._separate.pop(frame, None)

    def note_frame(self) -> None:
        """A frame has come into being, which we have not looked at yet."""
        self._has_frames = True
        self._arrivals += 1

    @property
    def cdp_sessions(self) -> list[CdpSession]:
        """Those of the frames in processes of their own."""
        return list(self._separate.values())

    def with_prefix(self, prefix: str) -> World:
        for world in self._by_frame.values():
            if world.prefix == prefix:
                return world
        raise ElementGone(f"The frame {prefix} is no longer on the page.")

    def forget(self) -> None:
        self._has_frames = False
        self._arrivals += 1
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

    async def present(self) -> list[World]:
        """Every world that may be there now, without asking where it is known that nothing has arrived."""
        if not self._has_frames:
            return [self.main]
        if not self._is_up_to_date:
            await self.refresh()
        return list(self._by_frame.values())

    @property
    def known_below(self) -> list[World]:
        """The worlds below the main one; none if there may be others than were found when last asked."""
        return [world for world in self._by_frame.values() if world is not self.main] if self._is_up_to_date else []

    @property
    def _is_up_to_date(self) -> bool:
        return self._looked_at == self._arrivals and not any(world.is_silent for world in self)

    async def refresh(self, patience: float = FRAME_PATIENCE) -> list[World]:
        """Look which frames there are now; returns the worlds below the main one, parents first."""
        arrivals = self._arrivals
        found: dict[str, World] = {self.main.frame_id: self.main}
        own, trees = await asyncio.gather(self._cdp.send("Page.getFrameTree"), self._separate_trees(patience))
        self._collect(self._cdp, self.main, own["frameTree"], found)
        for identity, tree in trees.items():
            cdp = self._separate.get(identity)
            if cdp is not None and identity not in found:
                self._collect_separate(cdp, identity, tree, found)
        self._by_frame, self._looked_at = found, arrivals
        return [world for world in found.values() if world is not self.main]

    async def _separate_trees(self, patience: float) -> dict[str, CdpResult | None]:
        """What is in each process of its own, by its frame; None where it does not answer.

        A process that did not answer is asked again once it has, so that a stuck one costs its patience only once.
        """
        known = list(self._separate.items())[:MOST_FRAMES]
        asked = {identity: task for identity, task in self._questions.items() if not task.done()}
        fresh = {identity: _question(cdp) for identity, cdp in known if identity not in asked}
        self._questions = questions = {**asked, **fresh}
        if fresh:
            await asyncio.wait(fresh.values(), timeout=patience)
        return {identity: _tree(questions[identity]) for identity, _ in known if not _failed(questions[identity])}

    def _collect_separate(
        self, cdp: CdpSession, identity: str, tree: CdpResult | None, found: dict[str, World]
    ) -> None:
        if tree is None:
            known = self._by_frame.get(identity)
            found[identity] = self._world(cdp, identity, (known and known.parent) or self.main)
            found[identity].is_silent = True
            return
        world = self._world(cdp, identity, self._parent_of(tree["frame"].get("parentId"), found))
        world.is_silent = False
        found[identity] = world
        self._collect(cdp, world, tree, found)

    def _collect(self, cdp: CdpSession, root: World, tree: CdpResult, found: dict[str, World]) -> None:
        waiting = [(child, root) for child in tree.get("childFrames", [])]
        while waiting and len(found) < MOST_FRAMES:
            node, parent = waiting.pop(0)
            identity = node["frame"]["id"]
            world = self._world(cdp, identity, parent)
            found[identity] = world
            waiting += [(child, world) for child in node.get("childFrames", [])]

    def _world(self, cdp: CdpSession, identity: str, parent: World) -> World:
        known = self._by_frame.get(identity)
        if known is not None and known.cdp is cdp:
            known.parent = parent
            return known
        if known is None:
            self._prefixes += 1
            world = World(cdp, identity, f"f{self._prefixes}", parent)
        else:
            # Same frame, other process: its refs go on where they were.
            world = World(cdp, identity, known.prefix, parent, next_ref=known.next_ref)
        for is_page in (True, False):
            self._enter(world, is_page)
        return world

    def _parent_of(self, identity: str | None, found: dict[str, World]) -> World:
        return found.get(identity or "", self.main)


def _question(cdp: CdpSession) -> asyncio.Task[CdpResult]:
    task = asyncio.ensure_future(cdp.send("Page.getFrameTree"))
    # The answer may come when nobody waits for it any more.
    task.add_done_callback(_failed)
    return task


def _failed(question: asyncio.Task[CdpResult]) -> bool:
    """Whether the process went away instead of answering."""
    return question.done() and (question.cancelled() or question.exception() is not None)


def _tree(question: asyncio.Task[CdpResult]) -> CdpResult | None:
    return question.result()["frameTree"] if question.done() else None


async def same_node(cdp: CdpSession, item: str, context: int | None = None, group: str = "") -> str:
    """The id of a node in a context, or among the page's own scripts, by its id in another."""
    node = (await cdp.send("DOM.describeNode", {"objectId": item}))["node"]
    place: dict[str, Any] = {"backendNodeId": node["backendNodeId"], "objectGroup": group}
    if context is not None:
        place["executionContextId"] = context
    identity: str = (await cdp.send("DOM.resolveNode", place))["object"]["objectId"]
    return identity


async def _owner_ref(world: World, parent: World) -> str:
    node = await parent.cdp.send("DOM.getFrameOwner", {"frameId": world.frame_id})
    held = await parent.cdp.send(
        "DOM.resolveNode",
        {"backendNodeId": node["backendNodeId"], "executionContextId": await parent.context()},
    )
    answer = await parent.cdp.send(
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
