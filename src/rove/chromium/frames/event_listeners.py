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

from rove.chromium.frames.isolated_frame import IsolatedFrame
from rove.chromium.frames.listed_listeners import note_listeners
from rove.chromium.protocol.connection import CdpError

# Each element takes most of a microsecond of the page's main thread, and every snapshot waits for it.
MAX_ELEMENTS = 3000
MAX_LISTENERS = 3000
# Finds the elements that have press listeners since the last call. Frameworks that listen once for a whole part of the
# page keep the handlers of its elements as properties of these (React, Solid, Svelte) or as selectors (jQuery). An
# event of a random name takes an element to rove's script: over the protocol, hundreds of them would take long.
_NEW_ELEMENTS = """function (maxElements, maxListeners) {
  const NATIVE = /^(?:html|a|button|input|select|textarea|option|summary|label|iframe|script|style|br)$/;
  const KINDS = "click|mousedown|pointerdown|mouseup|pointerup|dblclick|touchstart|contextmenu";
  const PRESSES = KINDS.split("|");
  const HANDLER = new RegExp("^(?:__|[$]{2})(?:" + KINDS + ")$");
  const PROPERTY = new RegExp("^on(?:" + KINDS + "|doubleclick)(?:capture)?$", "i");
  // An element that listens for so many kinds of events does so for a framework.
  const MANY_KINDS = 30;
  let found = 0;
  const add = (element) => {
    if (found >= maxListeners || NATIVE.test(element.localName) || this.known.has(element)) return;
    this.known.add(element);
    element.dispatchEvent(new Event(this.event, { composed: true }));
    found += 1;
  };
  // jQuery: the selectors that an element listens for. Null where it also listens for itself.
  const selectorsOf = (data) => {
    const events = Object(data.events);
    const handlers = PRESSES.flatMap((kind) => events[kind] || []);
    return handlers.length && handlers.every((each) => each.selector) ? handlers.map((each) => each.selector) : null;
  };
  const addSelected = (root, selectors) => {
    for (const selector of selectors) for (const element of root.querySelectorAll(selector)) add(element);
  };
  const hasHandler = (object, isName) =>
    Object.keys(object).some((name) => isName(name) && typeof object[name] === "function");
  // Svelte keeps handlers by kind under a symbol, Solid one in a property for each kind, React all in the properties.
  const handlesPresses = (key, value) => {
    if (typeof key === "symbol") return hasHandler(value, (name) => PRESSES.includes(name));
    if (HANDLER.test(key)) return Object.keys(value).length > 0 || typeof value === "function";
    return /^__react(?:Props|EventHandlers)[$]/.test(key) && hasHandler(value, (name) => PROPERTY.test(name));
  };
  const readProperties = (element) => {
    let role = "";
    for (const key of Reflect.ownKeys(element)) {
      const value = Object(Object.getOwnPropertyDescriptor(element, key).value);
      if (handlesPresses(key, value)) return "handles";
      const selectors = String(key).startsWith("jQuery") ? selectorsOf(value) : null;
      if (selectors) { addSelected(element, selectors); role = "delegates"; }
    }
    return role;
  };
  const isPressed = (target) => {
    const kinds = this.listeners(target);
    return PRESSES.some((kind) => kinds[kind]) && Object.keys(kinds).length < MANY_KINDS;
  };
  const inspect = (element) => {
    const role = readProperties(element);
    if (role === "handles" || (role === "" && !NATIVE.test(element.localName) && isPressed(element))) add(element);
  };
  let left = maxElements;
  const scan = (root) => {
    const all = root.querySelectorAll("*");
    for (let index = 0; index < all.length && left > 0; index += 1, left -= 1) {
      inspect(all[index]);
      if (all[index].shadowRoot) scan(all[index].shadowRoot);
    }
  };
  const page = [window, document, document.documentElement].filter(Boolean);
  if (document.body && page.some((target) => readProperties(target) === "" && isPressed(target))) add(document.body);
  scan(document);
  return found;
}"""


# An object in the page's context that no variable of the page refers to. It looks when rove's script asks by an event,
# so that a snapshot costs no round trip more. A page can break its own prototypes, and the look with them; then its
# listeners stay unknown.
_LISTENER_PROBE = f"""(() => {{
  const probe = {{ listeners: getEventListeners, known: new WeakSet(), event: %s, find: {_NEW_ELEMENTS} }};
  addEventListener(`ask-${{probe.event}}`, () => probe.find({MAX_ELEMENTS}, {MAX_LISTENERS}), true);
  return probe;
}})()"""


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
    source = _LISTENER_PROBE % json.dumps(event)
    params = {"expression": source, "contextId": world.page_context, "includeCommandLineAPI": True}
    probe, _ = await asyncio.gather(
        world.cdp.send("Runtime.evaluate", params), world.call("(event) => rove.useListenerProbe(event)", event)
    )
    world.listener_probe = probe["result"].get("objectId")
    return world.listener_probe
