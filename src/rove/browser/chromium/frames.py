"""The frames of a page, and rove's isolated world in each, out of reach of the page's own scripts.

A page that redefines `JSON` or `Array.prototype` changes only its own context.

`Runtime.enable` lets a page notice that an inspector reads its console, and scripts in its own world can be found. With
stealth, the console is read as text, and rove's script runs in the isolated world alone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from rove.browser.chromium import listeners
from rove.browser.chromium.connection import CdpError, CdpResult, CdpSession
from rove.browser.chromium.evaluation import Call, ExecutionContext, evaluate_with, exception_text
from rove.browser.refs import NumberedDocument, RefNumbers
from rove.browser.scripts import main_world_script, page_script
from rove.browser.shared import frames
from rove.browser.shared.frames import (
    FRAME_TIMEOUT,
    MAX_FRAMES,
    WORLD,
    Quote,
    bound,
    bounded,
    numbered_call,
    web_origin,
)
from rove.errors import ScriptFailed
from rove.page_text import NOWHERE, PageText

Command = Coroutine[Any, Any, object]


def request_tree(cdp: CdpSession) -> asyncio.Task[CdpResult]:
    """Ask for the frames of a process, without waiting for the answer."""
    task = asyncio.ensure_future(cdp.send("Page.getFrameTree"))
    # Retrieves the exception of a request that fails after its timeout, which asyncio would log otherwise.
    task.add_done_callback(has_failed)
    return task


def has_failed(request: asyncio.Task[CdpResult]) -> bool:
    """Return whether the process went away instead of answering."""
    return request.done() and (request.cancelled() or request.exception() is not None)


def tree_of(request: asyncio.Task[CdpResult]) -> CdpResult | None:
    """Return the answer; None if it has not arrived."""
    return request.result()["frameTree"] if request.done() else None


class FrameOrigins(frames.FrameOrigins):
    """Follows the documents and execution contexts of all frames."""

    def __init__(
        self, main_frame: str, page_url: Callable[[], str], may_read: Callable[[str], bool] = lambda origin: True
    ) -> None:
        super().__init__(main_frame, page_url, may_read)
        # The frame of each execution context, by its CDP session.
        self._frames: dict[tuple[CdpSession, int], str] = {}

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))

    def of_context(self, cdp: CdpSession, event: dict[str, Any]) -> str:
        """Return the origin of the frame in whose execution context an event happened."""
        frame = self._frames.get((cdp, event.get("executionContextId", 0)))
        return self.of(frame) if frame else self.of_any

    def of_entry(self, entry: dict[str, Any], sender: str | None) -> str:
        """Return the origin that an entry of the browser's log is about. `sender`: that of the request it names."""
        if "networkRequestId" in entry:
            return sender or self.of_any
        named = web_origin(entry.get("url", ""))
        return named if named in self.all else self.of_any

    def start_document(self) -> None:
        super().start_document()
        self._frames.clear()

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        known = [frame["url"], frame["securityOrigin"]]
        unreachable = frame.get("unreachableUrl", "")
        if web_origin(unreachable):
            known.insert(0, unreachable)
        self.note_document(frame["id"], frame.get("parentId"), *known)

    def _on_context(self, cdp: CdpSession, context: dict[str, Any]) -> None:
        facts = context.get("auxData", {})
        frame = facts.get("frameId", "")
        if not frame:
            return
        self._frames[cdp, context["id"]] = frame
        bound(self._frames)
        if facts.get("isDefault"):
            self.note_realm(frame, context["origin"])


