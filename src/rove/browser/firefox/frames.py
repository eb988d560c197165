"""The frames of a page, and rove's sandbox in each, out of reach of the page's own scripts.

A sandbox is Firefox's isolated world: it sees the document, and the page's scripts do not see it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from rove.browser.firefox.connection import BidiConnection, BidiError, BidiResult, PageChannel
from rove.browser.firefox.evaluation import (
    FrameDocument,
    Target,
    call_function,
    call_plainly,
    evaluate_with,
    plain_value,
    raise_exception,
)
from rove.browser.refs import RefNumbers
from rove.browser.scripts import EngineTraits, listener_script, main_world_script, page_script
from rove.browser.shared import frames
from rove.browser.shared.clipboard import COPIED_BINDING
from rove.browser.shared.frames import FRAME_TIMEOUT, MAX_FRAMES, WORLD, Quote, numbered_call
from rove.browser.shared.input import REPORT_BINDING

# Reports the address after a move in the history within a document: of some, Firefox tells nothing.
MOVED_CHANNEL = "roveMoved"
# The functions by which rove's script reports, which Firefox passes on as events; only the sandbox has them.
CHANNELS: list[dict[str, Any]] = [
    {"type": "channel", "value": {"channel": name}} for name in (REPORT_BINDING, COPIED_BINDING, MOVED_CHANNEL)
]

TRAITS = EngineTraits(hits_areas=False, moves_placeholders=False)

# Each closed shadow root is named in the answer and passed back.
MAX_CLOSED_HOSTS = 50
# Nodes are returned without their children, with their shadow roots, closed ones too.
_NODES_ALONE = {"maxDomDepth": 0, "includeShadowTree": "all"}
LISTENER_INTERVAL = 0.02


@cache
def install_function() -> str:
    """Return the function that installs rove's script in a sandbox; its arguments are the channels."""
    bindings = f"globalThis.{REPORT_BINDING} ??= tell;\nglobalThis.{COPIED_BINDING} ??= copied;"
    moves = "if (self === top) addEventListener('popstate', () => moved(location.href), true);"
    return f"(tell, copied, moved) => {{\n{bindings}\n{moves}\nreturn {page_script(TRAITS)};\n}}"


async def add_scripts(connection: BidiConnection, user_context: str) -> None:
    """Run rove's scripts in every document of a user context from its beginning, also in windows that pages open."""
    everywhere = {"userContexts": [user_context]}
    isolated = {"functionDeclaration": install_function(), "arguments": CHANNELS, "sandbox": WORLD, **everywhere}
    main = {"functionDeclaration": f"() => {{\n{main_world_script()}\n{listener_script()}\n}}", **everywhere}
    await asyncio.gather(
        connection.send("script.addPreloadScript", isolated), connection.send("script.addPreloadScript", main)
    )


class DocumentScript(frames.DocumentScript):
    """Adds one statement to the documents of a page and of all frames in it."""

    def __init__(self, channel: PageChannel, source: str) -> None:
        super().__init__(source)
        self._channel = channel
        self._added: list[str] = []

    async def begin(self, worlds: Sequence[frames.World]) -> None:
        script = {
            "functionDeclaration": f"() => {{ {self.source} }}",
            "sandbox": WORLD,
            "contexts": [self._channel.context],
        }
        added = await self._channel.send("script.addPreloadScript", script)
        self._added.append(added["script"])

    async def end(self) -> None:
        self.is_on = False
        added, self._added = self._added, []
        for script in added:
            with contextlib.suppress(BidiError):  # it has gone with the page
                await self._channel.connection.send("script.removePreloadScript", {"script": script})


