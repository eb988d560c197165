"""Which elements listen for presses. The page's own scripts know, our world does not; the protocol can ask.

Without this, an element that a script listens to, and that neither a role, a cursor nor a tabindex gives away, would
have no line and no ref. Asking through `DOMDebugger` took 40 to 440 ms on large pages; the console's own function, kept
where the page cannot see it, takes half a microsecond for each element.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from rove.chromium.frames.worlds import World, same_node
from rove.chromium.protocol.connection import CdpError

GROUP = "rove listeners"
# An object of the page's world that no variable of the page leads to.
_LISTENER_PROBE = "({ listeners: getEventListeners, known: new WeakSet() })"
# Each takes a page most of a microsecond, and every look waits for it.
MOST_ELEMENTS = 3000
MOST_FOUND = 200
# Scripts that begin to listen after a page has come to rest do so in the next seconds, not in the next milliseconds.
STILL_TRUE = 1.0
# Those that began to listen since the last time; not whoever listens for all that is in it, as frameworks do.
_NEW_ELEMENTS = """function (mostElements, mostFound) {
  const NATIVE = /^(?:html|body|a|button|input|select|textarea|option|summary|label|iframe|script|style|br)$/;
  const PRESSES = ["click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart"];
  const INTERACTIVE = "a[href], button, input, select, textarea, summary, iframe, [role], [onclick], [tabindex]";
  const all = document.getElementsByTagName("*");
  const listening = [];
  for (let index = 0; index < all.length && index < mostElements; index += 1) {
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
  return found.length ? found.slice(0, mostFound) : null;
}"""


async def refresh_listeners(world: World) -> bool:
    """The same, unless it was done just now."""
    return time.monotonic() - world.heard_at > STILL_TRUE and await find_listeners(world)


async def find_listeners(world: World) -> bool:
    """Show our world who listens; True if it did not know someone before."""
    world.heard_at = time.monotonic()
    try:
        found = await _new_elements(world)
        if found is None:
            return False
        await _set_up_probe(world, found)
    except CdpError:
        return False  # the document is going away, and nobody will press anything in it
    return True


async def _new_elements(world: World) -> str | None:
    """The id of a list of elements, in the page's own world."""
    cdp = world.cdp
    if world.listener_probe is None:
        if world.page_context is None:
            return None
        made = await cdp.send(
            "Runtime.evaluate",
            {"expression": _LISTENER_PROBE, "contextId": world.page_context, "includeCommandLineAPI": True},
        )
        world.listener_probe = made["result"].get("objectId")
    call: dict[str, Any] = {
        "objectId": world.listener_probe,
        "functionDeclaration": _NEW_ELEMENTS,
        "arguments": [{"value": MOST_ELEMENTS}, {"value": MOST_FOUND}],
        "objectGroup": GROUP,
    }
    answer = await cdp.send("Runtime.callFunctionOn", call)
    # A page can break its own prototypes, and with them this; then its elements are known by their looks alone.
    identity: str | None = None if "exceptionDetails" in answer else answer["result"].get("objectId")
    return identity


async def _set_up_probe(world: World, found: str) -> None:
    cdp = world.cdp
    listed = await cdp.send("Runtime.getProperties", {"objectId": found, "ownProperties": True})
    items = [item["value"]["objectId"] for item in listed["result"] if item["name"].isdigit()]
    context = await world.context()
    ours = await asyncio.gather(*(same_node(cdp, item, context, GROUP) for item in items))
    call: dict[str, Any] = {
        "functionDeclaration": "(...elements) => rove.addClickListeners(elements)",
        "executionContextId": context,
        "arguments": [{"objectId": identity} for identity in ours],
    }
    await cdp.send("Runtime.callFunctionOn", call)
    await cdp.send("Runtime.releaseObjectGroup", {"objectGroup": GROUP})
