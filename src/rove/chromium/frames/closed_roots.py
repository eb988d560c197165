"""Access to closed shadow roots, which only the protocol can give to rove's script."""

from __future__ import annotations

from rove.chromium.frames.isolated_frame import IsolatedFrame

# Opening a closed shadow root takes CDP commands of some milliseconds.
MAX_CLOSED_HOSTS = 50


async def open_closed_roots(world: IsolatedFrame) -> bool:
    """Give rove's script access to closed shadow roots; only the protocol can. Return whether there were any."""
    hosts = await world.handle("() => rove.closedHostCandidates()")
    if hosts is None:
        return False
    properties = await world.cdp.send("Runtime.getProperties", {"objectId": hosts, "ownProperties": True})
    has_opened = False
    for item in properties["result"][:MAX_CLOSED_HOSTS]:
        host = item.get("value", {}).get("objectId")
        if host and item["name"].isdigit():
            has_opened |= await open_closed_root(world, host)
    return has_opened


async def open_closed_root(world: IsolatedFrame, host: str) -> bool:
    """Give rove's script access to the closed shadow root of an element; return whether it has one."""
    description = await world.cdp.send("DOM.describeNode", {"objectId": host, "depth": 1, "pierce": True})
    closed = [root for root in description["node"].get("shadowRoots", []) if root["shadowRootType"] == "closed"]
    for root in closed:
        resolved = await world.cdp.send(
            "DOM.resolveNode",
            {"backendNodeId": root["backendNodeId"], "executionContextId": await world.context()},
        )
        await world.cdp.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "function (root) { rove.adoptShadow(this, root) }",
                "objectId": host,
                "arguments": [{"objectId": resolved["object"]["objectId"]}],
            },
        )
    return bool(closed)