class World(frames.World):
    """The sandbox of one frame, whatever document the frame shows; Firefox makes one for each document."""

    channel: PageChannel

    @property
    def _target(self) -> Target:
        return {"context": self.frame_id, "sandbox": WORLD}

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a function expression in the sandbox with plain arguments and return a plain value."""
        try:
            answer = await self._attempt(function, arguments, as_user)
        except BidiError:
            if self.channel.is_closed:
                raise
            # The document may have been replaced meanwhile, so try once more in the next one.
            answer = await self._attempt(function, arguments, as_user)
        return self.redact((plain_value(answer) or {}).get("value"))

    async def _attempt(self, function: str, arguments: tuple[Any, ...], as_user: bool) -> BidiResult:
        answer = await self._send_numbered(function, arguments, as_user)
        if answer["type"] == "exception" and await self._install():
            answer = await self._send_numbered(function, arguments, as_user)
        return raise_exception(answer)

    async def _send_numbered(self, function: str, arguments: tuple[Any, ...], as_user: bool) -> BidiResult:
        numbered = numbered_call(function)

        async def send(first: int) -> BidiResult:
            return await call_plainly(self.channel, self._target, numbered, (first, *arguments), as_user)

        return await self.send_numbered(send, _following)

    async def _install(self) -> bool:
        """Install the script in a document that is older than rove's scripts; return whether it was missing."""
        answer = await call_function(self.channel, self._target, install_function(), CHANNELS)
        return bool(raise_exception(answer)["result"].get("value") == "installed")

    async def document(self) -> FrameDocument:
        """Return the current document, for calls that must not reach the document after it."""
        answer = raise_exception(await call_plainly(self.channel, self._target, "() => self.origin", ()))
        return FrameDocument(self.channel, answer["realm"], plain_value(answer))

    async def ref_of_node(self, node: str) -> str:
        """Return the ref of an element, given by its shared id."""
        function = "(first, element) => JSON.stringify(rove.callNumbered(first, rove.ref, [element]))"

        async def send(first: int) -> BidiResult:
            arguments: list[dict[str, Any]] = [{"type": "number", "value": first}, {"sharedId": node}]
            return await call_function(self.channel, self._target, function, arguments)

        return str(plain_value(raise_exception(await self.send_numbered(send, _following)))["value"])

    async def find_owner(self) -> str:
        """Return the ref, in the parent's sandbox, of the element that holds the frame."""
        assert isinstance(self.parent, World)
        locator = {"type": "context", "value": {"context": self.frame_id}}
        params = {"context": self.parent.frame_id, "locator": locator}
        answer = await self.channel.send("browsingContext.locateNodes", params)
        if not answer["nodes"]:
            raise BidiError("the frame is gone", "no such frame")
        return await self.parent.ref_of_node(answer["nodes"][0]["sharedId"])

    # What only Firefox can tell of elements

    async def node_of(self, ref: str) -> str:
        """Return the shared id of an element, by which every realm of the frame finds it."""
        given = [{"type": "string", "value": ref}]
        answer = await call_function(
            self.channel, self._target, "ref => rove.element(ref)", given, serialization=_NODES_ALONE
        )
        node = raise_exception(answer)["result"]
        if node["type"] != "node":
            raise self.numbers.missing_element(self.prefix + ref, self.numbered)
        return str(node["sharedId"])

    async def prepare_listeners(self) -> None:
        """Let rove's script ask for elements with listeners; the main world's script records them."""

    async def wait_for_press_listener(self, ref: str, seconds: float) -> bool:
        """Wait until an element, or one around it, listens for presses; return whether there was a need to wait."""
        for attempt in range(round(seconds / LISTENER_INTERVAL)):
            if await self.call("ref => rove.isPressListener(ref)", ref):
                return attempt > 0
            await asyncio.sleep(LISTENER_INTERVAL)
        return True

    async def open_closed_roots(self) -> bool:
        """Give rove's script access to the closed shadow roots that it knows of; return whether there were any."""
        hosts = await self._nodes("() => rove.closedHostCandidates()")
        return await self._adopt(hosts[:MAX_CLOSED_HOSTS])

    async def open_focused_root(self) -> bool:
        """Give rove's script access to the closed shadow root that has the focus; return whether there is one."""
        return await self._adopt(await self._nodes("() => [rove.focusHere()]"))

    async def _nodes(self, function: str) -> list[dict[str, Any]]:
        answer = raise_exception(
            await call_function(self.channel, self._target, function, [], serialization=_NODES_ALONE)
        )
        return [node for node in answer["result"].get("value") or () if node["type"] == "node"]

    async def _adopt(self, hosts: list[dict[str, Any]]) -> bool:
        pairs = [(host["sharedId"], host["value"].get("shadowRoot") or {}) for host in hosts]
        closed = [(host, root["sharedId"]) for host, root in pairs if root.get("value", {}).get("mode") == "closed"]
        if closed:
            function = "(...all) => { for (let i = 0; i < all.length; i += 2) rove.adoptShadow(all[i], all[i + 1]); }"
            nodes = [{"sharedId": node} for pair in closed for node in pair]
            raise_exception(await call_function(self.channel, self._target, function, nodes))
        return bool(closed)

    async def evaluate_with(self, ref: str, expression: str, quote: Quote, await_promise: bool) -> Any:
        """Run the caller's JavaScript in the page's own realm, with an element as its argument."""
        node = await self.node_of(ref)
        return await evaluate_with(self.channel, self.frame_id, expression, node, quote, await_promise)

    async def set_files(self, files: list[str], ref: str | None = None, node: Any = None) -> None:
        """Put files into a file input, given by its ref or by its shared id."""
        element = {"sharedId": node if ref is None else await self.node_of(ref)}
        await self.channel.send("input.setFiles", {"context": self.frame_id, "element": element, "files": files})


def _following(answer: BidiResult) -> int | None:
    return None if answer["type"] == "exception" else int(plain_value(answer)["next"])


class Worlds(frames.Worlds[World]):
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
