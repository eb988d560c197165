"""Finding the elements that have event listeners for clicks, so that they get a line and a ref in snapshots.

Only the page's own context knows its listeners; without them, an element that has neither a role, a cursor nor a
tabindex would be left out. Asking through `DOMDebugger` took 40 to 440 ms on large pages. The console's function
`getEventListeners`, kept where the page cannot see it, takes half a microsecond for each element.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets

from rove.browser.scripts import pressed_elements_script
from rove.chromium.frames.isolated_frame import IsolatedFrame
from rove.chromium.frames.listed_listeners import note_listeners
from rove.chromium.protocol.connection import CdpError

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
    answer = await world.cdp.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    return "exceptionDetails" in answer or bool(answer["result"].get("value"))


async def prepare_listeners(world: IsolatedFrame) -> None:
    """Let rove's script ask for elements with listeners, once for each document."""
    if world.listener_probe is None:
        with contextlib.suppress(CdpError):  # the document is being replaced, so its listeners no longer matter
            if world.cdp.reports_contexts:
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
        world.cdp.send("Runtime.evaluate", params), world.call("(event) => rove.useListenerProbe(event)", event)
    )
    world.listener_probe = probe["result"].get("objectId")
    return world.listener_probe
