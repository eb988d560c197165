"""Closing a page for good: Chromium may acknowledge a close and not do it, where the page was just navigating."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.wire import Wire, WireError

# Each step is given this long to be seen to have worked.
PATIENCE = 0.7


async def close_target(root: Wire, wire: Wire, target: str) -> bool:
    """Close a page, with more and more force; False if it is still there."""
    # One that waits to be let go holds up its opener, with which it may share a process: that comes first.
    for force in ("Runtime.runIfWaitingForDebugger", "Page.stopLoading", "Page.crash"):
        steps = [asyncio.ensure_future(_sent(wire, force)), asyncio.ensure_future(_closed(root, wire, target))]
        try:
            await asyncio.wait({steps[1]}, timeout=PATIENCE)
        finally:
            for step in steps:
                step.cancel()
        if wire.is_closed:
            return True
    return False


async def _closed(root: Wire, wire: Wire, target: str) -> None:
    with contextlib.suppress(WireError):  # it went away by itself
        await root.send("Target.closeTarget", {"targetId": target})
        await wire.ended()


async def _sent(wire: Wire, method: str) -> None:
    with contextlib.suppress(WireError):
        await wire.send(method)
