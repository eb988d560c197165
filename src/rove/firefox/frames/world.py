"""The sandbox of one frame: rove's JavaScript, out of reach of the page's own scripts."""

from __future__ import annotations

import asyncio
from typing import Any

from rove.firefox.frames.calls import (
    FrameDocument,
    Target,
    call_function,
    call_plainly,
    plain_value,
    raise_exception,
)
from rove.firefox.frames.evaluation import evaluate_with
from rove.firefox.frames.scripts import CHANNELS, install_function
from rove.firefox.protocol.connection import BidiError, BidiResult, PageChannel
from rove.page.frames import world
from rove.page.frames.world import WORLD, Quote, numbered_call
from rove.refs import NumberedDocument, RefNumbers

# Each closed shadow root is named in the answer and passed back.
MAX_CLOSED_HOSTS = 50
# Nodes are returned without their children, with their shadow roots, closed ones too.
_NODES_ALONE = {"maxDomDepth": 0, "includeShadowTree": "all"}
LISTENER_INTERVAL = 0.02


class World(world.World):
    """The sandbox of one frame, whatever document the frame shows; Firefox makes one for each document."""

    def __init__(
        self,
        channel: PageChannel,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
        numbered: NumberedDocument | None = None,
    ) -> None:
        super().__init__(frame_id, prefix, parent, numbers, numbered)
        self.channel = channel

    @property
    def process(self) -> object:
        return self.channel

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
