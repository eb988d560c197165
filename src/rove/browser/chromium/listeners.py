"""What only the protocol can tell of elements: which of them listen for presses, and closed shadow roots.

The browser lists the listeners of a document in some milliseconds. What frameworks keep as properties of elements, when
they listen once for a whole part of the page, is not found.

Only the page's own context knows its listeners; without them, an element that has neither a role, a cursor nor a
tabindex would be left out. Asking through `DOMDebugger` took 40 to 440 ms on large pages. The console's function
`getEventListeners`, kept where the page cannot see it, takes half a microsecond for each element.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from typing import Any, Protocol

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.scripts import pressed_elements_script

# Opening a closed shadow root takes CDP commands of some milliseconds.
MAX_CLOSED_HOSTS = 50

PRESSES = frozenset(
    ("click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart", "contextmenu")
)
# An element that listens for so many kinds of events does so for a framework.
MANY_KINDS = 30
# Each element takes a command, which is sent once.
MAX_NEW_ELEMENTS = 300
_GROUP = "rove-listeners"

# Each element takes most of a microsecond of the page's main thread, and every snapshot waits for it.
MAX_ELEMENTS = 3000
MAX_LISTENERS = 3000
# An object in the page's context that no variable of the page refers to. It looks when rove's script asks by an event,
# so that a snapshot costs no round trip more. A page can break its own prototypes, and the look with them; then its
# listeners stay unknown.
_LISTENER_PROBE = f"""(find) => {{
  const probe = {{ listeners: getEventListeners, known: new WeakSet(), event: %s }};
  addEventListener(`ask-${{probe.event}}`, () => find(probe, {MAX_ELEMENTS}, {MAX_LISTENERS}), true);
  return probe;
}}"""

# Whether an element, or one around it, has a listener for presses.
_IS_LISTENING = """function (element) {
  const PRESSES = ["click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart"];
  const listens = (node) => PRESSES.some((kind) => this.listeners(node)[kind]);
  for (let node = element; node; node = node.parentNode || node.host) if (listens(node)) return true;
  return false;
}"""
LISTENER_INTERVAL = 0.02


class IsolatedFrame(Protocol):
    """A frame of a page. `World` is the one implementation.

    `page_context`: the page's own context, in which `listener_probe` is an object of rove's. `listening_nodes`: the
    elements that rove's script has been told of.
    """

    channel: CdpSession
    page_context: int | None
    listener_probe: str | None
    listening_nodes: set[int]

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression in the isolated context and return a plain value."""
        ...

    async def handle(self, function: str, *arguments: Any) -> str | None:
        """Call a function expression like `call`, but return the id of the resulting object, or None for null."""
        ...

    async def context(self) -> int:
        """Return the id of the isolated context; create it if there is none."""
        ...


async def open_closed_roots(world: IsolatedFrame) -> bool:
    """Give rove's script access to closed shadow roots; only the protocol can. Return whether there were any."""
    hosts = await world.handle("() => rove.closedHostCandidates()")
    if hosts is None:
        return False
    properties = await world.channel.send("Runtime.getProperties", {"objectId": hosts, "ownProperties": True})
    has_opened = False
    for item in properties["result"][:MAX_CLOSED_HOSTS]:
        host = item.get("value", {}).get("objectId")
        if host and item["name"].isdigit():
            has_opened |= await open_closed_root(world, host)
    return has_opened


async def open_closed_root(world: IsolatedFrame, host: str) -> bool:
    """Give rove's script access to the closed shadow root of an element; return whether it has one."""
    description = await world.channel.send("DOM.describeNode", {"objectId": host, "depth": 1, "pierce": True})
    closed = [root for root in description["node"].get("shadowRoots", []) if root["shadowRootType"] == "closed"]
    for root in closed:
        resolved = await world.channel.send(
            "DOM.resolveNode",
            {"backendNodeId": root["backendNodeId"], "executionContextId": await world.context()},
        )
        await world.channel.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "function (root) { rove.adoptShadow(this, root) }",
                "objectId": host,
                "arguments": [{"objectId": resolved["object"]["objectId"]}],
            },
        )
    return bool(closed)


async def note_listeners(world: IsolatedFrame) -> None:
    """Tell rove's script which elements have got listeners for presses since the last call."""
    document = await world.handle("() => rove && document")  # by its name, rove's script is installed if it is missing
    listing = {"objectId": document, "depth": -1, "pierce": True}
    listeners = (await world.channel.send("DOMDebugger.getEventListeners", listing))["listeners"]
    new = [node for node in _pressed(listeners) if node not in world.listening_nodes][:MAX_NEW_ELEMENTS]
    if new:
        await _tell(world, new)
        world.listening_nodes.update(new)
        await world.channel.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    await world.channel.send("Runtime.releaseObject", {"objectId": document})


def _pressed(listeners: list[dict[str, Any]]) -> list[int]:
    """Return the nodes that listen for presses."""
    kinds: dict[int, set[str]] = {}
    for listener in listeners:
        kinds.setdefault(listener.get("backendNodeId", 0), set()).add(listener["type"])
    return [node for node, heard in kinds.items() if node and heard & PRESSES and len(heard) < MANY_KINDS]


async def _tell(world: IsolatedFrame, nodes: list[int]) -> None:
    context = await world.context()
    found = {"executionContextId": context, "objectGroup": _GROUP}
    resolving = (world.channel.send("DOM.resolveNode", {"backendNodeId": node, **found}) for node in nodes)
    answers = await asyncio.gather(*resolving)
    call = {
        "functionDeclaration": "(...nodes) => rove.noteClickListeners(nodes)",
        "executionContextId": context,
        "arguments": [{"objectId": answer["object"]["objectId"]} for answer in answers],
    }
    await world.channel.send("Runtime.callFunctionOn", call)


async def wait_for_press_listener(world: IsolatedFrame, element: str, seconds: float) -> bool:
    """Wait until an element, or one around it, has a listener for presses; return whether there was a need to wait.

    `element`: its CDP object id in the page's own context. `seconds`: the most to wait.
    """
    for attempt in range(round(seconds / LISTENER_INTERVAL)):
        if await _is_listening(world, element):
            return attempt > 0
        await asyncio.sleep(LISTENER_INTERVAL)
    return True


async def _is_listening(world: IsolatedFrame, element: str) -> bool:
    probe = world.listener_probe or await _create_probe(world)
    if probe is None:
        return True
    call = {"objectId": probe, "functionDeclaration": _IS_LISTENING, "arguments": [{"objectId": element}]}
    answer = await world.channel.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    return "exceptionDetails" in answer or bool(answer["result"].get("value"))


async def prepare_listeners(world: IsolatedFrame) -> None:
    """Let rove's script ask for elements with listeners, once for each document."""
    if world.listener_probe is None:
        with contextlib.suppress(CdpError):  # the document is being replaced, so its listeners no longer matter
            if world.channel.reports_contexts:
                await _create_probe(world)
            else:
                await note_listeners(world)


async def _create_probe(world: IsolatedFrame) -> str | None:
    """Create the object that finds listeners, and the events by which rove's script asks it and gets elements."""
    if world.page_context is None:
        return None
    event = f"found-{secrets.token_hex(8)}"
    source = f"({_LISTENER_PROBE % json.dumps(event)})({pressed_elements_script()})"
    params = {"expression": source, "contextId": world.page_context, "includeCommandLineAPI": True}
    probe, _ = await asyncio.gather(
        world.channel.send("Runtime.evaluate", params), world.call("(event) => rove.useListenerProbe(event)", event)
    )
    world.listener_probe = probe["result"].get("objectId")
    return world.listener_probe
