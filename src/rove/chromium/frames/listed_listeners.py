"""Finding elements with listeners for presses without running anything in the page's own world.

The browser lists the listeners of a document in some milliseconds. What frameworks keep as properties of elements, when
they listen once for a whole part of the page, is not found.
"""

from __future__ import annotations

import asyncio
from typing import Any

from rove.chromium.frames.isolated_frame import IsolatedFrame

PRESSES = frozenset(
    ("click", "mousedown", "pointerdown", "mouseup", "pointerup", "dblclick", "touchstart", "contextmenu")
)
# An element that listens for so many kinds of events does so for a framework.
MANY_KINDS = 30
# Each element takes a command, which is sent once.
MAX_NEW_ELEMENTS = 300
_GROUP = "rove-listeners"


async def note_listeners(world: IsolatedFrame) -> None:
    """Tell rove's script which elements have got listeners for presses since the last call."""
    document = await world.handle("() => rove && document")  # by its name, rove's script is installed if it is missing
    listing = {"objectId": document, "depth": -1, "pierce": True}
    listeners = (await world.cdp.send("DOMDebugger.getEventListeners", listing))["listeners"]
    new = [node for node in _pressed(listeners) if node not in world.listening_nodes][:MAX_NEW_ELEMENTS]
    if new:
        await _tell(world, new)
        world.listening_nodes.update(new)
        await world.cdp.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    await world.cdp.send("Runtime.releaseObject", {"objectId": document})


def _pressed(listeners: list[dict[str, Any]]) -> list[int]:
    """Return the nodes that listen for presses."""
    kinds: dict[int, set[str]] = {}
    for listener in listeners:
        kinds.setdefault(listener.get("backendNodeId", 0), set()).add(listener["type"])
    return [node for node, heard in kinds.items() if node and heard & PRESSES and len(heard) < MANY_KINDS]


async def _tell(world: IsolatedFrame, nodes: list[int]) -> None:
    context = await world.context()
    found = {"executionContextId": context, "objectGroup": _GROUP}
    resolving = (world.cdp.send("DOM.resolveNode", {"backendNodeId": node, **found}) for node in nodes)
    answers = await asyncio.gather(*resolving)
    call = {
        "functionDeclaration": "(...nodes) => rove.noteClickListeners(nodes)",
        "executionContextId": context,
        "arguments": [{"objectId": answer["object"]["objectId"]} for answer in answers],
    }
    await world.cdp.send("Runtime.callFunctionOn", call)
