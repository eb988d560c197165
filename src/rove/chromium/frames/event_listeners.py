"""Finding the elements that have event listeners for clicks, so that they get a line and a ref in snapshots.

Only the page's own context knows its listeners; without them, an element that has neither a role, a cursor nor a
tabindex would be left out. Asking through `DOMDebugger` took 40 to 440 ms on large pages. The console's function
`getEventListeners`, kept where the page cannot see it, takes half a microsecond for each element.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from rove.chromium.frames.worlds import World, resolve_node
from rove.chromium.protocol.connection import CdpError

OBJECT_GROUP = "rove listeners"
# An object in the page's context that no variable of the page refers to.
_LISTENER_PROBE = "({ listeners: getEventListeners, known: new WeakSet() })"
# Each element takes most of a microsecond of the page's main thread, and every snapshot waits for it.
MAX_ELEMENTS = 3000
MAX_LISTENERS = 200
# Scripts that add listeners to a page at rest do so within seconds, not milliseconds.
REFRESH_SECONDS = 1.0
# Finds the elements that have listeners since the last call. Leaves out those that contain other listening or
# interactive elements: frameworks listen on a whole part of the page.
_NEW_ELEMENTS = """function (maxElements, maxListeners) {
  const NATIVE = /^(?:html|body|a|button|input|select|textarea|option|summary|label|iframe|script|style|br)$/;
  const PRESSES = ["click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart"];
  const INTERACTIVE = "a[href], button, input, select, textarea, summary, iframe, [role], [onclick], [tabindex]";
  const all = document.getElementsByTagName("*");
  const listening = [];
  for (let index = 0; index < all.length && index < maxElements; index += 1) {
    const element = all[index];
    if (NATIVE.test(element.localName) || this.known.has(element)) continue;
    const kinds = this.listeners(element);
    if (PRESSES.some((kind) => kinds[kind])) listening.push(element);
  }
  const found = listening.filter((element) => {
    this.known.add(element);
    return element.getElementsByTagName("*").length <= 40 && element.textContent.length <= 300 &&
      !element.querySelector(INTERACTIVE) && !listening.some((other) => other !== element && element.contains(other));
  });
  return found.length ? found.slice(0, maxListeners) : null;
}"""


# Whether an element, or one around it, has a listener for presses.
_IS_LISTENING = """function (element) {
  const PRESSES = ["click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart"];
  const listens = (node) => PRESSES.some((kind) => this.listeners(node)[kind]);
  for (let node = element; node; node = node.parentNode || node.host) if (listens(node)) return true;
  return false;
}"""
LISTENER_INTERVAL = 0.02


async def wait_for_press_listener(world: World, element: str, seconds: float) -> None:
    """Wait until an element, or one around it, has a listener for presses, or for so many seconds.

    `element`: its CDP object id in the page's own context.
    """
    for _ in range(round(seconds / LISTENER_INTERVAL)):
        if await _is_listening(world, element):
            return
        await asyncio.sleep(LISTENER_INTERVAL)


async def _is_listening(world: World, element: str) -> bool:
    probe = await _listener_probe(world)
    if probe is None:
        return True
    call = {"objectId": probe, "functionDeclaration": _IS_LISTENING, "arguments": [{"objectId": element}]}
    answer = await world.cdp.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    return "exceptionDetails" in answer or bool(answer["result"].get("value"))


async def refresh_listeners(world: World) -> bool:
    """Find new listeners like `find_listeners`, unless that was done less than `REFRESH_SECONDS` ago."""
    return time.monotonic() - world.listeners_checked_at > REFRESH_SECONDS and await find_listeners(world)


async def find_listeners(world: World) -> bool:
    """Tell rove's script which elements have listeners for clicks; return whether there are new ones."""
    world.listeners_checked_at = time.monotonic()
    try:
        elements = await _find_new_elements(world)
        if elements is None:
            return False
        await _hint_clickable(world, elements)
    except CdpError:
        return False  # the document is being replaced, so its listeners no longer matter
    return True


async def _find_new_elements(world: World) -> str | None:
    """Return the id of a list of elements in the page's own context; None if there are no new ones."""
    cdp, probe = world.cdp, await _listener_probe(world)
    if probe is None:
        return None
    call: dict[str, Any] = {
        "objectId": probe,
        "functionDeclaration": _NEW_ELEMENTS,
        "arguments": [{"value": MAX_ELEMENTS}, {"value": MAX_LISTENERS}],
        "objectGroup": OBJECT_GROUP,
    }
    answer = await cdp.send("Runtime.callFunctionOn", call)
    # A page can break its own prototypes, and this function with them; then its listeners stay unknown.
    elements: str | None = None if "exceptionDetails" in answer else answer["result"].get("objectId")
    return elements


async def _listener_probe(world: World) -> str | None:
    """Return the id of the object in the page's own context that knows its listeners; None if there is no context."""
    if world.listener_probe is None and world.page_context is not None:
        probe = await world.cdp.send(
            "Runtime.evaluate",
            {"expression": _LISTENER_PROBE, "contextId": world.page_context, "includeCommandLineAPI": True},
        )
        world.listener_probe = probe["result"].get("objectId")
    return world.listener_probe


async def _hint_clickable(world: World, elements: str) -> None:
    """Pass a list of elements from the page's own context to rove's script in the isolated world."""
    cdp = world.cdp
    properties = await cdp.send("Runtime.getProperties", {"objectId": elements, "ownProperties": True})
    items = [item["value"]["objectId"] for item in properties["result"] if item["name"].isdigit()]
    context = await world.context()
    resolved = await asyncio.gather(*(resolve_node(cdp, item, context, OBJECT_GROUP) for item in items))
    call: dict[str, Any] = {
        "functionDeclaration": "(...elements) => rove.addClickListeners(elements)",
        "executionContextId": context,
        "arguments": [{"objectId": object_id} for object_id in resolved],
    }
    await cdp.send("Runtime.callFunctionOn", call)
    await cdp.send("Runtime.releaseObjectGroup", {"objectGroup": OBJECT_GROUP})