class World(frames.World):
    """The isolated context of one frame, created when it is first needed and again after each navigation."""

    channel: CdpSession

    def __init__(
        self,
        cdp: CdpSession,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
        numbered: NumberedDocument | None = None,
    ) -> None:
        super().__init__(cdp, frame_id, prefix, parent, numbers, numbered)
        # The page's own context in this frame, and rove's object in it (`browser/chromium/listeners.py`).
        self.page_context: int | None = None
        self.listener_probe: str | None = None
        self.listening_nodes: set[int] = set()
        self._context: int | None = None
        # Whether a call has been answered in the context.
        self._has_answered = False
        # How often the script was installed, by which a failed call sees that another call has installed it meanwhile.
        self._install_count = 0

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
        current = ExecutionContext(self.channel, context, "")
        return ExecutionContext(self.channel, context, await current.call("() => self.origin"))

    async def ref_of_node(self, node: int) -> str:
        """Return the ref of an element, given by its backend node id."""
        resolving = {"backendNodeId": node, "executionContextId": await self.context()}
        element = (await self.channel.send("DOM.resolveNode", resolving))["object"]["objectId"]
        declaration = "function (first) { return rove.callNumbered(first, rove.ref, [this]) }"
        params = {"functionDeclaration": declaration, "objectId": element, "returnByValue": True}
        answer = await self.send_numbered(
            lambda first: self.channel.send("Runtime.callFunctionOn", {**params, "arguments": [{"value": first}]}),
            _following,
        )
        ref: str = answer["result"]["value"]["value"]
        return ref

    async def find_owner(self) -> str:
        """Return the ref, in the parent's world, of the element that holds the frame."""
        parent = self.parent
        assert isinstance(parent, World)
        owner = await parent.channel.send("DOM.getFrameOwner", {"frameId": self.frame_id})
        return await parent.ref_of_node(owner["backendNodeId"])

    async def prepare_listeners(self) -> None:
        """Let rove's script ask for elements with listeners, once for each document."""
        await listeners.prepare_listeners(self)

    async def wait_for_press_listener(self, ref: str, seconds: float) -> bool:
        """Wait until an element, or one around it, listens for presses; return whether there was a need to wait."""
        return await listeners.wait_for_press_listener(self, await self.page_object_id(ref), seconds)

    async def open_closed_roots(self) -> bool:
        """Give rove's script access to closed shadow roots; only the protocol can. Return whether there were any."""
        return await listeners.open_closed_roots(self)

    async def open_focused_root(self) -> bool:
        """Give rove's script access to the closed shadow root that has the focus; return whether there is one."""
        host = await self.handle("() => rove.focusHere()")
        return host is not None and await listeners.open_closed_root(self, host)

    async def evaluate_with(self, ref: str, expression: str, quote: Quote, await_promise: bool) -> Any:
        """Run the caller's JavaScript in the page's own world, with an element as its argument."""
        return await evaluate_with(self.channel, expression, await self.page_object_id(ref), quote, await_promise)

    async def set_files(self, files: list[str], ref: str | None = None, node: Any = None) -> None:
        """Put files into a file input, given by its ref or by its backend node id."""
        where = {"backendNodeId": node} if ref is None else {"objectId": await self.page_object_id(ref)}
        # The browser fires the input and change events itself, as it does after a person has chosen files.
        await self.channel.send("DOM.setFileInputFiles", {"files": files, **where})

    async def page_object_id(self, ref: str) -> str:
        """Return the CDP object id of an element in the page's own world, instead of rove's isolated one."""
        isolated = await self.handle("ref => rove.element(ref)", ref)
        if isolated is None:
            raise self.numbers.missing_element(self.prefix + ref, self.numbered)
        return await resolve_node(self.channel, isolated)

    def reset(self) -> None:
        """Drop all that belonged to the last document: it is gone, and its contexts with it."""
        super().reset()
        self._context = None
        self._has_answered = False
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
            if not had_context and not self.channel.is_terminating_scripts:
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
            return await self.channel.send("Runtime.callFunctionOn", call.params(context))
        function = numbered_call(call.function)

        async def send(first: int) -> CdpResult:
            numbered = Call(function, (first, *call.arguments), as_user=call.as_user)
            return await self.channel.send("Runtime.callFunctionOn", numbered.params(context))

        return await self.send_numbered(send, _following)

    async def _create_context(self) -> int:
        answer = await self.channel.send("Page.createIsolatedWorld", {"frameId": self.frame_id, "worldName": WORLD})
        context: int = answer["executionContextId"]
        return context

    async def _install(self) -> bool:
        """Install the script in a document that is older than our CDP session; return whether it was missing."""
        answer = await self.channel.send(
            "Runtime.evaluate",
            {"expression": page_script(), "contextId": await self.context(), "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise ScriptFailed(PageText(exception_text(answer["exceptionDetails"]), NOWHERE))
        was_missing = bool(answer["result"].get("value") == "installed")
        self._install_count += was_missing
        return was_missing


def _following(answer: CdpResult) -> int | None:
    return None if "exceptionDetails" in answer else int(answer["result"]["value"]["next"])


async def resolve_node(cdp: CdpSession, object_id: str, context: int | None = None, group: str = "") -> str:
    """Return the id that a node has in another context, by default in that of the page's own scripts."""
    node = (await cdp.send("DOM.describeNode", {"objectId": object_id}))["node"]
    params: dict[str, Any] = {"backendNodeId": node["backendNodeId"], "objectGroup": group}
    if context is not None:
        params["executionContextId"] = context
    resolved: str = (await cdp.send("DOM.resolveNode", params))["object"]["objectId"]
    return resolved


class Worlds(frames.Worlds[World]):
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
        if cdp is not world.channel:
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
        if known is not None and known.channel is cdp:
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


class DocumentScript(frames.DocumentScript):
    """Adds one statement to the documents of a page and of its frames in other processes."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._added: list[tuple[CdpSession, str]] = []

    async def begin(self, worlds: Sequence[frames.World]) -> None:
        cdp_sessions = {world.channel: world for world in reversed(worlds) if isinstance(world, World)}
        adding = (bounded(world, self.add_to(cdp), world.parent is None) for cdp, world in cdp_sessions.items())
        await asyncio.gather(*adding)

    async def add_to(self, cdp: CdpSession) -> None:
        """If it is in use, run it in the documents that will load in this CDP session."""
        if self.is_on:
            script = {"source": self.source, "worldName": WORLD}
            added = await cdp.send("Page.addScriptToEvaluateOnNewDocument", script)
            self._added.append((cdp, added["identifier"]))

    async def end(self) -> None:
        self.is_on = False
        added, self._added = self._added, []
        await asyncio.gather(*(_remove(cdp, script) for cdp, script in added))


async def _remove(cdp: CdpSession, script: str) -> None:
    with contextlib.suppress(TimeoutError, CdpError):
        async with asyncio.timeout(FRAME_TIMEOUT):
            await cdp.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


def reporting(cdp: CdpSession, stealth: bool) -> Command:
    """Return the command that makes a target report what is written to its console."""
    cdp.reports_contexts = not stealth
    return cdp.send("Console.enable" if stealth else "Runtime.enable")


def scripts(cdp: CdpSession, stealth: bool) -> Iterator[Command]:
    """Yield the commands that add rove's scripts to each new document."""
    yield cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": page_script(), "worldName": WORLD})
    if not stealth:
        yield cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": main_world_script()})
