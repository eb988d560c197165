"""Closing a page for good: Chromium may acknowledge a close and not do it, where the page was just navigating."""

from __future__ import annotations

import asyncio
import contextlib

from rove.chromium.wire import Wire, WireError

# Each step is given this long to be seen to have worked.
PATIENCE = 0.7


async def close_target(root: Wire, wire: Wire, target: str) -> bool:
    """Close a page, with more and more force; False if it is still there."""
    # One that waits to be let go holds up its opener, with which it may share a process.
    for force in ("Runtime.runIfWaitingForDebugger", "Page.stopLoading", "Page.crash"):
        pressing = asyncio.ensure_future(wire.send(force))
        try:
            with contextlib.suppress(TimeoutError, WireError):
                async with asyncio.timeout(PATIENCE):
                    await root.send("Target.closeTarget", {"targetId": target})
                    await wire.ended()
            if wire.is_closed:
                return True
        finally:
            pressing.cancel()
    return False
