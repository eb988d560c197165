"""The isolated world of one frame: rove's JavaScript, out of reach of the page's own scripts.

A page that redefines `JSON` or `Array.prototype` changes only its own context.
"""

from __future__ import annotations

from typing import Any

from rove.browser.scripts import page_script
from rove.chromium.frames import closed_roots, event_listeners
from rove.chromium.frames.evaluation import evaluate_with
from rove.chromium.frames.execution_context import Call, ExecutionContext, exception_text
from rove.chromium.protocol.connection import CdpError, CdpResult, CdpSession
from rove.errors import ScriptFailed
from rove.page.frames import world
from rove.page.frames.world import WORLD, Quote, numbered_call
from rove.page_text import NOWHERE, PageText
from rove.refs import NumberedDocument, RefNumbers


class World(world.World):
    """The isolated context of one frame, created when it is first needed and again after each navigation."""

    def __init__(
        self,
        cdp: CdpSession,
        frame_id: str,
        prefix: str,
        parent: World | None,
        numbers: RefNumbers | None = None,
        numbered: NumberedDocument | None = None,
    ) -> None:
        super().__init__(frame_id, prefix, parent, numbers, numbered)
        self.cdp = cdp
        # The page's own context in this frame, and rove's object in it (`frames/event_listeners.py`).
        self.page_context: int | None = None
        self.listener_probe: str | None = None
        self.listening_nodes: set[int] = set()
        self._context: int | None = None
        # Whether a call has been answered in the context.
        self._has_answered = False
        # How often the script was installed, by which a failed call sees that another call has installed it meanwhile.
        self._install_count = 0

    @property
    def process(self) -> object:
        return self.cdp

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

    async def ref_of_node(self, node: int) -> str:
        """Return the ref of an element, given by its backend node id."""
        resolving = {"backendNodeId": node, "executionContextId": await self.context()}
        element = (await self.cdp.send("DOM.resolveNode", resolving))["object"]["objectId"]
        declaration = "function (first) { return rove.callNumbered(first, rove.ref, [this]) }"
        params = {"functionDeclaration": declaration, "objectId": element, "returnByValue": True}
        answer = await self.send_numbered(
            lambda first: self.cdp.send("Runtime.callFunctionOn", {**params, "arguments": [{"value": first}]}),
            _following,
        )
        ref: str = answer["result"]["value"]["value"]
        return ref

    async def find_owner(self) -> str:
        """Return the ref, in the parent's world, of the element that holds the frame."""
        parent = self.parent
        assert isinstance(parent, World)
        owner = await parent.cdp.send("DOM.getFrameOwner", {"frameId": self.frame_id})
        return await parent.ref_of_node(owner["backendNodeId"])

    async def prepare_listeners(self) -> None:
        """Let rove's script ask for elements with listeners, once for each document."""
        await event_listeners.prepare_listeners(self)

    async def wait_for_press_listener(self, ref: str, seconds: float) -> bool:
        """Wait until an element, or one around it, listens for presses; return whether there was a need to wait."""
        return await event_listeners.wait_for_press_listener(self, await self.page_object_id(ref), seconds)

    async def open_closed_roots(self) -> bool:
        """Give rove's script access to closed shadow roots; only the protocol can. Return whether there were any."""
        return await closed_roots.open_closed_roots(self)

    async def open_focused_root(self) -> bool:
        """Give rove's script access to the closed shadow root that has the focus; return whether there is one."""
        host = await self.handle("() => rove.focusHere()")
        return host is not None and await closed_roots.open_closed_root(self, host)

    async def evaluate_with(self, ref: str, expression: str, quote: Quote, await_promise: bool) -> Any:
        """Run the caller's JavaScript in the page's own world, with an element as its argument."""
        return await evaluate_with(self.cdp, expression, await self.page_object_id(ref), quote, await_promise)

    async def set_files(self, files: list[str], ref: str | None = None, node: Any = None) -> None:
        """Put files into a file input, given by its ref or by its backend node id."""
        where = {"backendNodeId": node} if ref is None else {"objectId": await self.page_object_id(ref)}
        # The browser fires the input and change events itself, as it does after a person has chosen files.
        await self.cdp.send("DOM.setFileInputFiles", {"files": files, **where})

    async def page_object_id(self, ref: str) -> str:
        """Return the CDP object id of an element in the page's own world, instead of rove's isolated one."""
        isolated = await self.handle("ref => rove.element(ref)", ref)
        if isolated is None:
            raise self.numbers.missing_element(self.prefix + ref, self.numbered)
        return await resolve_node(self.cdp, isolated)

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
        function = numbered_call(call.function)

        async def send(first: int) -> CdpResult:
            numbered = Call(function, (first, *call.arguments), as_user=call.as_user)
            return await self.cdp.send("Runtime.callFunctionOn", numbered.params(context))

        return await self.send_numbered(send, _following)

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
